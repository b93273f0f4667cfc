//! Whether a tool is on, and what may switch it.
//!
//! ```toml
//! enable = "explicit"   # off; only naming the tool switches it
//! ```

use jp_config::enable::{AllowToggle, Enable};

use super::{Subject, markup::Markup};
use crate::tool::ToolContext;

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let keys = subject.keys();
    if keys.get(3) != Some(&"enable") || subject.tool().is_none() {
        return;
    }
    if let Some(context) = subject.context() {
        markup.paragraph(&format!("The tool is {}.", enable_words(&context)));
    }
}

/// The merged `enable` of a tool.
pub(crate) fn enable_of(context: &ToolContext<'_>) -> Enable {
    let read = |located: Option<&jp_config::merge::Located>| {
        located.and_then(|located| Enable::from_value(&located.to_json()).ok())
    };
    let own = read(context.tool.get("enable"));
    let defaults = read(
        context
            .defaults
            .as_ref()
            .and_then(|defaults| defaults.get("enable")),
    );
    match (defaults, own) {
        (Some(defaults), Some(own)) => defaults.merged(own),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => Enable::default(),
    }
}

/// The state and the toggle in words.
pub(super) fn enable_words(context: &ToolContext<'_>) -> String {
    let enable = enable_of(context);
    let state = if enable.state.unwrap_or(true) {
        "on"
    } else {
        "off"
    };
    let toggle = match enable.allow_toggle.unwrap_or_default() {
        AllowToggle::Any => "every switch applies to it",
        AllowToggle::Never => "nothing switches it",
        AllowToggle::IfNamed => "only naming it switches it",
        AllowToggle::IfNamedOrGroup => "only naming it or its group switches it",
    };
    format!("{state}, and {toggle}")
}
