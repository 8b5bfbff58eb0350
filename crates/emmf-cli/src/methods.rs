//! `emmf methods`: the registry, one line each, or one method in full.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args as ClapArgs;
use emmf::registry::{DEFAULT, Entry, Goal, GraphUse, METHODS, PENALTY_PARAMS, SetAside};

use crate::offered::Offered;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  emmf methods\n  emmf methods g-emmf\n  emmf methods --json")]
pub(crate) struct MethodsArgs {
    /// Method to describe in full
    #[arg(value_name = "NAME", value_parser = Offered::methods(), hide_possible_values = true)]
    name: Option<String>,
    /// Print JSON instead: an array of all methods, or the one named
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MethodsArgs) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let Some(name) = &args.name else {
        return if args.json {
            Ok(writeln!(out, "{}", serde_json::to_string_pretty(METHODS)?)?)
        } else {
            list(&mut out)
        };
    };
    let entry =
        emmf::registry::find(name).map_err(|error| anyhow!("{error} `emmf methods` lists them all"))?;
    if args.json {
        return Ok(writeln!(out, "{}", serde_json::to_string_pretty(entry)?)?);
    }
    tell(&mut out, entry)
}

/// What a group is called, and whether a method belongs to it.
type Group = (&'static str, fn(&Entry) -> bool);

/// The groups, in the order in which one would try them.
const GROUPS: [Group; 4] = [
    ("Set outliers aside by default", |entry| entry.facts.set_aside == SetAside::Default),
    ("Follow a graph over the samples", |entry| {
        entry.facts.set_aside != SetAside::Default && entry.facts.graph == GraphUse::Needed
    }),
    ("Weight samples or entries (many also take --graph)", |entry| {
        entry.facts.set_aside != SetAside::Default
            && entry.facts.graph != GraphUse::Needed
            && !entry.solvers.is_empty()
    }),
    ("Use a solver of their own", |entry| {
        entry.facts.set_aside != SetAside::Default
            && entry.facts.graph != GraphUse::Needed
            && entry.solvers.is_empty()
    }),
];

/// Columns that a line may take.
const WIDTH: usize = 80;

fn list(out: &mut impl Write) -> Result<()> {
    writeln!(out, "Start with {DEFAULT} (the default) for clusters, emmf or nmf for parts and topics.")?;
    let longest = METHODS.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for (title, belongs) in GROUPS {
        let entries: Vec<&Entry> = METHODS.iter().filter(|entry| belongs(entry)).collect();
        if entries.is_empty() {
            continue;
        }
        writeln!(out, "\n{title}:")?;
        for entry in entries {
            let room = WIDTH - longest - 4;
            let title = entry.title.split(" (").next().filter(|_| entry.title.chars().count() > room);
            let title: String = title.unwrap_or(entry.title).chars().take(room).collect();
            writeln!(out, "  {:longest$}  {title}", entry.name)?;
        }
    }
    Ok(writeln!(out, "\n`emmf methods NAME` shows what one minimises, its parameters and guarantees.")?)
}

/// Everything about a method.
fn tell(out: &mut impl Write, entry: &Entry) -> Result<()> {
    let goal = match entry.goal {
        Goal::Least => "minimises",
        Goal::Most => "maximises",
    };
    let joined = |names: Vec<String>| if names.is_empty() { "its own".into() } else { names.join(", ") };
    writeln!(out, "{}: {}\n", entry.name, entry.title)?;
    writeln!(out, "  {goal:<12}{}", entry.objective)?;
    writeln!(out, "  {:<12}{}", "guarantee", entry.guarantee)?;
    let data = entry.storage.iter().map(ToString::to_string).collect();
    writeln!(out, "  {:<12}{}", "data", joined(data))?;
    let solvers = entry.solvers.iter().map(ToString::to_string).collect();
    writeln!(out, "  {:<12}{}", "solver", joined(solvers))?;
    if let Some(exponent) = entry.exponent {
        writeln!(out, "  {:<12}{exponent}", "exponent")?;
    }
    writeln!(out, "  {:<12}{}", "published", entry.reference)?;
    let of_penalties = if entry.facts.penalties { PENALTY_PARAMS } else { &[] };
    for param in entry.params.iter().chain(of_penalties) {
        let default = param.default.map_or_else(String::new, |default| format!(" [default: {default}]"));
        writeln!(out, "  --param {}=…  {}{default}", param.name, param.help)?;
    }
    Ok(())
}
