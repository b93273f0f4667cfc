//! How a turn is printed: the assistant's words on standard output, everything else on standard error, or one JSON event a line.
//!
//! ```text
//! I look at the file.
//! > fs_read_file {"path":"main.rs"}
//! < fn main() {}
//! It is empty.
//! 12,400 of 200,000 tokens
//! ```

use std::io::{self, Write};

use jp_agent::TurnOutcome;
use jp_conversation::{ChatResponse, ConversationEvent, EventKind, visible};
use serde_json::json;

use super::{Heard, QueryFormat};
use crate::agent::protocol::TransientEvent;

/// The most characters of a call or a result that are shown.
const SHOWN: usize = 160;

/// Prints what a turn says.
#[derive(Debug)]
pub(super) struct Transcript {
    format: QueryFormat,
    /// Whether only the assistant's words and what failed are told.
    is_quiet: bool,
    words: Words,
    /// How full the model's window is after its last answer.
    fill: Option<String>,
}

impl Transcript {
    /// A transcript whose lines are no wider than `width`, where there is one.
    pub(super) fn new(format: QueryFormat, is_quiet: bool, width: Option<usize>) -> Self {
        Self {
            format,
            is_quiet,
            words: Words {
                width,
                ..Words::default()
            },
            fill: None,
        }
    }

    /// Prints one thing.
    pub(super) fn print(&mut self, heard: &Heard, output: &mut dyn Write) -> io::Result<()> {
        match self.format {
            QueryFormat::Json => print_json(heard, output),
            QueryFormat::Text => self.print_text(heard, output),
        }
    }

    fn print_text(&mut self, heard: &Heard, output: &mut dyn Write) -> io::Result<()> {
        match heard {
            Heard::Text(_, text) => self.words.say(&visible(text), output),
            Heard::Retrying(_) => Ok(()),
            Heard::Fill(text) => {
                self.fill = Some(text.clone());
                Ok(())
            }
            Heard::Notice(text) => {
                self.words.end_line(output)?;
                if !self.is_quiet {
                    tell(&visible(text));
                }
                Ok(())
            }
            Heard::Committed(_, event) => self.print_event(event, output),
            Heard::End(outcome) => {
                self.words.end_line(output)?;
                match outcome {
                    TurnOutcome::Completed => {
                        if let Some(fill) = self.fill.take() {
                            tell(&fill);
                        }
                    }
                    TurnOutcome::Cancelled => tell("jp-lsp: the turn was cancelled"),
                    TurnOutcome::Failed { error } => {
                        tell(&format!("jp-lsp: the turn failed: {}", visible(error)));
                    }
                }
                Ok(())
            }
        }
    }

    fn print_event(&mut self, event: &ConversationEvent, output: &mut dyn Write) -> io::Result<()> {
        match &event.kind {
            EventKind::ChatResponse(ChatResponse::Message(_)) => self.words.end_line(output),
            EventKind::ToolCallRequest(call) => {
                self.words.end_line(output)?;
                if !self.is_quiet {
                    let arguments = serde_json::Value::Object(call.arguments.clone());
                    tell(&line(&format!("> {} {arguments}", call.name)));
                }
                Ok(())
            }
            EventKind::ToolCallResponse(response) => {
                self.words.end_line(output)?;
                if response.is_error || !self.is_quiet {
                    tell(&line(&format!("< {}", response.content)));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The first line of a text, cut short, with a mark where something is missing.
fn line(text: &str) -> String {
    let text = text.trim_end();
    let first = text.lines().next().unwrap_or_default();
    let shown: String = first.chars().take(SHOWN).collect();
    let mark = if shown.len() < text.len() {
        " \u{2026}"
    } else {
        ""
    };
    format!("{}{mark}", visible(&shown))
}

#[expect(
    clippy::print_stderr,
    reason = "the words of the assistant alone go to standard output"
)]
fn tell(text: &str) {
    eprintln!("{text}");
}

fn print_json(heard: &Heard, output: &mut dyn Write) -> io::Result<()> {
    let line = match heard {
        Heard::Committed(conversation, event) => {
            json!({ "conversation": conversation.to_string(), "event": event.to_json() })
        }
        Heard::Text(conversation, text) => {
            let event = TransientEvent::DeltaText { text: text.clone() };
            json!({ "conversation": conversation.to_string(), "event": event })
        }
        Heard::Notice(text) | Heard::Retrying(text) => {
            json!({ "event": { "type": "notice", "text": text } })
        }
        // Scripts count for themselves.
        Heard::Fill(_) => return Ok(()),
        Heard::End(outcome) => json!({ "event": TransientEvent::from(outcome) }),
    };
    writeln!(output, "{line}")?;
    output.flush()
}

/// Words that stream, broken between words at the width of the terminal.
#[derive(Debug, Default)]
struct Words {
    width: Option<usize>,
    /// How many characters of the line are written.
    column: usize,
    /// The word that is not at its end yet; always empty without a width.
    word: String,
    /// Whether a blank stands before the word.
    is_spaced: bool,
}

impl Words {
    fn say(&mut self, text: &str, output: &mut dyn Write) -> io::Result<()> {
        if self.width.is_none() {
            write!(output, "{text}")?;
            self.column = match text.rsplit_once('\n') {
                Some((_, last)) => last.chars().count(),
                None => self.column + text.chars().count(),
            };
            return output.flush();
        }
        for character in text.chars() {
            match character {
                '\n' => {
                    self.end_word(output)?;
                    writeln!(output)?;
                    self.column = 0;
                    self.is_spaced = false;
                }
                // Blanks at the beginning of a line indent it; others may become its end.
                ' ' if self.column == 0 && self.word.is_empty() => {
                    write!(output, " ")?;
                    self.column = 1;
                }
                ' ' if self.word.is_empty() && self.is_spaced => {
                    write!(output, " ")?;
                    self.column += 1;
                }
                ' ' => {
                    self.end_word(output)?;
                    self.is_spaced = true;
                }
                other => self.word.push(other),
            }
        }
        output.flush()
    }

    fn end_word(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.word.is_empty() {
            return Ok(());
        }
        let length = self.word.chars().count();
        let blank = usize::from(self.is_spaced);
        let is_too_long = self
            .width
            .is_some_and(|width| self.column + blank + length > width);
        if is_too_long && self.column > 0 && self.is_spaced {
            writeln!(output)?;
            self.column = 0;
        } else if self.is_spaced {
            write!(output, " ")?;
            self.column += 1;
        }
        write!(output, "{}", self.word)?;
        self.column += length;
        self.word.clear();
        self.is_spaced = false;
        Ok(())
    }

    /// Ends the line that was begun, if one was.
    fn end_line(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.end_word(output)?;
        self.is_spaced = false;
        if self.column > 0 {
            writeln!(output)?;
            self.column = 0;
        }
        output.flush()
    }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
