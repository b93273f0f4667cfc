//! `jp-lsp key`: keys of providers in the keyring of the system.
//!
//! ```text
//! $ jp-lsp key set anthropic
//! ? The key for anthropic:
//! The key for anthropic is kept in the keyring of this system, as `ANTHROPIC_API_KEY`.
//! ```
//!
//! A key is read from the terminal without echo, or from standard input; it is never an argument and never printed.

use std::io::{self, IsTerminal as _, Write};

use clap::{Args, Subcommand};
use jp_agent::{Dialogue as _, TerminalDialogue};
use jp_llm::{LlmError, ProviderId, is_key_variable};

use crate::{
    disk::data::NoDataDirectory,
    runtime::{
        keyring::{Keyring, KeyringError, read_key},
        status::is_set,
    },
};

/// What to do with keys.
#[derive(Debug, Args)]
pub struct KeyArguments {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Keeps the key of a provider; it is asked for without echo, or read from standard input.
    Set(Named),
    /// Tells for which providers a key is kept; no key is shown.
    List,
    /// Forgets the key of a provider.
    Forget(Named),
}

#[derive(Debug, Args)]
struct Named {
    /// The provider, such as `anthropic`, or the variable that a config names for a key with `api_key_env`.
    #[arg(value_name = "PROVIDER")]
    name: String,
    #[arg(hide = true)]
    superfluous: Vec<String>,
}

/// Why a key was not kept, or not forgotten.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The name is neither a provider nor a variable.
    #[error(
        "that is no provider: write one of {0}, or a variable that a config names for its key, in capital letters"
    )]
    UnknownName(String),
    /// The provider takes no key of its own.
    #[error(
        "{0} takes no key by itself; where a config names a variable for one with `api_key_env`, write that variable"
    )]
    TakesNone(&'static str),
    /// A key was written as an argument.
    #[error(
        "a key is never an argument, where others on this machine can read it: leave it out, and it is asked for; it is \
         best replaced with a new one now"
    )]
    OnArguments,
    /// Ctrl-C, or the end of the terminal.
    #[error("nothing was changed")]
    Cancelled,
    /// The keyring.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// There is no place for the names of keys.
    #[error(transparent)]
    NoDataDirectory(#[from] NoDataDirectory),
    /// What is read or printed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Keeps, lists or forgets keys; answers the exit code 0.
///
/// # Errors
///
/// [`KeyError`].
pub fn run(arguments: &KeyArguments, output: &mut dyn Write) -> Result<u8, KeyError> {
    let keyring = Keyring::of_system()?;
    match &arguments.command {
        KeyCommand::Set(named) => set(&keyring, &Key::of(named)?, output)?,
        KeyCommand::List => list(&keyring, output)?,
        KeyCommand::Forget(named) => {
            let key = Key::of(named)?;
            match keyring.forget(&key.variable)? {
                true => writeln!(output, "The key for {} is forgotten.", key.name)?,
                false => writeln!(output, "No key for {} was kept.", key.name)?,
            }
        }
    }
    Ok(0)
}

/// A key, as a person names it.
struct Key {
    name: String,
    variable: String,
}

impl Key {
    fn of(named: &Named) -> Result<Self, KeyError> {
        if !named.superfluous.is_empty() {
            return Err(KeyError::OnArguments);
        }
        let name = named.name.clone();
        match name.parse::<ProviderId>() {
            Ok(provider) => match provider.default_key_variable() {
                Some(variable) => Ok(Self {
                    name,
                    variable: variable.to_owned(),
                }),
                None => Err(KeyError::TakesNone(provider.as_str())),
            },
            Err(_) if is_key_variable(&name) => Ok(Self {
                variable: name.clone(),
                name,
            }),
            Err(LlmError::UnknownProvider { known, .. }) => Err(KeyError::UnknownName(known)),
            Err(error) => Err(KeyError::UnknownName(error.to_string())),
        }
    }
}

fn set(keyring: &Keyring, key: &Key, output: &mut dyn Write) -> Result<(), KeyError> {
    let Key { name, variable } = key;
    // A person does not write a key that cannot be kept.
    keyring.reach()?;
    keyring.keep(variable, &asked(name)?)?;
    writeln!(
        output,
        "The key for {name} is kept in the keyring of this system, as `{variable}`."
    )?;
    if is_set(variable) {
        writeln!(
            output,
            "The environment has `{variable}` too, and that one is taken."
        )?;
    }
    Ok(())
}

fn asked(name: &str) -> Result<String, KeyError> {
    if !io::stdin().is_terminal() {
        return Ok(read_key(io::stdin().lock())?);
    }
    let Some(mut dialogue) = TerminalDialogue::open() else {
        return Err(KeyError::Cancelled);
    };
    match dialogue.secret(&format!("The key for {name}")) {
        Ok(Some(key)) => Ok(key),
        Ok(None) => Err(KeyError::Cancelled),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(KeyError::Cancelled),
        Err(error) => Err(error.into()),
    }
}

fn list(keyring: &Keyring, output: &mut dyn Write) -> Result<(), KeyError> {
    let variables = keyring.variables();
    if variables.is_empty() {
        writeln!(
            output,
            "No key is kept; `jp-lsp key set PROVIDER` keeps one."
        )?;
    }
    for variable in variables {
        let mut providers = ProviderId::ALL.into_iter();
        let provider = providers.find(|it| it.default_key_variable() == Some(variable.as_str()));
        let name = provider.map_or("-", ProviderId::as_str);
        let over = match is_set(&variable) {
            true => "  (the environment has one too, which is taken)",
            false => "",
        };
        writeln!(output, "{name:<11} {variable}{over}")?;
    }
    Ok(())
}
