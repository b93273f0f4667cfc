//! `jp-lsp explain sandbox`: what of a tool's grants the kernel of this machine holds.
//!
//! ```text
//! $ jp-lsp explain sandbox --tool fetch
//! fetch: partly held (Landlock 7, namespaces)
//!   access.fs, rule 1 (.jp/config.toml:6): held
//!   access.net, rule 1 (.jp/config.toml:7): not held: the kernel knows ports and no hosts: ...
//! ```

use std::io::{self, Write};

use camino::Utf8Path;
use jp_agent::{Sandbox, mechanisms};
use jp_analysis::explain::AccessExplainer;
use jp_conversation::visible;
use jp_sandbox::{Account, GrantAccount, limits};
use serde_json::{Value, json};

use super::ExplainCommandError;
use crate::{cli::answer_format::AnswerFormat, disk::user_settings};

/// A tool whose grants are asked about.
pub(super) struct Subject<'a> {
    pub(super) tool: &'a str,
    pub(super) explainer: &'a AccessExplainer<'a>,
    /// Its effective `command`.
    pub(super) command: Option<&'a Value>,
    pub(super) root: &'a Utf8Path,
}

/// Prints what is held of the grants of a tool.
pub(super) fn print(
    subject: &Subject<'_>,
    format: Option<AnswerFormat>,
    output: &mut dyn Write,
) -> Result<(), ExplainCommandError> {
    let Subject {
        tool, explainer, ..
    } = *subject;
    if !explainer.is_local() {
        return Ok(not_local(tool, format, output)?);
    }
    let sandbox = user_settings::of(subject.root)?.added_to(Sandbox::default());
    let account = sandbox
        .account(
            mechanisms(),
            subject.root,
            explainer.policy(),
            explainer.protected(),
            subject.command,
        )
        .map_err(ExplainCommandError::Sandbox)?;
    match format {
        Some(AnswerFormat::Json) => writeln!(output, "{}", to_json(tool, &account, explainer))?,
        None | Some(AnswerFormat::Human) => in_words(tool, &account, explainer, output)?,
    }
    Ok(())
}

/// What runs elsewhere is not held.
fn not_local(tool: &str, format: Option<AnswerFormat>, output: &mut dyn Write) -> io::Result<()> {
    let reason = "only local tools are held: an MCP server is one process for all of its tools, and a builtin tool is part of this program";
    match format {
        Some(AnswerFormat::Json) => {
            let answer = json!({ "tool": tool, "state": "not held", "summary": "not held", "grants": [], "reason": reason });
            writeln!(output, "{answer}")
        }
        None | Some(AnswerFormat::Human) => {
            writeln!(output, "{}: not held: {reason}", visible(tool))
        }
    }
}

fn rule(grant: &GrantAccount, explainer: &AccessExplainer<'_>) -> Value {
    explainer
        .rule(grant.resource, grant.index)
        .unwrap_or(Value::Null)
}

fn to_json(tool: &str, account: &Account, explainer: &AccessExplainer<'_>) -> Value {
    let grants: Vec<Value> = account
        .grants
        .iter()
        .map(|grant| {
            json!({
                "access": grant.resource.to_string(),
                "rule": rule(grant, explainer),
                "state": grant.held,
                "missing": grant.missing,
                "reason": grant.reason,
            })
        })
        .collect();
    let (protected, reason) = &account.protected;
    json!({
        "tool": tool,
        "state": account.overall().as_str(),
        "summary": account.in_words(),
        "mechanisms": account.mechanisms,
        "grants": grants,
        "protected": { "state": protected, "reason": reason },
        "privateTmp": account.private_tmp.as_ref().map(|(state, reason)| json!({ "state": state, "reason": reason })),
        "limits": limits(account.mechanisms),
    })
}

fn in_words(
    tool: &str,
    account: &Account,
    explainer: &AccessExplainer<'_>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let state = account.overall().as_str();
    writeln!(
        output,
        "{}: {state} ({})",
        visible(tool),
        account.mechanisms
    )?;
    for grant in &account.grants {
        let place = rule(grant, explainer);
        let place = match (
            place.get("path").and_then(Value::as_str),
            place.get("line").and_then(Value::as_u64),
        ) {
            (Some(path), Some(line)) => format!(" ({path}:{line})"),
            _ => String::new(),
        };
        let line = format!(
            "access.{}, rule {}{place}: {}",
            grant.resource,
            grant.index + 1,
            grant.in_words()
        );
        writeln!(output, "  {}", visible(&line))?;
    }
    protected_in_words(account, output)?;
    if account.grants.is_empty() {
        writeln!(output, "  no access rules: everything else is open")?;
    }
    limits_in_words("tool", account, output)
}

pub(super) fn protected_in_words(account: &Account, output: &mut dyn Write) -> io::Result<()> {
    let accounts = [
        ("protected files", Some(&account.protected)),
        ("a `/tmp` of its own", account.private_tmp.as_ref()),
    ];
    for (what, account) in accounts {
        if let Some((held, reason)) = account {
            let reason = reason.iter().map(|reason| format!(": {reason}"));
            let reason: String = reason.collect();
            writeln!(output, "  {what}: {held}{reason}")?;
        }
    }
    Ok(())
}

/// What is held of nothing of a kind.
pub(super) fn limits_in_words(
    kind: &str,
    account: &Account,
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(output, "Held of no {kind}:")?;
    for limit in limits(account.mechanisms) {
        writeln!(output, "  {}: {}", limit.what, limit.why)?;
    }
    Ok(())
}
