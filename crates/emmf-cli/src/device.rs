//! `emmf device`: what card is here, or what is missing for one.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args as ClapArgs;
use emmf_cuda::{Card, architectures, compile_all};

/// Numbers of centroids for which kernels are compiled: few, and as many as registers hold.
const CENTROIDS: [usize; 2] = [3, 100];

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  emmf device --compile")]
pub(crate) struct DeviceArgs {
    /// Compile the kernels for every kind of card that they are written for, which needs NVRTC and no card.
    #[arg(long)]
    compile: bool,
}

pub(crate) fn run(args: &DeviceArgs) -> Result<()> {
    let mut out = std::io::stdout();
    if args.compile {
        for (at, arch) in architectures().map_err(|error| anyhow!("{error}"))?.into_iter().enumerate() {
            let names =
                compile_all(arch, CENTROIDS[usize::from(at == 0)]).map_err(|error| anyhow!("{error}"))?;
            writeln!(out, "sm_{arch}: {} programs", names.len())?;
        }
        return Ok(());
    }
    let card = Card::open(0).map_err(|error| anyhow!("{error}"))?;
    writeln!(out, "{}: {}", card.name(), card.about().map_err(|error| anyhow!("{error}"))?)?;
    Ok(())
}
