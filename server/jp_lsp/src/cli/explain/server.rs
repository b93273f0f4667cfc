//! `jp-lsp explain sandbox --server`: what of an MCP server the kernel of this machine holds.
//!
//! ```text
//! $ jp-lsp explain sandbox --server github
//! github: partly held (Landlock 7, namespaces), by ~/.config/jp/lsp.toml
//!   read `docs`: held
//!   net `api.github.com`: not held: the kernel knows ports and no hosts: ...
//! ```

use std::io::Write;

use camino::Utf8PathBuf;
use jp_agent::{Sandbox, ServerAccount};
use jp_analysis::explain::PathResolver;
use jp_config::view::View;
use jp_conversation::visible;
use jp_sandbox::limits;
use serde_json::{Value, json};

use super::{
    AnswerFormat, ExplainCommandError,
    sandbox::{limits_in_words, protected_in_words},
};
use crate::disk::{paths::DiskPaths, user_settings};

/// Prints what is held of a server.
pub(super) fn print(
    view: &View,
    name: &str,
    paths: &DiskPaths,
    format: Option<AnswerFormat>,
    output: &mut dyn Write,
) -> Result<(), ExplainCommandError> {
    let server = view
        .effective(&["providers", "mcp", name])
        .ok_or_else(|| ExplainCommandError::NoServer(name.to_owned()))?
        .to_json();
    let sandbox = user_settings::of(paths.root())?.added_to(Sandbox::default());
    let decisive = view.graph().decisive_paths();
    let protected = decisive.iter().flat_map(|path| paths.spellings(path));
    let protected: Vec<Utf8PathBuf> = protected.collect();
    let account = sandbox
        .server_account(name, paths.root(), &protected, &server)
        .map_err(ExplainCommandError::Sandbox)?;
    let file = user_settings::path().unwrap_or_else(|| "lsp.toml".into());
    match (account, format) {
        (Some(account), Some(AnswerFormat::Json)) => {
            writeln!(output, "{}", to_json(name, &account))?;
        }
        (Some(account), _) => in_words(name, file.as_str(), &account, output)?,
        (None, format) => {
            let reason = match server.get("type").is_some_and(|kind| kind == "http") {
                true => "it is reached over HTTP, so that nothing of it runs here and there is nothing to hold".to_owned(),
                false => format!(
                    "nothing says what it may do: write `[sandbox.mcp.{name}]` in {file}, with `read`, `write` and `net`"
                ),
            };
            match format {
                Some(AnswerFormat::Json) => {
                    let answer = json!({ "server": name, "state": "not held", "summary": "not held", "grants": [], "reason": reason });
                    writeln!(output, "{answer}")?;
                }
                _ => writeln!(
                    output,
                    "{}",
                    visible(&format!("{name}: not held: {reason}"))
                )?,
            }
        }
    }
    Ok(())
}

fn to_json(name: &str, server: &ServerAccount) -> Value {
    let grants: Vec<Value> = server
        .grants
        .iter()
        .map(|(grant, held)| {
            json!({ "grant": grant, "state": held.held, "missing": held.missing, "reason": held.reason })
        })
        .collect();
    let (protected, reason) = &server.account.protected;
    json!({
        "server": name,
        "state": server.overall().as_str(),
        "summary": server.account.in_words(),
        "mechanisms": server.account.mechanisms,
        "grants": grants,
        "protected": { "state": protected, "reason": reason },
        "limits": limits(server.account.mechanisms),
    })
}

fn in_words(
    name: &str,
    file: &str,
    server: &ServerAccount,
    output: &mut dyn Write,
) -> std::io::Result<()> {
    let state = server.overall().as_str();
    let mechanisms = server.account.mechanisms;
    let line = format!("{name}: {state} ({mechanisms}), by {file}");
    writeln!(output, "{}", visible(&line))?;
    for (grant, held) in &server.grants {
        let line = format!("{grant}: {}", held.in_words());
        writeln!(output, "  {}", visible(&line))?;
    }
    protected_in_words(&server.account, output)?;
    limits_in_words("server", &server.account, output)
}
