//! Short reviews.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Amount;
use crate::error::Result;

const CLASSES: [&str; 4] = ["restaurant", "laptop", "hotel", "film"];
/// What is talked about, and what is said of it.
const WORDS: [[&[&str]; 2]; 4] = [
    [
        &[
            "soup", "waiter", "dessert", "menu", "steak", "salad", "wine", "kitchen", "bread", "sauce",
            "chef", "dinner",
        ],
        &["tasty", "spicy", "fresh", "overcooked", "delicious", "salty", "tender", "bland"],
    ],
    [
        &[
            "screen",
            "battery",
            "keyboard",
            "charger",
            "processor",
            "touchpad",
            "fan",
            "laptop",
            "memory",
            "webcam",
            "hinge",
            "software",
        ],
        &["fast", "noisy", "sharp", "sluggish", "bright", "hot", "responsive", "flimsy"],
    ],
    [
        &[
            "room",
            "bed",
            "lobby",
            "pool",
            "balcony",
            "reception",
            "shower",
            "towels",
            "elevator",
            "pillow",
            "view",
            "parking",
        ],
        &["clean", "spacious", "dusty", "quiet", "comfortable", "cramped", "sunny", "shabby"],
    ],
    [
        &[
            "plot",
            "actor",
            "scene",
            "director",
            "ending",
            "dialogue",
            "camera",
            "music",
            "character",
            "script",
            "sequel",
            "cinema",
        ],
        &["thrilling", "predictable", "funny", "moving", "tedious", "clever", "gripping", "shallow"],
    ],
];
/// Words of every review.
const OPENINGS: [&str; 6] =
    ["Honestly,", "On the whole", "I must say that", "This time", "To my surprise", "As expected,"];
const CLOSINGS: [&str; 4] =
    ["Would come back.", "Not worth the money.", "Highly recommended.", "Good, but expensive."];
/// Words of other texts: a log, a poem, a letter of a lawyer.
const STRANGE: [&[&str]; 3] = [
    &["error", "timeout", "socket", "retry", "null", "thread", "exception", "kernel", "packet", "checksum"],
    &["moon", "whisper", "shadow", "river", "autumn", "silver", "sorrow", "wander", "star", "lament"],
    &[
        "plaintiff",
        "clause",
        "hereby",
        "pursuant",
        "liability",
        "statute",
        "tenant",
        "notary",
        "breach",
        "hearing",
    ],
];
/// Sentences of a review, beside its first and last words.
const SENTENCES: usize = 4;

/// Texts whose classes and outliers are known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Texts {
    /// The texts.
    pub texts: Vec<String>,
    /// The class of each text, from 0; outliers get the number of classes.
    pub labels: Vec<usize>,
    /// Whether the text is an outlier.
    pub outlier: Vec<bool>,
    /// The names of the classes.
    pub classes: Vec<&'static str>,
}

/// Reviews of restaurants, laptops, hotels and films, a few sentences each. Outliers are texts that are not reviews: in turn lines
/// of a log, of a poem and of a lawyer's letter, each with a few words of a review.
pub fn texts(amount: &Amount) -> Result<Texts> {
    let (labels, outlier) = amount.truth(CLASSES.len())?;
    let mut random = amount.random();
    let text = |(at, &class): (usize, &usize)| match WORDS.get(class) {
        Some(words) => review(words, &mut random),
        None => strange(at - amount.samples, &mut random),
    };
    let texts = labels.iter().enumerate().map(text).collect();
    Ok(Texts { texts, labels, outlier, classes: CLASSES.to_vec() })
}

fn review(words: &[&[&str]; 2], random: &mut Xoshiro256PlusPlus) -> String {
    let sentence = |random: &mut Xoshiro256PlusPlus| {
        let [thing, other] = [(); 2].map(|()| one_of(words[0], random));
        let [how, too] = [(); 2].map(|()| one_of(words[1], random));
        match random.random_range(0..3) {
            0 => format!("the {thing} was {how} and the {other} {too}."),
            1 => format!("the {thing} seemed {how}, unlike the {other}."),
            _ => format!("we found the {thing} {how} but the {other} rather {too}."),
        }
    };
    let opening = one_of(&OPENINGS, random).to_owned();
    let body: Vec<String> = (0..SENTENCES).map(|_| sentence(random)).collect();
    format!("{opening} {} {}", body.join(" "), one_of(&CLOSINGS, random))
}

fn strange(at: usize, random: &mut Xoshiro256PlusPlus) -> String {
    let known = WORDS[at % WORDS.len()][0];
    let word =
        |place: usize| one_of(if place % 5 == 4 { known } else { STRANGE[at % STRANGE.len()] }, random);
    (0..4 * SENTENCES).map(word).collect::<Vec<_>>().join(" ")
}

fn one_of<'a>(words: &[&'a str], random: &mut Xoshiro256PlusPlus) -> &'a str {
    words[random.random_range(0..words.len())]
}
