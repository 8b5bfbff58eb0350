//! Arguments of which completion offers some values, and others are taken as well.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use emmf::registry::{GRAPH_PARAMS, LAYER_PARAMS, METHODS, PENALTY_PARAMS};

use crate::values::name_and_value;

/// Any text; some are offered.
#[derive(Clone)]
pub(crate) struct Offered(Vec<&'static str>);

impl Offered {
    /// The methods, which completion offers. A name that is not among them gets the nearest one from the library.
    pub(crate) fn methods() -> Self {
        Self(METHODS.iter().map(|entry| entry.name).collect())
    }
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|name| PossibleValue::new(*name))))
    }
}

/// An experiment: any file; those of the paper are offered.
#[derive(Clone)]
pub(crate) struct ExperimentFile;

impl TypedValueParser for ExperimentFile {
    type Value = PathBuf;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<PathBuf, clap::Error> {
        clap::builder::PathBufValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(emmf_bench::experiment_names().into_iter().map(PossibleValue::new)))
    }
}

/// A parameter of a method and its value; completion offers the names.
#[derive(Clone)]
pub(crate) struct OwnParam;

impl TypedValueParser for OwnParam {
    type Value = (String, f64);

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<(String, f64), clap::Error> {
        (name_and_value as fn(&str) -> Result<(String, f64), String>).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let of_methods = METHODS.iter().flat_map(|entry| entry.params);
        let all = of_methods.chain(GRAPH_PARAMS).chain(LAYER_PARAMS).chain(PENALTY_PARAMS);
        let names: BTreeSet<&str> = all.map(|param| param.name).collect();
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}
