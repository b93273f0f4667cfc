//! `jp-lsp trust`: what a workspace starts and sends, and that this is trusted.
//!
//! ```text
//! $ jp-lsp trust
//! The config of `/work/project` starts and sends:
//!   providers.mcp.search: starts `search-server --fast` (.jp/config.toml:3)
//! It is trusted as it is; a change is asked about.
//! ```

use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use jp_agent::Dialogue;

use crate::{
    disk::workspace::{self, Location, WorkspaceError},
    runtime::WorkspaceConfig,
    trust::{Door, RecordError, Records, TrustError, TrustedBy, Vouched, on_one_line},
};

/// Which workspace, and what of it.
#[derive(Debug, Args)]
pub struct TrustArguments {
    /// A folder in the workspace; by default the working directory.
    pub directory: Option<Utf8PathBuf>,
    /// Print what is trusted, of all workspaces.
    #[arg(long, conflicts_with_all = ["directory", "forget"])]
    pub list: bool,
    /// Trust the workspace no more.
    #[arg(long)]
    pub forget: bool,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustCommandError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The workspace cannot be trusted, or that cannot be recorded.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The records cannot be used.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// Nobody reads.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Shows what a workspace starts and sends and records that this is trusted; answers the exit code 0.
///
/// # Errors
///
/// [`TrustCommandError`]; nothing was recorded then.
pub fn run(arguments: &TrustArguments, output: &mut dyn Write) -> Result<u8, TrustCommandError> {
    if arguments.list {
        list(&Records::open()?, output)?;
        return Ok(0);
    }
    if arguments.forget {
        forget(arguments.directory.as_deref(), output)?;
        return Ok(0);
    }
    let Location { root, directory } = workspace::locate(arguments.directory.as_deref())?;
    let mut door = Door::new(&root, Vouched::Nobody)?;
    let taken = workspace::held_elsewhere(&root).filter(|(private, _)| private.decides());
    if let Some((private, _)) = &taken {
        // What is taken decides from here on, and is part of what is shown.
        let records = Records::open().map_err(TrustError::from)?;
        let held = records.hold(&private.id, &root);
        held.map_err(TrustError::from)?;
        door = Door::new(&root, Vouched::Nobody)?;
    }
    let config = WorkspaceConfig::new(workspace::roots(&root, &directory));
    let list = config.trust_list();
    let shown = on_one_line(root.as_str());
    if door.asks_nothing(&list) && taken.is_none() {
        writeln!(
            output,
            "The config of `{shown}` starts nothing and sends nothing."
        )?;
    } else {
        writeln!(output, "The config of `{shown}` starts and sends:")?;
        let told = door.untrusted(&list, true).list;
        told.lines()
            .try_for_each(|line| writeln!(output, "{line}"))?;
        if let Some((private, holder)) = &taken {
            writeln!(
                output,
                "  `.jp/.id`: takes what is yours alone, your config and approvals in {}, from {}",
                on_one_line(private.folder.as_str()),
                on_one_line(holder.as_str())
            )?;
        }
    }
    match config.pass(&door) {
        Ok(()) | Err(TrustError::Untrusted(_)) => {}
        Err(refused) => return Err(refused.into()),
    }
    door.keep_all(&list)?;
    writeln!(output, "It is trusted as it is; a change is asked about.")?;
    Ok(0)
}

/// Forgets a workspace; its folder may be gone.
fn forget(named: Option<&Utf8Path>, output: &mut dyn Write) -> Result<(), TrustCommandError> {
    let root = match workspace::locate(named) {
        Ok(location) => location.root,
        Err(WorkspaceError::NoWorkspace(directory)) => directory,
        Err(error) => return Err(error.into()),
    };
    let shown = on_one_line(root.as_str());
    match Records::open()?.forget(&root)? {
        true => writeln!(output, "`{shown}` is trusted no more.")?,
        false => writeln!(output, "`{shown}` was not trusted.")?,
    }
    Ok(())
}

fn list(records: &Records, output: &mut dyn Write) -> Result<(), io::Error> {
    let workspaces = records.workspaces();
    let keys = records.keys();
    if workspaces.is_empty() && keys.is_empty() {
        writeln!(output, "Nothing is trusted.")?;
    }
    for record in workspaces {
        let by = match record.trusted.iter().any(|it| it.by == TrustedBy::Person) {
            true => "",
            false => " (by an editor)",
        };
        writeln!(output, "{}{by}", on_one_line(record.root.as_str()))?;
        for (path, words) in &record.settings {
            writeln!(output, "  {}: {}", on_one_line(path), on_one_line(words))?;
        }
    }
    for key in keys {
        writeln!(
            output,
            "`{}` may be sent to {} (said in {})",
            on_one_line(&key.variable),
            on_one_line(&key.origin),
            on_one_line(key.root.as_str())
        )?;
    }
    Ok(())
}

/// Who can say that a workspace is trusted.
pub(crate) enum Asking<'a> {
    /// The person has said so with the command.
    Said,
    /// There is nobody.
    Nobody,
    /// The person at this terminal.
    Person(&'a mut dyn Dialogue),
}

/// Makes sure, before a turn begins, that a person trusts what the workspace starts and sends.
///
/// # Errors
///
/// [`TrustError`]; nothing was started then.
pub(crate) fn admit(
    root: &Utf8Path,
    directory: &Utf8Path,
    asking: Asking<'_>,
) -> Result<(), TrustError> {
    let door = Door::new(root, Vouched::Nobody)?;
    let config = WorkspaceConfig::new(workspace::roots(root, directory));
    let passed = config.pass(&door);
    let list = config.trust_list();
    match (passed, asking) {
        (Ok(()) | Err(TrustError::Untrusted(_)), Asking::Said) => door.keep_all(&list),
        (Err(TrustError::Untrusted(_)), Asking::Nobody) => {
            Err(TrustError::Untrusted(door.untrusted(&list, true)))
        }
        (Err(TrustError::Untrusted(_)), Asking::Person(dialogue)) => {
            let untrusted = door.untrusted(&list, true);
            let shown = on_one_line(root.as_str());
            let heading =
                format!("The config of `{shown}` starts or sends what you have not trusted yet:");
            let asked = dialogue
                .show(&format!("{heading}\n{}", untrusted.list))
                .and_then(|()| {
                    let choices = ["Reject".to_owned(), "Trust".to_owned()];
                    dialogue.select(
                        &format!("Trust what the config of `{shown}` starts and sends?"),
                        &choices,
                        0,
                    )
                });
            match asked {
                Ok(Some(1)) => door.keep_all(&list),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    Err(TrustError::Interrupted)
                }
                // A terminal that fails has nobody at it.
                Ok(_) | Err(_) => Err(TrustError::Declined),
            }
        }
        (passed, _) => passed,
    }
}
