//! Texts as samples: how often each word occurs, sparse.
//!
//! A word is a run of letters and digits, in lower case, of at least two characters and with a letter in it. Stop words
//! are left out. In a collection of more than ten texts, words of a single text tell nothing about others, and words of
//! more than half of the texts tell nothing apart: neither counts, unless the options say otherwise.

mod stop;

use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers, text_bytes};
use crate::error::{Error, Problem};
use crate::read;
use crate::remark::Remark;
use emmf::Csr;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// At most this many words unless told otherwise: those that occur in the most texts.
const MOST_WORDS: usize = 50_000;
/// Bytes beside the text of a word: its count, and three times its place in the matrix while that is made.
const ENTRY: u64 = 8 + 3 * 24;
/// Collections up to this size keep every word.
const FEW: usize = 10;

/// Words that tell nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StopWords {
    /// Those of the language that the texts seem to be in.
    #[default]
    Auto,
    /// None.
    None,
    /// Those of a language, by its code: `en`, `de`.
    Language(String),
    /// These.
    Words(Vec<String>),
}

/// A number of texts, or a share of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frequency {
    /// So many.
    Count(usize),
    /// So large a share.
    Share(f64),
}

impl Frequency {
    fn of(self, texts: usize) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Share(share) => share * texts as f64,
        }
    }
}

/// How words are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct TextOptions {
    /// Words that are left out.
    pub stop_words: StopWords,
    /// Words of fewer texts are left out. By default 2 texts, in collections of more than ten.
    pub min_df: Option<Frequency>,
    /// Words of more texts are left out. By default half of them, in collections of more than ten.
    pub max_df: Option<Frequency>,
    /// Up to so many words in a row count as one, too.
    pub ngrams: usize,
    /// At most so many words: those that occur in the most texts.
    pub most_words: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { stop_words: StopWords::Auto, min_df: None, max_df: None, ngrams: 1, most_words: MOST_WORDS }
    }
}

/// Texts as they are, with what goes with them.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) all: Vec<String>,
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) names: Option<Vec<String>>,
    /// Where the names are from, if nobody asked for them.
    pub(crate) remark: Option<Remark>,
}

/// The content of a text file; bytes that are no UTF-8 become replacement characters.
pub(crate) fn load(path: &Path, budget: &Budget) -> Result<String, Error> {
    let (bytes, _) = read::load(path, budget)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The words of texts, how often each occurs in each, and what is worth telling about them.
pub(crate) struct Counted {
    pub(crate) x: Numbers,
    pub(crate) words: Vec<String>,
    pub(crate) remark: Option<Remark>,
}

/// How often each word occurs in each text: those of the `vocabulary`, or the ones found.
pub(crate) fn count(
    texts: &[impl AsRef<str>],
    (vocabulary, options): (Option<&[String]>, &TextOptions),
    (dtype, budget): (Option<Dtype>, &Budget),
) -> Result<Counted, Problem> {
    let known = |words: &[String]| words.iter().map(|word| 1 + word.matches(' ').count()).max();
    let ngrams = vocabulary.and_then(known).unwrap_or(options.ngrams);
    let stop = match vocabulary {
        // What a model knows is what counts.
        Some(_) => stop::Stop::none(),
        None => stop::Stop::new(&options.stop_words, texts)?,
    };
    let counted = |text| {
        let words = words_of(text, ngrams, &stop.words);
        let bytes = words.keys().map(|word| text_bytes(word) + ENTRY).sum();
        budget.take(Some(bytes), "the words of the texts").map(|()| words)
    };
    let counts = texts.iter().map(|text| counted(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let (words, found) = match vocabulary {
        Some(words) => (words.to_vec(), None),
        None => choose(&counts, options),
    };
    if let (true, Some(of @ 1..)) = (words.is_empty(), found) {
        return Err(Problem::NoWords { of });
    }
    if texts.is_empty() || words.is_empty() {
        return Err(Problem::Empty { rows: texts.len(), cols: words.len() });
    }
    let place: HashMap<&str, usize> = words.iter().enumerate().map(|(j, word)| (word.as_str(), j)).collect();
    let entries = counts.iter().enumerate().flat_map(|(i, words)| {
        let known = words.iter().filter_map(|(word, count)| Some((*place.get(word.as_str())?, *count)));
        known.map(move |(j, count)| (i, j, count)).collect::<Vec<_>>()
    });
    let x = Csr::<f64>::from_triplets((texts.len(), words.len()), entries.collect())?;
    let x = if dtype == Some(Dtype::F32) { x.cast::<f32>().into() } else { x.into() };
    let remark = found.map(|of| Remark::Words { kept: words.len(), of, language: stop.language });
    Ok(Counted { x, words, remark })
}

/// The words of a text, and rows of up to so many of them, without those in which there is a stop word.
fn words_of(text: &str, ngrams: usize, stop: &HashSet<String>) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    let words: Vec<String> = words(text).collect();
    for length in 1..=ngrams {
        for row in words.windows(length).filter(|row| !row.iter().any(|word| stop.contains(word))) {
            *counts.entry(row.join(" ")).or_insert(0.0) += 1.0;
        }
    }
    counts
}

/// The words of a text in their order.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_word = |word: &&str| word.chars().nth(1).is_some() && word.chars().any(char::is_alphabetic);
    text.split(|c: char| !c.is_alphanumeric()).filter(is_word).map(str::to_lowercase)
}

/// The words that tell something, in alphabetic order, and how many different ones there are.
fn choose(counts: &[BTreeMap<String, f64>], options: &TextOptions) -> (Vec<String>, Option<usize>) {
    let mut texts_with: HashMap<&str, usize> = HashMap::new();
    counts.iter().flat_map(BTreeMap::keys).for_each(|word| *texts_with.entry(word).or_insert(0) += 1);
    let (n, of) = (counts.len(), texts_with.len());
    let few = n <= FEW;
    let least = options.min_df.map_or(if few { 1.0 } else { 2.0 }, |least| least.of(n));
    let most = options.max_df.map_or(if few { n as f64 } else { 0.5 * n as f64 }, |most| most.of(n));
    let tells = |count: usize| (least..=most).contains(&(count as f64));
    let mut words: Vec<(&str, usize)> = texts_with.into_iter().filter(|(_, count)| tells(*count)).collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(options.most_words);
    let mut words: Vec<String> = words.into_iter().map(|(word, _)| word.to_owned()).collect();
    words.sort();
    (words, Some(of))
}

/// The beginning of a text, to show it.
pub(crate) fn beginning(text: &str) -> String {
    const SHOWN: usize = 200;
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(SHOWN) {
        words.truncate(end);
        words.push('…');
    }
    words
}
