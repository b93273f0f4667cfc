//! `access-unsupported-source`: grants mean nothing to builtin and MCP tools (RFD 076).

use jp_config::{
    document::Node,
    source::ToolSource,
    view::{LayerValue, value_at},
};

use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::text_edit::remove_key,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    let Some(access) = context.tool.get("access") else {
        return;
    };
    let kind = match context.source() {
        Some(ToolSource::Builtin { .. }) => "a builtin",
        Some(ToolSource::Mcp { .. }) => "an MCP",
        Some(ToolSource::Local { .. }) | None => return,
    };
    let Some(place) = context.key_place(access) else {
        return;
    };
    let mut finding = Diagnostic::new(
        Code::AccessUnsupportedSource,
        place,
        format!(
            "`access` is only supported on local tools, but `{}` is {kind} tool",
            context.name
        ),
    )
    .with_help(
        "remove `access`: nothing would check it, and it would promise a limit that does not hold",
    );
    if let Some(source) = context
        .tool
        .get("source")
        .and_then(|source| context.place(source))
    {
        finding = finding.with_related(source, format!("this makes it {kind} tool"));
    }
    found.push(finding.with_fixes(removal(context)));
}

/// Takes `access` out of every file that gives it to the tool.
fn removal(context: &ToolContext<'_>) -> Option<Fix> {
    let mut edits = Vec::new();
    for layer in context.view.layers() {
        let content = context.view.graph().content(layer.file)?;
        let path = ["conversation", "tools", context.name];
        let Some(tool) = value_at(content, &path) else {
            continue;
        };
        let LayerValue::Node(Node::Table(tool)) = tool else {
            return None;
        };
        if let Some(access) = tool.get("access") {
            edits.extend(remove_key(content.document()?, layer.file, access)?);
        }
    }
    Some(Fix::new("Remove `access`, which nothing would check", edits).with_review())
}
