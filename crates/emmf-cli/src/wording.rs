//! Errors of the library in the words of the command line: the file, and options as they are typed.

use std::path::Path;

use anyhow::{Error, anyhow};
use emmf::registry::{GRAPH_PARAMS, LAYER_PARAMS, METHODS, PENALTY_PARAMS};
use emmf_io::{Limit, Remark};

use crate::input::{called, readable};

/// Parameters that are options of the same name.
const OPTIONS: [&str; 21] = [
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
    let typed = |text: String| {
        text.replace("normalize = ", "--normalize ")
            .replace("solver = ", "--solver ")
            .replace("missing = ", "--missing ")
            .replace("time_limit was", "--time-limit was")
            .replace("for example emmf", "for example --method emmf")
    };
    let text = typed(error.to_string());
    let file = called(file);
    match error {
        emmf::Error::Param { name, got, must } => match option(name) {
            Some(option) => anyhow!("{option} is {got}, but must be {}", typed(must.clone())),
            None => anyhow!("{text}"),
        },
        emmf::Error::Unknown { kind: "method", .. } => {
            anyhow!("{text} `emmf methods` lists them all")
        }
        emmf::Error::Constant { .. } => anyhow!("{file}: {text}; give data that vary"),
        emmf::Error::Unknown { .. } | emmf::Error::Threads { .. } | emmf::Error::Device { .. } => {
            anyhow!("{text}")
        }
        _ => anyhow!("{file}: {text}"),
    }
}

/// A line about what was taken for granted, with the option that says otherwise.
pub(crate) fn remark(remark: &Remark, file: &Path) -> String {
    let hint = match remark {
        Remark::Names { column } => format!("; --drop '{column}' leaves it out altogether"),
        Remark::Counts { column } => format!("; if it is a feature, use --columns '{column},*'"),
        Remark::Texts { columns } => match &columns[..] {
            [one] => {
                format!("; --labels '{one}' compares the clusters with it, --text '{one}' counts its words")
            }
            _ => {
                "; --labels NAME compares the clusters with one of them, --text NAME counts its words".into()
            }
        },
        Remark::DecimalComma => "; if that is wrong, use --decimal .".into(),
        Remark::Part { .. } => "; --variable NAME chooses another".into(),
        _ => String::new(),
    };
    format!("{}: {remark}{hint}", called(file))
}

/// An error of reading, where the command line has other words for it than the library.
pub(crate) fn in_words(error: &Error) -> Option<String> {
    let error = error.downcast_ref::<emmf_io::Error>()?;
    let emmf_io::Problem::Memory { what, needed, left, limit } = &error.problem else { return None };
    let (whose, advice) = match limit {
        Limit::Asked(_) => {
            ("--max-memory", "allow more, or save the data as .npy or .parquet, which are read")
        }
        Limit::Machine(_) => ("this machine", "save the data as .npy or .parquet, which --max-memory reads"),
    };
    let needed = match *needed {
        u64::MAX => "more memory than can be counted".into(),
        needed => readable(needed),
    };
    Some(format!(
        "{}: {what} takes {needed}, but of the {} of {whose} only {} are left; {advice} in blocks of samples",
        error.file,
        readable(limit.bytes()),
        readable(*left)
    ))
}

/// How a parameter of the library is set on the command line.
fn option(name: &str) -> Option<String> {
    let of_a_method = || {
        let own = METHODS.iter().flat_map(|method| method.params);
        own.chain(GRAPH_PARAMS).chain(LAYER_PARAMS).chain(PENALTY_PARAMS).any(|param| param.name == name)
    };
    match name {
        "k" | "classes" => Some("-k".into()),
        "params" => Some("--param".into()),
        "solver" => Some("--solver".into()),
        "graph" => Some("--graph".into()),
        "clusters" => Some("--clusters".into()),
        "neighbours" => Some("--neighbors".into()),
        "labels" => Some("--label-rule".into()),
        _ if OPTIONS.contains(&name) => Some(format!("--{}", name.replace('_', "-"))),
        _ if of_a_method() => Some(format!("--param {name}")),
        _ => None,
    }
}
