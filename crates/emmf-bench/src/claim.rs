//! What the paper says, and what was found: sentences with numbers.

use emmf_report::Block;

/// What the paper says, and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The statement; of the paper where there is a verdict.
    pub says: String,
    /// What was found, with numbers.
    pub found: String,
    /// Whether the statement holds.
    pub verdict: Verdict,
}

/// Whether a statement holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everywhere that was looked at.
    Holds,
    /// In some places.
    Partly,
    /// Nowhere, or against the numbers.
    Fails,
    /// Not a statement of the paper.
    Beside,
}

impl Verdict {
    /// Of something that is so in `held` of `all` places.
    pub fn of(held: usize, all: usize) -> Self {
        match held {
            0 => Self::Fails,
            held if held == all => Self::Holds,
            _ => Self::Partly,
        }
    }

    /// In a word or two.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "Holds",
            Self::Partly => "Holds in part",
            Self::Fails => "Does not hold",
            Self::Beside => "Beyond the paper",
        }
    }
}

impl Claim {
    /// A statement of the paper.
    pub(crate) fn new(verdict: Verdict, says: impl Into<String>, found: impl Into<String>) -> Self {
        Self { says: says.into(), found: found.into(), verdict }
    }

    /// Something that the paper does not speak of.
    pub(crate) fn beside(says: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(Verdict::Beside, says, found)
    }

    /// As a point of a list.
    pub fn sentence(&self) -> String {
        let who = if self.verdict == Verdict::Beside { "" } else { "The paper: " };
        format!("**{}.** {who}{} {}", self.verdict.text(), self.says, self.found)
    }
}

/// All claims as a list with its heading; nothing where there are none.
pub(crate) fn blocks(claims: &[Claim]) -> Vec<Block> {
    if claims.is_empty() {
        return Vec::new();
    }
    vec![Block::Part("What holds".into()), Block::List(claims.iter().map(Claim::sentence).collect())]
}
