//! JSON made hostile without making it unreadable: other numbers, lists of other lengths, other types, missing entries.

use serde_json::{Map, Value, json};

use crate::Random;
use crate::mutate::SIZES;

/// Numbers that JSON can hold and programs trip over.
const FLOATS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    3.7,
    5e-324,
    1e-300,
    1e-150,
    1e-20,
    1e20,
    1e150,
    1e300,
    f64::MAX,
    f64::MIN,
    -1e-9,
];

const TEXTS: [&str; 12] = [
    "",
    "outlier",
    "<script>alert(1)</script>",
    "a\u{0}b",
    "../../x",
    "\u{202e}rtl\u{2028}",
    "=1+1",
    "\\input{x}",
    "emmf",
    "nan",
    "{}",
    "ÿ\"',;\n\t",
];

/// A few changes at random places.
pub(crate) fn mutate(value: &mut Value, random: &mut Random) {
    for _ in 0..random.pick(&[1, 1, 1, 2, 3, 5]) {
        change(value, random);
    }
}

/// Goes down to a random place and changes what is there.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(entries) if !entries.is_empty() && !random.one_in(8) => {
            let at = random.below(entries.len());
            if let Some((_, inner)) = entries.iter_mut().nth(at) {
                change(inner, random);
            }
        }
        Value::Array(items) if !items.is_empty() && random.one_in(2) => {
            let at = random.below(items.len());
            change(&mut items[at], random);
        }
        Value::Object(entries) => change_object(entries, random),
        Value::Array(items) => change_list(items, random),
        leaf => change_leaf(leaf, random),
    }
}

fn change_object(entries: &mut Map<String, Value>, random: &mut Random) {
    let Some(key) = entries.keys().nth(random.below(entries.len())).cloned() else { return };
    match random.below(4) {
        0 => entries.insert("new".into(), any(random)),
        1 => entries.insert(key, any(random)),
        2 => {
            let copy = entries.get(&key).cloned().unwrap_or(Value::Null);
            let other = entries.keys().nth(random.below(entries.len())).cloned();
            other.and_then(|other| entries.insert(other, copy))
        }
        _ => entries.remove(&key),
    };
}

fn change_list(items: &mut Vec<Value>, random: &mut Random) {
    match random.below(5) {
        0 => items.truncate(random.below(items.len() + 1)),
        1 => items.clear(),
        2 => {
            let again = items.first().cloned().unwrap_or_else(|| any(random));
            items.extend(std::iter::repeat_n(again, random.pick(&[1, 2, 300])));
        }
        3 => {
            let (a, b) = (random.below(items.len()), random.below(items.len()));
            if !items.is_empty() {
                items.swap(a, b);
            }
        }
        _ => items.push(any(random)),
    }
}

fn change_leaf(leaf: &mut Value, random: &mut Random) {
    *leaf = match leaf {
        _ if random.one_in(6) => any(random),
        Value::Number(number) if number.is_f64() => json!(random.pick(&FLOATS)),
        Value::Number(_) => whole(random),
        Value::Bool(said) => json!(!*said),
        Value::String(_) => json!(random.pick(&TEXTS)),
        _ => any(random),
    };
}

fn whole(random: &mut Random) -> Value {
    if random.one_in(2) { json!(random.below(12)) } else { json!(random.pick(&SIZES)) }
}

fn any(random: &mut Random) -> Value {
    match random.below(7) {
        0 => Value::Null,
        1 => json!(random.pick(&FLOATS)),
        2 => whole(random),
        3 => json!(random.pick(&TEXTS)),
        4 => json!([]),
        5 => json!({}),
        _ => json!(random.one_in(2)),
    }
}
