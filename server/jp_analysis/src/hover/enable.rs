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
    let (state, other) = if enable.state.unwrap_or(true) {
        ("on", "off")
    } else {
        ("off", "on")
    };
    match enable.allow_toggle.unwrap_or_default() {
        AllowToggle::Any => format!("{state}, and can be switched {other}"),
        AllowToggle::Never => format!("{state}, and cannot be switched {other}"),
        AllowToggle::IfNamed => format!("{state}, and is switched {other} only by its name"),
        AllowToggle::IfNamedOrGroup => {
            format!("{state}, and is switched {other} only by its name or that of its group")
        }
    }
}
