//! `emmf completions` and `emmf man`: made from the description of the command line.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args as ClapArgs, Command, CommandFactory};

use crate::args::Args;
use crate::output::wrote;
use crate::values::ShellName;

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf completions bash > ~/.local/share/bash-completion/completions/emmf\n  \
    emmf completions zsh > ~/.zfunc/_emmf\n  \
    emmf completions fish > ~/.config/fish/completions/emmf.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: ShellName,
}

pub(crate) fn completions(shell: ShellName) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(clap_complete::Shell::from(shell), &mut Args::command(), "emmf", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  emmf man | man -l -\n  emmf man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder for emmf.1, emmf-fit.1 and so on, one for every command
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The manual page of the program, and after it those of its commands; or a file for each.
pub(crate) fn manual(args: &ManArgs) -> Result<()> {
    let mut command = Args::command();
    command.build();
    if let Some(folder) = &args.out {
        return pages(&command, folder);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for part in command.get_subcommands().filter(|part| part.get_name() != "help") {
        let man = clap_mangen::Man::new(part.clone());
        writeln!(page, ".SH {}", part.get_name().to_uppercase())?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    Ok(std::io::stdout().lock().write_all(&page)?)
}

fn pages(command: &Command, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be created; choose another folder", folder.display()))?;
    let parts = command.get_subcommands().filter(|part| part.get_name() != "help");
    let mut written = Vec::new();
    for part in std::iter::once(command).chain(parts) {
        let name = part.get_display_name().unwrap_or(part.get_name()).to_owned();
        let mut page = Vec::new();
        clap_mangen::Man::new(part.clone()).title(name.to_uppercase()).render(&mut page)?;
        let path = folder.join(format!("{name}.1"));
        emmf_io::write_atomically(&path, |out| out.write_all(&page))?;
        written.push(path);
    }
    wrote(&written.iter().map(PathBuf::as_path).collect::<Vec<_>>(), false)
}
