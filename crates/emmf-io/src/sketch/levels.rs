//! Many numbers in few bytes: each as one of 255 levels between the smallest and the largest, in base 64.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The level of a missing value.
const MISSING: u8 = 255;
const STEPS: f64 = 254.0;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Numbers to look at, not to compute with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Levels {
    /// What level 0 stands for.
    pub low: f64,
    /// What level 254 stands for.
    pub high: f64,
    #[serde(rename = "levels", serialize_with = "encode", deserialize_with = "decode")]
    bytes: Vec<u8>,
}

impl Levels {
    /// The numbers, rounded to levels between `low` and `high`; NaN is a missing value.
    pub(crate) fn new(values: &[f64], (low, high): (f64, f64)) -> Self {
        let level = |value: f64| {
            if value.is_nan() {
                MISSING
            } else if high > low {
                ((value - low) / (high - low) * STEPS).round().clamp(0.0, STEPS) as u8
            } else {
                0
            }
        };
        Self { low, high, bytes: values.iter().map(|&value| level(value)).collect() }
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The numbers again, NaN where one is missing.
    pub fn values(&self) -> Vec<f64> {
        let value = |&level: &u8| match level {
            MISSING => f64::NAN,
            level => self.low + f64::from(level) / STEPS * (self.high - self.low),
        };
        self.bytes.iter().map(value).collect()
    }
}

/// Smallest and largest of the numbers that are there; at least from 0.
pub(crate) fn range<'a>(values: impl IntoIterator<Item = &'a f64>) -> (f64, f64) {
    let there = values.into_iter().filter(|value| value.is_finite());
    there.fold((0.0, 0.0), |(low, high), &value| (value.min(low), value.max(high)))
}

/// Bytes in base 64, without padding.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digits = (0..=chunk.len()).map(|at| ALPHABET[(bits >> (18 - 6 * at) & 63) as usize]);
        text.extend(digits.map(char::from));
    }
    text
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| ALPHABET.iter().position(|digit| digit == byte);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        let digits = chunk.iter().map(digit).collect::<Option<Vec<usize>>>()?;
        let bits = digits.iter().enumerate().fold(0, |bits, (at, digit)| bits | digit << (18 - 6 * at));
        bytes.extend((0..chunk.len() - 1).map(|at| (bits >> (16 - 8 * at)) as u8));
    }
    Some(bytes)
}

fn encode<S: Serializer>(levels: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&base64(levels))
}

fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    from_base64(&text).ok_or_else(|| serde::de::Error::custom("levels that are not in base 64"))
}

#[cfg(test)]
mod tests {
    use super::{Levels, base64, from_base64};

    #[test]
    fn bytes_come_back_from_base_64() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE");
        for length in 0..20 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 200) as u8).collect();
            assert_eq!(from_base64(&base64(&bytes)), Some(bytes));
        }
        assert_eq!(from_base64("<script>"), None);
    }

    #[test]
    fn values_are_kept_to_half_a_level() {
        let values = [0.0, 0.1, 0.5, 1.0, f64::NAN];
        let back = Levels::new(&values, (0.0, 1.0)).values();
        assert!(values.iter().zip(&back).take(4).all(|(a, b)| (a - b).abs() <= 0.5 / 254.0 + 1e-12));
        assert!(back[4].is_nan());
    }
}
