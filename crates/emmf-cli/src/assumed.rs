//! What was taken for granted about the data of a fit, and what looks as if it was not meant.

use emmf_io::Remark;

use crate::args::FitArgs;
use crate::complain;
use crate::input::{Input, called};
use crate::wording;

/// Fewer features than this are no reason to think that they are samples.
const MANY_FEATURES: usize = 5_000;
/// Barcodes of cells have at least so many bases.
const BARCODE: usize = 14;

/// Says it, a line each.
pub(crate) fn tell(args: &FitArgs, input: &Input) {
    if args.quiet {
        return;
    }
    // The summary tells about words.
    for remark in input.about().remarks.iter().filter(|remark| !matches!(remark, Remark::Words { .. })) {
        complain(&wording::remark(remark, &args.input.data));
    }
    if let Some(sign) = looks_transposed(args, input) {
        let file = called(&args.input.data);
        complain(&format!("{file}: {sign}; if the rows are features, use --transpose"));
    }
}

/// What looks as if rows were features.
fn looks_transposed(args: &FitArgs, input: &Input) -> Option<String> {
    let about = input.about();
    if args.input.transpose || about.image.is_some() || about.words {
        return None;
    }
    let cells =
        about.columns.as_ref().filter(|names| names.len() > 1 && names.iter().all(|name| is_barcode(name)));
    if let Some(cells) = cells {
        return Some(format!("the columns are called like cells ('{}', …)", cells[0]));
    }
    let (samples, features) = input.shape();
    (features > MANY_FEATURES && features > 20 * samples)
        .then(|| format!("{samples} samples of {features} features"))
}

/// Whether this is the barcode of a cell, as sequencing pipelines write it: `AAACCTGAGAAACCAT-1`.
fn is_barcode(name: &str) -> bool {
    let is_base = |base: char| matches!(base, 'A' | 'C' | 'G' | 'T');
    name.split(['-', '.', '_']).any(|part| part.len() >= BARCODE && part.chars().all(is_base))
}
