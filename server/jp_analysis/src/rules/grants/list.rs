//! What the rules of access grants have in common.

use jp_config::merge::{Located, LocatedValue};
use jp_tool::{ConfigPath, WriteGrant};

use crate::{diagnostic::Place, tool::ToolContext};

/// The rules of one resource, in the order in which they are declared over all layers.
pub(super) fn rules<'a>(context: &'a ToolContext<'_>, resource: &str) -> &'a [Located] {
    context
        .tool
        .at(&["access", resource])
        .and_then(|rules| rules.value.as_list())
        .unwrap_or_default()
}

/// A config rule whose path can be read.
pub(super) struct ConfigGrant<'a> {
    pub(super) rule: &'a Located,
    pub(super) text: &'a str,
    pub(super) path: ConfigPath,
}

/// The config rules whose paths can be read.
pub(super) fn config_grants<'a>(
    context: &'a ToolContext<'_>,
) -> impl Iterator<Item = ConfigGrant<'a>> {
    rules(context, "config").iter().filter_map(|rule| {
        let text = rule.get("path")?.value.as_str()?;
        let path = ConfigPath::parse(text).ok()?;
        Some(ConfigGrant { rule, text, path })
    })
}

impl ConfigGrant<'_> {
    /// What `write` says; a value of the wrong type grants nothing.
    pub(super) fn write(&self) -> WriteGrant {
        match self.rule.get("write").map(|write| &write.value) {
            Some(LocatedValue::Boolean(true)) => WriteGrant::Yes,
            Some(LocatedValue::String(text)) if text == "insecure_allow" => {
                WriteGrant::InsecureAllow
            }
            _ => WriteGrant::No,
        }
    }

    /// Where a field of the rule stands.
    pub(super) fn place(&self, context: &ToolContext<'_>, field: &str) -> Option<Place> {
        context.place(self.rule.get(field)?)
    }
}
