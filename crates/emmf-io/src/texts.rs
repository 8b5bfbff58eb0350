//! Texts as samples: how often each word occurs, sparse.
//!
//! A word is a run of letters and digits, in lower case, of at least two characters and with a letter in it. In a
//! collection of more than ten texts, words of a single text tell nothing about others, and words of more than
//! half of the texts tell nothing apart: neither counts.

use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers, text_bytes};
use crate::error::{Error, Problem};
use crate::read;
use emmf::Csr;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// At most this many words: those that occur in the most texts.
const MOST_WORDS: usize = 50_000;
/// Bytes beside the text of a word: its count, and three times its place in the matrix while that is made.
const ENTRY: u64 = 8 + 3 * 24;
/// Collections up to this size keep every word.
const FEW: usize = 10;

/// The content of a text file; bytes that are no UTF-8 become replacement characters.
pub(crate) fn load(path: &Path, budget: &Budget) -> Result<String, Error> {
    let (bytes, _) = read::load(path, budget)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// How often each word occurs in each text, and the words: those of the `vocabulary`, or the ones found.
pub(crate) fn count(
    texts: &[impl AsRef<str>],
    vocabulary: Option<&[String]>,
    (dtype, budget): (Option<Dtype>, &Budget),
) -> Result<(Numbers, Vec<String>), Problem> {
    let counted = |text| {
        let words = words_of(text);
        let bytes = words.keys().map(|word| text_bytes(word) + ENTRY).sum();
        budget.take(Some(bytes), "the words of the texts").map(|()| words)
    };
    let counts = texts.iter().map(|text| counted(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let vocabulary = vocabulary.map_or_else(|| choose(&counts), <[String]>::to_vec);
    if texts.is_empty() || vocabulary.is_empty() {
        return Err(Problem::Empty { rows: texts.len(), cols: vocabulary.len() });
    }
    let place: HashMap<&str, usize> =
        vocabulary.iter().enumerate().map(|(j, word)| (word.as_str(), j)).collect();
    let entries = counts.iter().enumerate().flat_map(|(i, words)| {
        let known = words.iter().filter_map(|(word, count)| Some((*place.get(word.as_str())?, *count)));
        known.map(move |(j, count)| (i, j, count)).collect::<Vec<_>>()
    });
    let x = Csr::<f64>::from_triplets((texts.len(), vocabulary.len()), entries.collect())?;
    Ok((if dtype == Some(Dtype::F32) { x.cast::<f32>().into() } else { x.into() }, vocabulary))
}

fn words_of(text: &str) -> BTreeMap<String, f64> {
    let mut words = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.chars().nth(1).is_some() && word.chars().any(char::is_alphabetic) {
            *words.entry(word.to_lowercase()).or_insert(0.0) += 1.0;
        }
    }
    words
}

/// The words that tell something, in alphabetic order.
fn choose(counts: &[BTreeMap<String, f64>]) -> Vec<String> {
    let mut texts_with: HashMap<&str, usize> = HashMap::new();
    counts.iter().flat_map(BTreeMap::keys).for_each(|word| *texts_with.entry(word).or_insert(0) += 1);
    let n = counts.len();
    let tells = |count: usize| n <= FEW || (count > 1 && 2 * count <= n);
    let mut words: Vec<(&str, usize)> = texts_with.into_iter().filter(|(_, count)| tells(*count)).collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(MOST_WORDS);
    let mut words: Vec<String> = words.into_iter().map(|(word, _)| word.to_owned()).collect();
    words.sort();
    words
}
