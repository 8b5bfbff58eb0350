//! MATLAB files of version 5 (`save -v6` and `save -v7`).

mod elements;
mod variable;
mod write;

pub(crate) use write::write;

use crate::budget::Budget;
use crate::error::Problem;
use crate::inflate::Allowance;
use crate::variables::Variables;
use elements::{Cursor, Kind};
use flate2::bufread::ZlibDecoder;
use std::borrow::Cow;

/// The text, the version and the byte order come first.
const HEADER: usize = 128;

/// Whether the bytes start like a file of version 5; gives the byte order.
pub(crate) fn is_big_endian(bytes: &[u8]) -> Option<bool> {
    match bytes.get(124..HEADER)? {
        [_, 0x01, b'I', b'M'] => Some(false),
        [0x01, _, b'M', b'I'] => Some(true),
        _ => None,
    }
}

/// Whether the bytes start like a variable of version 4, which has no header before it: a type below 5000.
fn is_version_4(bytes: &[u8]) -> bool {
    let types = bytes.first_chunk().map(|&first| [u32::from_le_bytes(first), u32::from_be_bytes(first)]);
    bytes.len() >= 20 && types.is_some_and(|types| types.iter().any(|&kind| kind < 5000))
}

/// Reads every variable.
pub(crate) fn read<'a>(bytes: &'a [u8], budget: &Budget) -> Result<Variables<'a>, Problem> {
    if bytes.len() < HEADER && !is_version_4(bytes) {
        let why = format!("a MATLAB file has at least {HEADER} bytes");
        return Err(Problem::malformed(format!("byte {}, where it ends", bytes.len()), why));
    }
    let Some(big_endian) = is_big_endian(bytes) else {
        return Err(Problem::unsupported(
            "this version of MATLAB file",
            "load it in MATLAB and save it with `save -v7`, or with scipy.io.savemat",
        ));
    };
    let mut allowance = Allowance::for_input(bytes.len(), budget);
    let mut variables = Vec::new();
    let mut cursor = Cursor::new(bytes, HEADER, big_endian);
    while let Some(element) = cursor.next()? {
        let place = format!("byte {}", element.start);
        let named = match element.kind {
            Kind::Matrix => {
                let range = element.start..element.end;
                variable::read(Cow::Borrowed(bytes), range, (big_endian, budget))?
            }
            Kind::Compressed => {
                let packed = &bytes[element.start..element.end];
                let unpacked = allowance.read(ZlibDecoder::new(packed), &place)?;
                let inner = Cursor::new(&unpacked, 0, big_endian).next()?;
                match inner {
                    Some(inner) if inner.kind == Kind::Matrix => {
                        variable::read(Cow::Owned(unpacked), inner.start..inner.end, (big_endian, budget))?
                    }
                    _ => return Err(Problem::malformed(place, "no variable is packed here")),
                }
            }
            _ => None,
        };
        variables.extend(named);
    }
    Ok(Variables(variables))
}
