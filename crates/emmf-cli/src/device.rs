//! `emmf device`: what cards are here, or what is missing for one.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args as ClapArgs;
use emmf_cuda::{Card, architectures, compile_all};

/// Number of centroids for which kernels are compiled.
const CENTROIDS: usize = 20;

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  emmf device --compile")]
pub(crate) struct DeviceArgs {
    /// Compile the kernels for cards of these compute capabilities, such as 80, or for all supported ones; this needs
    /// NVRTC but no card.
    #[arg(long, value_name = "ARCH", num_args = 0..)]
    compile: Option<Vec<usize>>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DeviceArgs) -> Result<()> {
    let mut out = std::io::stdout();
    if let Some(wanted) = &args.compile {
        let all = architectures().map_err(|error| anyhow!("{error}"))?;
        let mut compiled = serde_json::Map::new();
        for arch in all.into_iter().filter(|arch| wanted.is_empty() || wanted.contains(arch)) {
            let names = compile_all(arch, CENTROIDS).map_err(|error| anyhow!("{error}"))?;
            compiled.insert(format!("sm_{arch}"), names.len().into());
            if !args.json {
                writeln!(out, "sm_{arch}: {} programs", names.len())?;
            }
        }
        if args.json {
            writeln!(out, "{}", serde_json::json!({ "compiled": compiled }))?;
        }
        return Ok(());
    }
    let mut cards = Vec::new();
    for card in Card::all().map_err(|error| anyhow!("{error}"))? {
        let (name, about) = (card.name(), card.about().map_err(|error| anyhow!("{error}"))?);
        if args.json {
            cards.push(serde_json::json!({ "name": name, "about": about }));
        } else {
            writeln!(out, "{name}: {about}")?;
        }
    }
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "cards": cards }))?;
    }
    Ok(())
}
