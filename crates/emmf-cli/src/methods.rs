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
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(METHODS)?)?;
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
            entry.storage.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
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
