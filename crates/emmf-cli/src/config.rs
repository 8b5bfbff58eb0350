//! `--config FILE.toml`: options of a command under their long names, as if they were typed in front of those that are.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};

use crate::args::{self, Args};
use crate::resume;
use crate::tips;

/// What was typed, and what the file of `--config` says beside it.
pub(crate) fn arguments() -> Result<Args> {
    let words = words(resume::expanded(std::env::args_os().collect())?)?;
    let matches = Args::command().try_get_matches_from(&words).unwrap_or_else(|mut error| {
        tips::give(&mut error);
        error.exit()
    });
    let mut args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let args::Command::Fit(fit) = &mut args.command {
        let own = words.iter().skip(1).take_while(|word| *word != "--resume");
        fit.words = own.map(|word| word.to_string_lossy().into_owned()).collect();
    }
    Ok(args)
}

/// What was typed, with what the file of `--config` says in front of the command's own options.
fn words(typed: Vec<OsString>) -> Result<Vec<OsString>> {
    let mut description = Args::command();
    description.build();
    // Whatever is wrong with what was typed is told once the file has had its say.
    let Ok(seen) = description.clone().ignore_errors(true).try_get_matches_from(&typed) else {
        return Ok(typed);
    };
    let Some((name, matches)) = seen.subcommand() else { return Ok(typed) };
    let Some(command) = description.find_subcommand(name) else { return Ok(typed) };
    let Some(file) = matches.try_get_one::<PathBuf>("config").ok().flatten() else { return Ok(typed) };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{}: cannot be read; check its name and permissions", file.display()))?;
    let said = options(&text, command, matches).with_context(|| file.display().to_string())?;
    // The first word that names the command; before it the name can only be the value of --config.
    let is_command = |at: &usize| typed[*at] == name && typed[at - 1] != "--config";
    let Some(at) = (1..typed.len()).find(is_command) else { return Ok(typed) };
    Ok(typed[..=at].iter().cloned().chain(said).chain(typed[at + 1..].iter().cloned()).collect())
}

/// The options of a file as words, but for those that are typed.
fn options(text: &str, command: &Command, typed: &ArgMatches) -> Result<Vec<OsString>> {
    let table: toml::Table = text.parse().context("is not valid TOML")?;
    let mut words = Vec::new();
    for (key, value) in &table {
        let Some(arg) = command.get_arguments().find(|arg| is_called(arg, key) && key != "config") else {
            bail!("{}", unknown(key, command));
        };
        if typed.value_source(arg.get_id().as_str()) != Some(ValueSource::CommandLine) {
            words.extend(option(arg, key, value)?);
        }
    }
    Ok(words.into_iter().map(OsString::from).collect())
}

fn is_called(arg: &Arg, key: &str) -> bool {
    arg.get_long() == Some(key) || arg.get_all_aliases().is_some_and(|others| others.contains(&key))
}

fn unknown(key: &str, command: &Command) -> String {
    if key == "config" {
        return "one file of options cannot name another; leave 'config' out".into();
    }
    let longs: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    let here = tips::called_here(key).filter(|here| longs.contains(here));
    let meant =
        here.map(str::to_owned).or_else(|| emmf_io::nearest(&key.replace('_', "-"), longs.iter().copied()));
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
    format!("emmf {} has no option '{key}'{meant}", command.get_name())
}

/// An option as it would be typed.
fn option(arg: &Arg, key: &str, value: &toml::Value) -> Result<Vec<String>> {
    let single = |value: &toml::Value| match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        toml::Value::Boolean(said) => Ok(said.to_string()),
        _ => bail!("'{key}' is a {}; give a string, a number, true or false", value.type_str()),
    };
    Ok(match (arg.get_action(), value) {
        (ArgAction::SetTrue, toml::Value::Boolean(true)) => vec![format!("--{key}")],
        (ArgAction::SetTrue, toml::Value::Boolean(false)) => Vec::new(),
        (ArgAction::SetTrue, _) => bail!("'{key}' is a {}; use true or false", value.type_str()),
        // An option whose value may be left out.
        (_, toml::Value::Boolean(said)) if arg.is_require_equals_set() => {
            if *said {
                vec![format!("--{key}")]
            } else {
                Vec::new()
            }
        }
        (_, toml::Value::Array(values)) if arg.get_value_delimiter().is_some() => {
            let values = values.iter().map(single).collect::<Result<Vec<_>>>()?;
            vec![format!("--{key}={}", values.join(","))]
        }
        (_, toml::Value::Array(values)) => {
            values.iter().map(|value| Ok(format!("--{key}={}", single(value)?))).collect::<Result<_>>()?
        }
        (_, toml::Value::Table(pairs)) => {
            let pair =
                |(name, value): (&String, &toml::Value)| Ok(format!("--{key}={name}={}", single(value)?));
            pairs.iter().map(pair).collect::<Result<_>>()?
        }
        (_, value) => vec![format!("--{key}={}", single(value)?)],
    })
}
