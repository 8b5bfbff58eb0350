//! What a case is, and what is said about it.

use crate::Random;

/// How the program answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// With a result.
    Taken,
    /// With an error that says why.
    Refused,
}

/// The answer, or what is wrong with it.
pub type Verdict = Result<Answer, String>;

/// One input and what has to hold for it.
pub trait Case {
    /// Hands it to the program and looks at what comes back.
    fn check(&self) -> Verdict;

    /// What it is, in words.
    fn show(&self) -> String;

    /// The bytes of its file.
    fn bytes(&self) -> Vec<u8>;
}

/// One part of the program, and the cases that are made for it.
#[derive(Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// What it tries.
    pub about: &'static str,
    pub(crate) make: fn(&mut Random) -> Box<dyn Case>,
}

impl Target {
    /// The case with this number.
    pub fn case(&self, number: u64) -> Box<dyn Case> {
        (self.make)(&mut Random::of(self.name, number))
    }
}

/// The verdict on a refusal: it must say something, and name what is to blame where that has a name.
pub(crate) fn refused(error: &impl std::fmt::Display, blamed: &str) -> Verdict {
    let text = error.to_string();
    if text.chars().filter(|c| c.is_alphabetic()).count() < 10 {
        return Err(format!("an error that says nothing: {text:?}"));
    }
    if !text.contains(blamed) {
        return Err(format!("an error that does not name {blamed:?}: {text:?}"));
    }
    Ok(Answer::Refused)
}
