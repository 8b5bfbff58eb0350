//! `emmf completions` and `emmf man`: made from the description of the command line.

use std::io::Write;

use anyhow::Result;
use clap::{Args as ClapArgs, CommandFactory};

use crate::args::Args;
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

/// The manual page of the program, and after it those of its commands.
pub(crate) fn manual() -> Result<()> {
    let mut command = Args::command();
    command.build();
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
