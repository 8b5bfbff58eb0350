//! JSON that is read back as what it was written from.

use crate::error::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// The last name of a JSON text that was cut off.
fn last_name(text: &str) -> String {
    let quoted = text.rfind("\":").map(|end| &text[..end]);
    let name = quoted.and_then(|quoted| quoted.rfind('"').map(|start| &quoted[start + 1..]));
    name.unwrap_or("a number").to_owned()
}
