//! `source-unknown-server`: a tool of an MCP server that no layer declares.
//!
//! ```toml
//! [providers.mcp.bookworm]
//! type = "stdio"
//!
//! [conversation.tools.crate_docs]
//! source = "mcp.bookwrom"   # did you mean `bookworm`?
//! ```

use jp_config::{source::ToolSource, words::suggest};

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(finding(context));
}

fn finding(context: &ToolContext<'_>) -> Option<Diagnostic> {
    let Some(ToolSource::Mcp { server, .. }) = context.source() else {
        return None;
    };
    let servers = context.view.keys(&["providers", "mcp"]);
    if servers.contains(&server) {
        return None;
    }
    let located = context.tool.get("source")?;
    // The name stands after `mcp.`.
    let start = "mcp.".len();
    let place = context.place_in_string(located, start..start + server.len())?;
    let near = suggest(&server, servers.iter().map(String::as_str));
    Some(match near {
        Some(near) => Diagnostic::new(
            Code::SourceUnknownServer,
            place,
            format!("no MCP server `{server}` is declared under `providers.mcp`; did you mean `{near}`?"),
        )
        .with_related(
            context.key_place(&context.view.effective(&["providers", "mcp", near])?)?,
            format!("`{near}` is declared here"),
        )
        .with_fix(Fix::replace(format!("Write `{near}`"), place, near)),
        None => Diagnostic::new(
            Code::SourceUnknownServer,
            place,
            format!("no file of this workspace declares the MCP server `{server}`; declare it under `[providers.mcp.{server}]`, unless your own config does"),
        )
        .with_severity(Severity::Hint),
    })
}

#[cfg(test)]
#[path = "source_unknown_server_tests.rs"]
mod tests;
