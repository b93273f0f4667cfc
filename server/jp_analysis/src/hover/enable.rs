//! Whether a tool is on, and what may switch it.
//!
//! ```toml
//! enable = "explicit"   # off; only naming the tool switches it
//! ```

use jp_config::enable::AllowToggle;

use super::subject::Subject;
use crate::{text::markup::Markup, tool::ToolContext};

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let keys = subject.keys();
    if keys.get(3) != Some(&"enable") || subject.tool().is_none() {
        return;
    }
    if let Some(context) = subject.context() {
        markup.paragraph(&format!("The tool is {}.", enable_words(&context)));
    }
}

/// The state and the toggle in words.
pub(super) fn enable_words(context: &ToolContext<'_>) -> String {
    let enable = context.enable();
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
