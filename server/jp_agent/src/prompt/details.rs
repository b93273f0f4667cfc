//! Everything about a prompt as a Markdown document.
//!
//! ````markdown
//! # Apply the config change proposed by switch_model?
//!
//! ```diff
//! -name = "quick"
//! +name = "strong"
//! ```
//! ````

use jp_conversation::fenced;
use similar::TextDiff;

use super::Prompt;

/// How many unchanged lines stand around a change: more than a prompt shows of a config.
const CONTEXT: usize = 1000;

impl Prompt {
    /// The prompt as a Markdown document that loads and runs nothing, whatever tools and models say.
    #[must_use]
    pub fn details(&self) -> String {
        let mut document = String::from("# Prompt\n\n");
        let mut block = |language: &str, text: &str| {
            if !text.trim().is_empty() {
                document.push_str(&fenced(language, text));
                document.push('\n');
            }
        };
        block("", &self.title);
        block("", self.note.as_deref().unwrap_or_default());
        block("", self.context.as_deref().unwrap_or_default());
        if let Some(delta) = &self.delta {
            block("", &self.message);
            for sentence in &delta.loosens {
                block("", &format!("loosens: {sentence}"));
            }
            let diff = TextDiff::from_lines(&delta.before, &delta.after);
            let diff = diff.unified_diff().context_radius(CONTEXT).to_string();
            block("diff", &diff);
        } else {
            let preview = self.preview.as_ref().and_then(|it| it.text.as_deref());
            block("", preview.unwrap_or(&self.message));
        }
        if let Some(place) = &self.place {
            let line = place.start.0.saturating_add(1);
            block("", &format!("decided by {}:{line}", place.file));
        }
        block(
            "",
            &format!(
                "{} {}, digest {}",
                self.tool.name, self.tool.call_id, self.digest
            ),
        );
        document.truncate(document.trim_end().len());
        document.push('\n');
        document
    }
}

#[cfg(test)]
#[path = "details_tests.rs"]
mod tests;
