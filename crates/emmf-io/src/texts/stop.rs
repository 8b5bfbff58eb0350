//! Words that tell nothing, by the language of the texts.

use super::{StopWords, words};
use crate::error::{Problem, listed, nearest};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that are looked at to guess the language.
const LOOK: usize = 20_000;
/// In a text of its language, at least this share of the words are stop words.
const SHARE: f64 = 0.15;

/// The words to leave out, and the code of the language that they are of.
pub(super) struct Stop {
    pub(super) words: HashSet<String>,
    pub(super) language: Option<String>,
}

impl Stop {
    pub(super) fn none() -> Self {
        Self { words: HashSet::new(), language: None }
    }

    pub(super) fn new(wanted: &StopWords, texts: &[impl AsRef<str>]) -> Result<Self, Problem> {
        match wanted {
            StopWords::None => Ok(Self::none()),
            StopWords::Words(words) => {
                Ok(Self { words: words.iter().map(|word| word.to_lowercase()).collect(), language: None })
            }
            StopWords::Language(code) => Self::of(code).ok_or_else(|| unknown(code)),
            StopWords::Auto => Ok(guessed(texts).and_then(Self::of).unwrap_or_else(Self::none)),
        }
    }

    fn of(code: &str) -> Option<Self> {
        // A word with an apostrophe is two to us.
        let words = stop_words::lookup(code)?.iter().flat_map(|word| words(word)).collect();
        Some(Self { words, language: Some(code.to_owned()) })
    }
}

fn unknown(code: &str) -> Problem {
    let known = || stop_words::available_languages().iter().copied();
    Problem::NoSuchVariable {
        kind: "list of stop words",
        wanted: code.into(),
        nearest: nearest(code, known()),
        available: listed(known()),
    }
}

/// The stop words of every language, made once. Longer codes are of mixtures of languages, which contain the whole list of
/// one of them.
static LISTS: LazyLock<Vec<(&str, HashSet<String>)>> = LazyLock::new(|| {
    let languages = stop_words::available_languages().iter().filter(|code| code.len() == 2);
    let list = |code: &&'static str| {
        let words = stop_words::lookup(code).unwrap_or_default().iter().flat_map(|word| words(word));
        (*code, words.collect())
    };
    languages.map(list).collect()
});

/// The language most of whose stop words are in the texts.
fn guessed(texts: &[impl AsRef<str>]) -> Option<&'static str> {
    let seen: Vec<String> = texts.iter().flat_map(|text| words(text.as_ref())).take(LOOK).collect();
    let share = |stop: &HashSet<String>| {
        seen.iter().filter(|word| stop.contains(*word)).count() as f64 / seen.len().max(1) as f64
    };
    let shares = LISTS.iter().map(|(code, stop)| (share(stop), *code));
    let best = shares.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= SHARE).then_some(best.1)
}
