//! JSON that is read back as what it was written from.

use std::borrow::Cow;

use crate::error::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The text of a value. JSON has no infinite numbers; what would come back as something else is refused by its name.
pub(crate) fn to_text<T: Serialize + DeserializeOwned + PartialEq>(value: &T) -> Result<String, Problem> {
    let broken = |error: serde_json::Error| Problem::malformed("its content", error.to_string());
    let text = serde_json::to_string(value).map_err(broken)?;
    match serde_json::from_str::<T>(&text) {
        Ok(back) if back == *value => Ok(text),
        Ok(_) => Err(Problem::NotFinite { name: "an optional number".into() }),
        Err(error) => Err(Problem::NotFinite { name: last_name(&text[..error.column().min(text.len())]) }),
    }
}

/// The text without the threads that parameters at this place have in older files: they are up to whoever does the work.
/// Any other text stays as it is, so that errors name their place in it.
pub(crate) fn without_threads<'a>(text: &'a [u8], place: &str) -> Cow<'a, [u8]> {
    let name = br#""threads""#;
    if !text.windows(name.len()).any(|window| window == name) {
        return text.into();
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return text.into() };
    let parameters = value.pointer_mut(place).and_then(Value::as_object_mut);
    match parameters.and_then(|parameters| parameters.remove("threads")) {
        Some(_) => value.to_string().into_bytes().into(),
        None => text.into(),
    }
}

/// The last name of a JSON text that was cut off.
fn last_name(text: &str) -> String {
    let quoted = text.rfind("\":").map(|end| &text[..end]);
    let name = quoted.and_then(|quoted| quoted.rfind('"').map(|start| &quoted[start + 1..]));
    name.unwrap_or("a number").to_owned()
}
