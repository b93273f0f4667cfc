//! What a model alias leads to.
//!
//! ```toml
//! [providers.llm.aliases]
//! fast = "haiku"                        # leads to `anthropic/claude-haiku-4`
//! haiku = "anthropic/claude-haiku-4"
//! ```

use jp_config::{model_id::ModelReference, view::View};

/// The config path of the aliases.
pub(crate) const ALIASES: [&str; 3] = ["providers", "llm", "aliases"];

/// The longest chain of aliases that is followed.
const MAXIMUM_CHAIN: usize = 16;

/// The config path of an alias.
pub(crate) fn alias_path(alias: &str) -> [&str; 4] {
    let [providers, llm, aliases] = ALIASES;
    [providers, llm, aliases, alias]
}

/// The model that an alias leads to; `None` when it is not defined or leads in a circle.
pub(crate) fn resolve_alias(view: &View, alias: &str) -> Option<String> {
    let mut alias = alias.to_owned();
    for _ in 0..MAXIMUM_CHAIN {
        let located = view.effective(&alias_path(&alias))?;
        let text = match located.value.as_str() {
            Some(text) => text.to_owned(),
            None => {
                let id = located.get("id").unwrap_or(&located);
                match id.value.as_str() {
                    Some(text) => text.to_owned(),
                    None => format!(
                        "{}/{}",
                        id.get("provider")?.value.as_str()?,
                        id.get("name")?.value.as_str()?
                    ),
                }
            }
        };
        match ModelReference::parse(&text).ok()? {
            ModelReference::Id(id) => return Some(id.to_string()),
            ModelReference::Alias(next) => alias = next,
        }
    }
    None
}
