//! Values on the command line: the library's names, and numbers with messages that say what is wrong.

use std::ops::RangeInclusive;

use clap::ValueEnum;
use emmf::graph::Weighting;
use emmf::preprocess::Normalize;
use emmf::synth::{ImageShape, Junk};
use emmf::{Init, LabelRule, Missing, Outliers, Solver, StopBy};
use emmf_io::Frequency;

use crate::tips::is_parameter;

/// An enum of the library under its names on the command line.
macro_rules! names {
    ($name:ident for $target:ty { $($(#[$said:meta])* $variant:ident => $value:expr),* $(,)? }) => {
        #[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$said])* $variant),* }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => $value),* }
            }
        }
    };
}

names!(SolverName for Solver { Mu => Solver::Mu, Hals => Solver::Hals });
names!(InitName for Init {
    Kmeans => Init::Kmeans, KmeansParallel => Init::KmeansParallel, Trimmed => Init::Trimmed, Random => Init::Random,
    #[value(alias = "nndsvda")]
    Nndsvd => Init::Nndsvd, Nndsvdar => Init::Nndsvdar, Graph => Init::Graph,
});
names!(JunkName for Option<Junk> {
    Huge => None, Scattered => Some(Junk::Scattered), Cluster => Some(Junk::Cluster), Long => Some(Junk::Long),
});
names!(OutliersName for Outliers { SetAside => Outliers::SetAside, Keep => Outliers::Keep });
names!(MissingName for Missing { Nan => Missing::Nan });
names!(LabelRuleName for LabelRule {
    #[value(alias = "raw")]
    Largest => LabelRule::Largest, Unit => LabelRule::Unit, Kmeans => LabelRule::Kmeans, KmeansRaw => LabelRule::KmeansRaw,
    Components => LabelRule::Components,
});
names!(GraphWeightsName for Weighting {
    Binary => Weighting::Binary, Heat => Weighting::Heat { width: None }, Cosine => Weighting::Cosine,
});
/// What a grid is judged by.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GridByName {
    /// By how many edges between nearest neighbours lie inside clusters; needs no classes.
    Modularity,
    /// By the agreement with the true classes, as in the paper's tables.
    Acc,
}

/// What a number of centroids is chosen for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChooseName {
    /// Groups that exist in the data.
    Clusters,
    /// Centroids that explain held-out values.
    Rank,
}

names!(StopByName for StopBy { Objective => StopBy::Objective, Coefficients => StopBy::Coefficients });
names!(NormalizeName for Option<Normalize> {
    Unit => Some(Normalize::Unit), Max => Some(Normalize::Max), Tfidf => Some(Normalize::Tfidf),
    Shift => Some(Normalize::Shift), Clip => Some(Normalize::Clip),
    L1 => Some(Normalize::L1), Counts => Some(Normalize::Counts), Log1p => Some(Normalize::Log1p),
    MinMax => Some(Normalize::MinMax), None => None,
});

/// How coefficients and centroids are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableName {
    /// Text, with names.
    Csv,
    /// Parquet, with names.
    Parquet,
    /// NumPy arrays.
    Npy,
    /// The AnnData file that was read, with the results in it.
    H5ad,
    /// Neither.
    None,
}

names!(ShellName for clap_complete::Shell {
    Bash => clap_complete::Shell::Bash, Zsh => clap_complete::Shell::Zsh, Fish => clap_complete::Shell::Fish,
});
names!(PlotKind for emmf_report::Kind {
    Convergence => emmf_report::Kind::Convergence, Residuals => emmf_report::Kind::Residuals,
    Centroids => emmf_report::Kind::Centroids, Tree => emmf_report::Kind::Tree, Embedding => emmf_report::Kind::Embedding,
});

pub(crate) fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it must be a whole number of at least 0".into())
}

pub(crate) fn minutes(text: &str) -> Result<f64, String> {
    let minutes: f64 = text.parse().map_err(|_| "it must be a number of minutes".to_owned())?;
    if minutes >= 0.0 && minutes.is_finite() { Ok(minutes) } else { Err("it must be at least 0".into()) }
}

pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "it must be a whole number of at least 0".into())
}

pub(crate) fn name_and_value(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("'{value}' is not a number"))?;
    // As in Python, where names have no hyphens.
    let meant = name.replace('_', "-");
    Ok((if is_parameter(&meant) { meant } else { name.into() }, value))
}

/// A number of texts, or a share of them with a decimal point.
pub(crate) fn frequency(text: &str) -> Result<Frequency, String> {
    if let Ok(count) = text.parse() {
        return Ok(Frequency::Count(count));
    }
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(Frequency::Share(share)),
        _ => Err("it must be a number of texts, or a share of them from 0.0 to 1.0".into()),
    }
}

/// A character, or the name of one that is hard to type.
pub(crate) fn separator(text: &str) -> Result<char, String> {
    match text {
        "tab" | "\\t" => return Ok('\t'),
        "space" => return Ok(' '),
        _ => {}
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ => Err("it must be one character, or tab or space".into()),
    }
}

/// `2GB`, `500 MB`, `1.5GiB` or a number of bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 13] = [
        ("", 1.0),
        ("b", 1.0),
        ("k", 1e3),
        ("kb", 1e3),
        ("kib", 1024.0),
        ("m", 1e6),
        ("mb", 1e6),
        ("mib", 1_048_576.0),
        ("g", 1e9),
        ("gb", 1e9),
        ("gib", 1_073_741_824.0),
        ("t", 1e12),
        ("tb", 1e12),
    ];
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let unit = unit.to_ascii_lowercase();
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| factor);
    let bytes = number.trim().parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor);
    match bytes {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("write it as 2GB, 500MB or 1.5GiB".into()),
    }
}

/// What images look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageForm {
    Auto,
    Shape(ImageShape),
}

pub(crate) fn image_form(text: &str) -> Result<ImageForm, String> {
    if text == "auto" {
        return Ok(ImageForm::Auto);
    }
    let (size, order) = text.split_once(',').unwrap_or((text, "row-major"));
    // Three numbers a pixel.
    let (size, colour) =
        size.strip_suffix("x3").filter(|size| size.contains('x')).map_or((size, false), |size| (size, true));
    let (height, width) = image_shape(size)?;
    let column_major = match order {
        "row-major" => false,
        "column-major" => true,
        _ => return Err(format!("'{order}' is not an order of pixels; write row-major or column-major")),
    };
    Ok(ImageForm::Shape(ImageShape { height, width, column_major, colour }))
}

/// How many clusters: a number, or to be chosen from a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clusters {
    Fixed(usize),
    Among(RangeInclusive<usize>),
}

/// The range of `-k auto`.
pub(crate) const AUTO: RangeInclusive<usize> = 2..=1000;

pub(crate) fn clusters(text: &str) -> Result<Clusters, String> {
    if text == "auto" {
        return Ok(Clusters::Among(AUTO));
    }
    let Some((low, high)) = text.split_once("..") else {
        return count(text)
            .map(Clusters::Fixed)
            .map_err(|_| "it must be a whole number of at least 1, auto, or a range such as 2..20".into());
    };
    match (count(low)?, count(high.trim_start_matches('='))?) {
        (low, high) if low >= 2 && low <= high => Ok(Clusters::Among(low..=high)),
        _ => Err("a range starts at 2 or more and must not fall, as in 2..20".into()),
    }
}

/// Widths of layers: numbers, or to be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layers {
    Fixed(Vec<usize>),
    Auto,
}

pub(crate) fn layers(text: &str) -> Result<Layers, String> {
    if text == "auto" {
        return Ok(Layers::Auto);
    }
    let widths = text.split(',').map(|width| width.trim().parse()).collect::<Result<Vec<usize>, _>>();
    widths.map(Layers::Fixed).map_err(|_| "it must be falling whole numbers, such as 60,20, or auto".into())
}

pub(crate) fn image_shape(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('x').and_then(|(h, w)| Some((h.parse().ok()?, w.parse().ok()?)));
    parsed.ok_or_else(|| format!("'{text}' is not a height and a width; write it as 16x16"))
}
