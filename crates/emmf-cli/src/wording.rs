//! Errors of the library in the words of the command line: the file, and options as they are typed.

use std::path::Path;

use anyhow::{Error, anyhow};
use emmf::Setting;
use emmf_io::{Advice, Limit, Problem, Remark};

use crate::input::{called, readable};
use crate::tips::is_parameter;

/// Parameters that are options of the same name.
const OPTIONS: [&str; 28] = [
    "method",
    "normalize",
    "missing",
    "solver",
    "graph",
    "clusters",
    "neighbours",
    "layers",
    "label_rule",
    "half_life",
    "share",
    "contamination",
    "epsilon",
    "exponent",
    "sweeps",
    "restarts",
    "consensus",
    "init_restarts",
    "max_iter",
    "tol",
    "time_limit",
    "threads",
    "device",
    "samples",
    "features",
    "outliers",
    "noise",
    "block",
];

/// An error about the data in `file`, or about the options.
pub(crate) fn explained(error: &emmf::Error, file: &Path) -> Error {
    let text = error.told(called_here);
    let file = called(file);
    match error {
        emmf::Error::Unknown { kind: "method", .. } => {
            anyhow!("{text} `emmf methods` lists them all")
        }
        emmf::Error::Unknown { kind: "parameter of this method", name, .. }
            if OPTIONS.contains(&name.replace('-', "_").as_str()) =>
        {
            let option = name.replace('_', "-");
            anyhow!("{name} is no parameter of this method, but an option of its own: --{option} VALUE")
        }
        emmf::Error::Constant { .. } => anyhow!("{file}: {text}; give data that vary"),
        emmf::Error::Param { .. }
        | emmf::Error::Unknown { .. }
        | emmf::Error::Threads { .. }
        | emmf::Error::Device { .. } => {
            anyhow!("{text}")
        }
        _ => anyhow!("{file}: {text}"),
    }
}

/// A setting of the library as it is typed.
fn called_here(setting: Setting<'_>) -> String {
    let called = option(setting.name).unwrap_or_else(|| setting.name.to_owned());
    setting.value.map_or_else(|| called.clone(), |value| format!("{called} {value}"))
}

/// A line about what was taken for granted, with the option that says otherwise.
pub(crate) fn remark(remark: &Remark, file: &Path) -> String {
    let hint = match remark {
        Remark::Names { column } => format!("; --drop '{column}' leaves it out altogether"),
        Remark::NamesOfTexts { .. } => "; --id NAME takes another column".into(),
        Remark::Ids { column } | Remark::Counts { column } => {
            format!("; if it is a feature, use --columns '{column},*'")
        }
        Remark::Rising { column } => {
            format!("; --id '{column}' takes it as names, --drop '{column}' leaves it out")
        }
        Remark::OtherNames { columns } => match &columns[..] {
            [one] => format!("; --id '{one}' names the samples by it, --text '{one}' counts its words"),
            _ => "; --id NAME names the samples by one of them, --text NAME counts its words".into(),
        },
        Remark::Texts { columns } => match &columns[..] {
            [one] => {
                format!("; --labels '{one}' compares the clusters with it, --text '{one}' counts its words")
            }
            _ => {
                "; --labels NAME compares the clusters with one of them, --text NAME counts its words".into()
            }
        },
        Remark::DecimalComma => "; if that is wrong, use --decimal .".into(),
        Remark::Colours => "; --color keeps the colours".into(),
        Remark::Part { .. } => "; --variable NAME chooses another".into(),
        _ => String::new(),
    };
    format!("{}: {remark}{hint}", called(file))
}

/// An error of a file, where the command line has other words for it than the library.
pub(crate) fn in_words(error: &Error) -> Option<String> {
    let found = error.chain().find_map(|cause| cause.downcast_ref::<emmf_io::Error>())?;
    let told = match &found.problem {
        Problem::Memory { what, needed, left, limit } => short_of_memory((what, *needed, *left), *limit),
        Problem::Idle { setting } => format!("{} is only for {}", typed(*setting), setting.meant_for()),
        problem => problem.to_string(),
    };
    let advice = found.problem.advice().map_or_else(String::new, |advice| format!("; {}", advised(&advice)));
    let around = error.chain().take_while(|cause| cause.downcast_ref::<emmf_io::Error>().is_none());
    let mut places: Vec<String> = around.map(ToString::to_string).collect();
    places.push(found.file.clone());
    Some(format!("{}: {told}{advice}", places.join(": ")))
}

fn short_of_memory((what, needed, left): (&str, u64, u64), limit: Limit) -> String {
    let (whose, advice) = match limit {
        Limit::Asked(_) => {
            ("--max-memory", "allow more, or save the data as .npy or .parquet, which are read")
        }
        Limit::Machine(_) => ("this machine", "save the data as .npy or .parquet, which --max-memory reads"),
    };
    let needed = match needed {
        u64::MAX => "more memory than can be counted".into(),
        needed => readable(needed),
    };
    format!(
        "{what} takes {needed}, but of the {} of {whose} only {} are left; {advice} in blocks of samples",
        readable(limit.bytes()),
        readable(left)
    )
}

/// The option that says how a file is read.
fn typed(setting: emmf_io::Setting) -> String {
    match setting {
        emmf_io::Setting::Delimiter => "--separator".into(),
        setting => format!("--{setting}"),
    }
}

/// What to do about a problem of a file, with the options as they are typed.
fn advised(advice: &Advice) -> String {
    match advice {
        Advice::Choose(setting) => format!("choose one with {} NAME", typed(*setting)),
        Advice::FillIn => {
            "fill in the missing value, remove the row or the column, or use --missing nan".into()
        }
        Advice::DecimalMark(mark) => format!("if this is a number with decimals, use --decimal {mark}"),
        Advice::Correct { column } => {
            format!("correct it, or leave the column out with --drop {}", quoted(column))
        }
        Advice::Names { column } => format!("use --id {}", quoted(column)),
        Advice::CountWords { column } => format!("--text {} counts its words", quoted(column)),
        Advice::MoreWords => "use --min-df 1, --max-df 1.0 or --stop-words none".into(),
        Advice::Fields => {
            "add or remove fields, quote fields that hold the separator, or name another one with --separator"
                .into()
        }
        Advice::Resize(height, width) => {
            format!("all must have the same size: use --resize {height}x{width} to resize them")
        }
        Advice::OtherImages => {
            "leave out --image and --resize, or give images of that height and width".into()
        }
        Advice::OtherLayout => {
            "leave --image out if the order is the same, otherwise reorder the pixels".into()
        }
        other => other.to_string(),
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// How a parameter of the library is set on the command line.
fn option(name: &str) -> Option<String> {
    match name {
        "k" | "classes" => Some("-k".into()),
        "params" => Some("--param".into()),
        "labels" => Some("--label-rule".into()),
        _ if OPTIONS.contains(&name) => Some(format!("--{}", name.replace('_', "-"))),
        _ if is_parameter(name) => Some(format!("--param {name}")),
        _ => None,
    }
}
