//! Errors of the library in the words of the command line: the file, and options as they are typed.

use std::path::Path;

use anyhow::{Error, anyhow};
use emmf::registry::METHODS;

/// Parameters that are options of the same name.
const OPTIONS: [&str; 16] = [
    "share",
    "contamination",
    "epsilon",
    "exponent",
    "sweeps",
    "restarts",
    "init_restarts",
    "max_iter",
    "tol",
    "time_limit",
    "threads",
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
    };
    let text = typed(error.to_string());
    let file = if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() };
    match error {
        emmf::Error::Param { name, got, must } => match option(name) {
            Some(option) => anyhow!("{option} is {got}, but must be {}", typed(must.clone())),
            None => anyhow!("{text}"),
        },
        emmf::Error::Unknown { kind: "method", .. } => {
            anyhow!("{text} `emmf methods` lists them all")
        }
        emmf::Error::Constant { .. } => anyhow!("{file}: {text}; give data that vary"),
        emmf::Error::Unknown { .. } | emmf::Error::Threads { .. } => anyhow!("{text}"),
        _ => anyhow!("{file}: {text}"),
    }
}

/// How a parameter of the library is set on the command line.
fn option(name: &str) -> Option<String> {
    let of_a_method = || METHODS.iter().flat_map(|method| method.params).any(|param| param.name == name);
    match name {
        "k" | "classes" => Some("-k".into()),
        "params" => Some("--param".into()),
        "solver" => Some("--solver".into()),
        "graph" => Some("--graph".into()),
        "neighbours" => Some("--neighbors".into()),
        _ if OPTIONS.contains(&name) => Some(format!("--{}", name.replace('_', "-"))),
        _ if of_a_method() => Some(format!("--param {name}")),
        _ => None,
    }
}
