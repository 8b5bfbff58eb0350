//! Where a result comes from: the settings and the data of its run, as they stand beside it in the file of results.
//!
//! A result is taken for that of a run only where both are the same, so that results of other settings are never mixed
//! in. The settings can be read, so that a message can say which one differs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use emmf::{Init, Spec};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::experiment::{Contamination, as_in_the_paper};
use crate::plan::{Case, Plan};
use crate::sets;

/// Bytes of the hash of a file: enough that two files never share them by chance.
const BYTES: usize = 8;
/// What is not a setting: the data decide, every run has its own, or results do not depend on it.
const NO_SETTINGS: [&str; 3] = ["k", "seed", "polish"];
/// Settings that are always written down, though most experiments leave them as they are.
const ALWAYS: [&str; 2] = ["max_iter", "method"];

/// Where a result comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The run as it was really made: `max_iter = 100; method = emmf; …`. What is not named is as the library has it.
    pub(crate) settings: String,
    /// The beginning of the SHA-256 of each file that it read.
    pub(crate) data: String,
}

/// The beginning of the SHA-256 of a file.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let first = Sha256::digest(bytes).iter().take(BYTES).fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
    format!("{first:016x}")
}

impl Plan {
    /// The settings of a run.
    pub(crate) fn settings(&self, case: &Case) -> Result<String, String> {
        let text = |error: serde_json::Error| error.to_string();
        let spec = self.spec(case, 1)?;
        let plain = Spec::new(spec.method.clone(), 1).init(Init::Kmeans).init_restarts(1);
        let plain = of(&Spec { graph: None, ..as_in_the_paper(plain) }).map_err(text)?;
        let own_graph = !self.method(case).spec.contains_key("graph");
        let mut settings = of(&spec).map_err(text)?;
        settings.retain(|name, value| {
            let own = own_graph && name.starts_with("graph.");
            let is_setting = !(own || NO_SETTINGS.contains(&name.as_str()));
            ALWAYS.contains(&name.as_str()) || (is_setting && plain.get(name) != Some(value))
        });
        if self.method(case).is_start() {
            settings.insert("method".into(), "the start alone".into());
        }
        settings.insert("precision".into(), self.runs.precision.name().into());
        let done = &self.contaminations[case.contamination];
        let done = of(done).map_err(text)?.into_iter().filter(|_| *done != Contamination::None);
        settings.extend(done.map(|(name, value)| (format!("contamination.{name}"), value)));
        let settings: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        Ok(settings.join("; "))
    }

    /// The names of the files that a run reads.
    pub(crate) fn files(&self, case: &Case) -> Vec<&str> {
        let foreign = match &self.contaminations[case.contamination] {
            Contamination::Foreign { data, .. } => Some(data.as_str()),
            _ => None,
        };
        std::iter::once(self.runs.data[case.data].as_str()).chain(foreign).collect()
    }
}

/// Names and values of everything in it; parts of parts with a dot between.
fn of(value: &impl Serialize) -> serde_json::Result<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    flatten(String::new(), serde_json::to_value(value)?, &mut settings);
    Ok(settings)
}

fn flatten(name: String, value: Value, settings: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(parts) => {
            for (part, value) in parts {
                let dot = if name.is_empty() { "" } else { "." };
                flatten(format!("{name}{dot}{part}"), value, settings);
            }
        }
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            settings.insert(name, parts.join(" "));
        }
        value => {
            settings.insert(name, shown(&value));
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Which settings differ, in words.
pub(crate) fn difference(made: &str, now: &str) -> String {
    let named = |settings: &str| -> BTreeMap<String, String> {
        let pairs = settings.split("; ").filter_map(|pair| pair.split_once(" = "));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let (made, now) = (named(made), named(now));
    let names: BTreeSet<&String> = made.keys().chain(now.keys()).collect();
    let value = |settings: &BTreeMap<String, String>, name: &str| {
        settings.get(name).cloned().unwrap_or_else(|| "left out".into())
    };
    let differing = names.into_iter().filter(|name| made.get(*name) != now.get(*name));
    let told: Vec<String> = differing
        .map(|name| format!("with {name} = {}, but now it is {}", value(&made, name), value(&now, name)))
        .collect();
    if told.is_empty() { "with other settings".into() } else { told.join(", ") }
}

/// The hashes of the files that are there, each looked up once.
pub(crate) struct Hashes<'a> {
    folder: &'a Path,
    known: HashMap<String, Option<String>>,
}

impl<'a> Hashes<'a> {
    /// Of data sets in this folder.
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, known: HashMap::new() }
    }

    /// What a run that reads these files has as its data; nothing where one of them cannot be read.
    pub(crate) fn of(&mut self, files: &[&str]) -> Option<String> {
        let hashes = files.iter().map(|name| {
            let read = || std::fs::read(sets::path(name, self.folder)).ok().map(|bytes| hash(&bytes));
            self.known.entry((*name).to_owned()).or_insert_with(read).clone()
        });
        Some(hashes.collect::<Option<Vec<String>>>()?.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::{difference, hash};
    use crate::experiment::{Experiment, Kind};
    use crate::plan::Plan;

    fn plan(max_iter: usize, contamination: &str) -> Plan {
        let text = format!(
            "name = \"x\"\ntitle = \"x\"\ndata = [\"a.npz\"]\nseeds = 1\nmax_iter = {max_iter}\n\
             [[method]]\nlabel = \"G\"\nspec = {{ method = \"gnmf\", graph = {{ neighbours = 7 }} }}\n\
             grid = {{ lambda = [10.0] }}\n[[contamination]]\n{contamination}"
        );
        let Ok(Experiment { kind: Kind::Runs(runs), .. }) = Experiment::parse("x", &text) else {
            unreachable!("an experiment of runs")
        };
        Plan::new(runs).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn settings_are_those_of_the_run_as_it_is_made() {
        let settings = |plan: &Plan| plan.settings(&plan.cases[0]).unwrap_or_default();
        let clean = plan(9, "kind = \"none\"");
        assert_eq!(
            settings(&clean),
            "graph.kind = knn; graph.neighbours = 7; graph.weighting = binary; max_iter = 9; method = gnmf; \
             normalize = unit; params.lambda = 10.0; precision = f64"
        );
        let foreign = plan(10, "kind = \"foreign\"\nshare = 0.1\ndata = \"b.npz\"");
        assert_eq!(foreign.files(&foreign.cases[0]), ["a.npz", "b.npz"]);
        assert_eq!(
            difference(&settings(&clean), &settings(&foreign)),
            "with contamination.data = left out, but now it is b.npz, \
             with contamination.kind = left out, but now it is foreign, \
             with contamination.share = left out, but now it is 0.1, with max_iter = 9, but now it is 10"
        );
    }

    #[test]
    fn a_hash_is_that_of_every_other_tool() {
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea");
    }
}
