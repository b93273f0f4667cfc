//! Text with places to fill in, as plain text and as an LSP snippet at once.
//!
//! ```text
//! mode = "ask"
//! mode = "${1|ask,unattended,edit,skip|}"
//! ```

use jp_config::document::Span;

use super::item::ItemEdit;

/// Text with places to fill in.
#[derive(Debug, Clone, Default)]
pub(super) struct Template {
    plain: String,
    snippet: String,
    stops: u32,
}

impl Template {
    /// A template without places.
    pub(super) fn plain(text: &str) -> Self {
        let mut template = Self::default();
        template.text(text);
        template
    }

    /// Fixed text.
    pub(super) fn text(&mut self, text: &str) {
        self.plain.push_str(text);
        for character in text.chars() {
            if matches!(character, '$' | '}' | '\\') {
                self.snippet.push('\\');
            }
            self.snippet.push(character);
        }
    }

    /// A place with a text that is right as it is.
    pub(super) fn placeholder(&mut self, text: &str) {
        self.stops += 1;
        self.plain.push_str(text);
        let mut escaped = String::new();
        for character in text.chars() {
            if matches!(character, '$' | '}' | '\\') {
                escaped.push('\\');
            }
            escaped.push(character);
        }
        self.snippet
            .push_str(&format!("${{{}:{escaped}}}", self.stops));
    }

    /// A place for one of several texts, of which the first is right as it is.
    pub(super) fn choice<S: AsRef<str>>(&mut self, texts: &[S]) {
        let Some(first) = texts.first() else {
            return self.stop();
        };
        if texts.len() == 1 {
            return self.placeholder(first.as_ref());
        }
        self.stops += 1;
        self.plain.push_str(first.as_ref());
        let escaped: Vec<String> = texts
            .iter()
            .map(|text| {
                let mut escaped = String::new();
                for character in text.as_ref().chars() {
                    if matches!(character, ',' | '|' | '\\' | '$' | '}') {
                        escaped.push('\\');
                    }
                    escaped.push(character);
                }
                escaped
            })
            .collect();
        self.snippet
            .push_str(&format!("${{{}|{}|}}", self.stops, escaped.join(",")));
    }

    /// An empty place.
    pub(super) fn stop(&mut self) {
        self.stops += 1;
        self.snippet.push_str(&format!("${}", self.stops));
    }

    /// An empty string to fill in.
    pub(super) fn string(&mut self) {
        self.text("\"");
        self.stop();
        self.text("\"");
    }

    /// A string that is one of several, which need no escapes.
    pub(super) fn one_of_strings<S: AsRef<str>>(&mut self, texts: &[S]) {
        self.text("\"");
        self.choice(texts);
        self.text("\"");
    }

    /// Brackets around an empty place.
    pub(super) fn empty(&mut self, open: &str, close: &str) {
        self.text(open);
        if open == "{" {
            self.snippet.push(' ');
            self.stop();
            self.snippet.push(' ');
        } else {
            self.stop();
        }
        self.text(close);
    }

    /// Another template after this one.
    pub(super) fn append(&mut self, other: &Self) {
        self.plain.push_str(&other.plain);
        // A template with places is only ever appended to fixed text, so its numbers stay its own.
        self.snippet.push_str(&other.snippet);
        self.stops += other.stops;
    }

    /// The replacement of a span.
    pub(super) fn edit(self, span: Span) -> ItemEdit {
        ItemEdit {
            span,
            text: self.plain,
            snippet: (self.stops > 0).then_some(self.snippet),
        }
    }
}
