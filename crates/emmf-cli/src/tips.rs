//! What is meant by options that this program does not have and others do.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use emmf::registry::{GRAPH_PARAMS, LAYER_PARAMS, METHODS, PENALTY_PARAMS};

/// Adds to an error of the command line how what was asked for is typed here.
pub(crate) fn give(error: &mut clap::Error) {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let tip = match (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue)) {
        (arg, "custom") if arg.starts_with("--init") => {
            Some("'--start FILE' gives the factors to start from".to_owned())
        }
        (arg, "") => arg.strip_prefix("--").and_then(of_option),
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
}

/// What other programs call an option, and what it is here.
const ELSEWHERE: [(&str, &str); 7] = [
    ("n-components", "k"),
    ("components", "k"),
    ("rank", "k"),
    ("random-state", "seed"),
    ("n-jobs", "threads"),
    ("jobs", "threads"),
    ("n-neighbors", "neighbours"),
];

/// What an option of other programs is here.
pub(crate) fn called_here(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    ELSEWHERE.iter().find(|(there, _)| *there == name).map(|(_, here)| *here)
}

fn of_option(name: &str) -> Option<String> {
    let name = name.to_lowercase().replace('_', "-");
    if name == "beta-loss" {
        return Some(
            "'--method nmf-div' minimises the Kullback-Leibler divergence, '--method beta-nmf --param beta=VALUE' \
             any other"
                .into(),
        );
    }
    if let Some(here) = called_here(&name) {
        let dashes = if here.len() == 1 { "-" } else { "--" };
        return Some(format!("it is '{dashes}{here}' here"));
    }
    is_parameter(&name).then(|| format!("a parameter of the method is set by '--param {name}=VALUE'"))
}

/// Whether a method has a parameter of this name.
pub(crate) fn is_parameter(name: &str) -> bool {
    let own = METHODS.iter().flat_map(|method| method.params);
    own.chain(GRAPH_PARAMS).chain(LAYER_PARAMS).chain(PENALTY_PARAMS).any(|param| param.name == name)
}
