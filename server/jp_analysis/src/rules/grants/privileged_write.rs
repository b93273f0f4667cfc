//! `privileged-write`: writing what runs or who is asked, without asking, is escalation by another door.

use jp_tool::{WriteGrant, privileged_overlaps};

use super::list::config_grants;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for grant in config_grants(context) {
        let apply = grant.rule.get("apply");
        let unattended = apply.and_then(|apply| apply.value.as_str()) == Some("unattended");
        if grant.write() == WriteGrant::No || !unattended {
            continue;
        }
        let reached: Vec<&str> = privileged_overlaps(&grant.path).collect();
        let (Some(first), Some(place)) = (reached.first(), grant.place(context, "apply")) else {
            continue;
        };
        let others = match reached.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        found.push(
            Diagnostic::new(
                Code::PrivilegedWrite,
                place,
                format!(
                    "tool `{}` may change `{first}`{others} unattended: {}",
                    context.name,
                    consequence(first)
                ),
            )
            .with_help("write `apply = \"ask\"`, or grant a path that leaves it out")
            .with_fix(Fix::replace(
                "Ask before each change: `apply = \"ask\"`",
                place,
                "\"ask\"",
            )),
        );
    }
}

/// What a tool could do with write access to a privileged path.
fn consequence(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or(path) {
        "source" | "command" => "it could make any tool run another program",
        "run" | "result" | "format" | "policy" => "it could stop the questions before tools run",
        "questions" => "it could answer the questions that tools ask",
        "parameters" => "it could run a program whenever arguments are shown",
        "base_url" | "base_url_env" => {
            "it could send the conversation and a key to another address"
        }
        "api_key_env" => "it could send the value of any environment variable as a key",
        "mcp" => "it could start another server program",
        "plugins" | "editor" => "it could make `jp` start another program",
        "extends" | "config_load_paths" => "it could bring in config from any file",
        _ => "it could change what runs or who is asked",
    }
}
