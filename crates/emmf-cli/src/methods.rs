//! `emmf methods`: the registry as a table.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use comfy_table::Table;
use emmf::registry::{Entry, Goal, METHODS};

use crate::output::{print, table};

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  emmf methods --json")]
pub(crate) struct MethodsArgs {
    /// Print a JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MethodsArgs) -> Result<()> {
    if !args.json {
        return print(&as_table());
    }
    let entries: Vec<_> = METHODS.iter().map(as_json).collect();
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&entries)?)?;
    Ok(())
}

fn as_table() -> Table {
    let mut table = table(["name", "minimises", "exponent", "data", "parameters", "reference"]);
    for entry in METHODS {
        let params: Vec<_> = entry.params.iter().map(|param| param.name).collect();
        table.add_row([
            entry.name.to_string(),
            objective(entry),
            entry.exponent.map_or_else(String::new, |exponent| exponent.to_string()),
            storage(entry).join(", "),
            params.join(", "),
            format!("{}: {}", entry.reference, entry.title),
        ]);
    }
    table
}

fn objective(entry: &Entry) -> String {
    match entry.goal {
        Goal::Least => entry.objective.into(),
        Goal::Most => format!("maximises {}", entry.objective),
    }
}

fn storage(entry: &Entry) -> Vec<String> {
    entry.storage.iter().map(ToString::to_string).collect()
}

fn as_json(entry: &Entry) -> serde_json::Value {
    let param = |param: &emmf::registry::Param| serde_json::json!({ "name": param.name, "default": param.default, "help": param.help });
    serde_json::json!({
        "name": entry.name,
        "title": entry.title,
        "reference": entry.reference,
        "objective": entry.objective,
        "guarantee": entry.guarantee,
        "goal": if entry.goal == Goal::Least { "least" } else { "most" },
        "solvers": entry.solvers,
        "exponent": entry.exponent,
        "data": storage(entry),
        "params": entry.params.iter().map(param).collect::<Vec<_>>(),
    })
}
