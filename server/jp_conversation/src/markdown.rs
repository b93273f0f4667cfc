//! A conversation as a Markdown document for people.
//!
//! ````markdown
//! ## Turn 1
//!
//! ### User
//!
//! > List the files.
//!
//! ### Tool call `fs_list_files`
//!
//! ```json
//! {"prefixes": ["src"]}
//! ```
//! ````
//!
//! Nothing that a model, a tool or a file says can leave its place in the document, load anything or run anything:
//! messages stand in block quotes without HTML, images and unusual links, everything else in fences.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use serde_json::Value;

use crate::config_delta::ConfigDelta;
use crate::decision::{Answerer, CallDecision, DecidedBy, GrantDecision};
use crate::event::{ChatRequest, ChatResponse, ConversationEvent, EventKind};
use crate::inquiry::{
    InquiryAnswerType, InquiryQuestion, InquiryRequest, InquiryResponse, InquirySource,
};
use crate::repair::repair;
use crate::visible::visible;

/// Renders events as Markdown, repaired as [`repair`] says.
#[must_use]
pub fn markdown(events: &[ConversationEvent]) -> String {
    let mut document = Document::default();
    for event in repair(events) {
        document.event(&event);
    }
    document.text
}

/// Renders one turn, the `number`th from 1.
///
/// The turns of a conversation, joined by a line feed, are what [`markdown`] gives for the whole, so that a document can
/// grow without being rendered anew.
#[must_use]
pub fn turn_markdown(turn: &[ConversationEvent], number: usize) -> String {
    let mut document = Document {
        turns: number.saturating_sub(1),
        ..Document::default()
    };
    for event in repair(turn) {
        document.event(&event);
    }
    document.text
}

/// The Markdown of a conversation that goes on: what it has said never changes, it only gains.
///
/// A call of the last turn that has no result yet stands there without one, until its result is appended.
#[derive(Debug, Clone, Default)]
pub struct GrowingMarkdown {
    turns: usize,
    has_begun: bool,
}

impl GrowingMarkdown {
    /// The document of what is recorded so far, and its text.
    #[must_use]
    pub fn begin(events: &[ConversationEvent]) -> (Self, String) {
        let is_start = |event: &ConversationEvent| matches!(event.kind, EventKind::TurnStart);
        let last = events.iter().rposition(is_start).unwrap_or(events.len());
        let (before, current) = events.split_at_checked(last).unwrap_or((events, &[]));
        let mut document = Document::default();
        for event in repair(before) {
            document.event(&event);
        }
        for event in current {
            document.event(event);
        }
        document.pause()
    }

    /// What these further events add to the text.
    #[must_use]
    pub fn append(&mut self, events: &[ConversationEvent]) -> String {
        let mut document = Document {
            text: String::new(),
            turns: self.turns,
            has_begun: self.has_begun,
        };
        for event in events {
            document.event(event);
        }
        let (state, text) = document.pause();
        *self = state;
        text
    }
}

/// The text within a fence that it cannot end, with hidden characters made [`visible`].
#[must_use]
pub fn fenced(language: &str, text: &str) -> String {
    let text = visible(text);
    let fence = fence(&text);
    let newline = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}{language}\n{text}{newline}{fence}\n")
}

/// What begins and ends a fence that the text cannot end.
#[must_use]
pub fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).saturating_add(1).max(3))
}

/// The text as inline code on one line.
fn code(text: &str) -> String {
    let text = visible(text).replace('\n', "␊");
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text).saturating_add(1));
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[derive(Default)]
struct Document {
    text: String,
    turns: usize,
    /// Whether something stands before `text`.
    has_begun: bool,
}

impl Document {
    /// What it takes to go on later, and the text so far.
    fn pause(self) -> (GrowingMarkdown, String) {
        let state = GrowingMarkdown {
            turns: self.turns,
            has_begun: self.has_begun,
        };
        (state, self.text)
    }

    fn event(&mut self, event: &ConversationEvent) {
        match &event.kind {
            EventKind::TurnStart => {
                self.turns += 1;
                let heading = format!("## Turn {}", self.turns);
                self.block(&heading);
            }
            EventKind::ChatRequest(request) => self.chat_request(request),
            EventKind::ChatResponse(ChatResponse::Message(text)) => {
                self.block("### Assistant");
                self.quote(text);
            }
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
                self.block("### Reasoning");
                self.quote(text);
            }
            EventKind::ChatResponse(ChatResponse::Data(data)) => {
                self.block("### Assistant");
                self.json(data);
            }
            EventKind::ToolCallRequest(call) => {
                self.block(&format!("### Tool call {}", code(&call.name)));
                self.json(&Value::Object(call.arguments.clone()));
            }
            EventKind::ToolCallResponse(response) => {
                if let Some(edited) = event.edited_arguments() {
                    self.block("### Arguments as edited");
                    self.json(&Value::Object(edited.clone()));
                }
                if let Some(decisions) = event.decisions() {
                    let run = decisions.run.iter().map(|run| decided("Call", run));
                    let result = decisions.result.iter();
                    // That a result was delivered unasked is seen from the result.
                    let result = result.filter(|result| result.mode != "unattended");
                    let result = result.map(|result| decided("Result", result));
                    let grant = decisions.grant.iter().map(granted);
                    run.chain(result)
                        .chain(grant)
                        .for_each(|line| self.block(&line));
                }
                self.block(if response.is_error {
                    "### Error"
                } else {
                    "### Result"
                });
                self.block(&fenced("", &response.content));
            }
            EventKind::InquiryRequest(request) => self.inquiry(request),
            EventKind::InquiryResponse(response) => self.block(&outcome(response)),
            EventKind::ConfigDelta(delta) => self.config_delta(delta),
            EventKind::Compaction(compaction) => {
                let turns = (
                    compaction.from_turn.saturating_add(1),
                    compaction.to_turn.saturating_add(1),
                );
                self.block(&format!(
                    "### Compaction of turns {} to {}",
                    turns.0, turns.1
                ));
            }
            EventKind::Unknown(_) => {}
        }
    }

    fn chat_request(&mut self, request: &ChatRequest) {
        match &request.author {
            Some(Value::String(author)) => self.block(&format!("### User {}", code(author))),
            _ => self.block("### User"),
        }
        self.quote(&request.content);
    }

    fn inquiry(&mut self, request: &InquiryRequest) {
        let source = match &request.source {
            InquirySource::Tool { name } | InquirySource::Other { name } => code(name),
            InquirySource::Assistant => "assistant".to_owned(),
            InquirySource::User => "user".to_owned(),
        };
        self.block(&format!("### Question ({source})"));
        let InquiryQuestion {
            text,
            context,
            answer_type,
            ..
        } = &request.question;
        if let Some(context) = context {
            self.block(&fenced("", context));
        }
        self.quote(text);
        if let InquiryAnswerType::Select { options } = answer_type {
            let options = options
                .iter()
                .map(|option| format!("- {}\n", code(&plain(&option.value))));
            self.block(&options.collect::<String>());
        }
    }

    fn config_delta(&mut self, delta: &ConfigDelta) {
        if delta.takes_back {
            self.block("### Configuration change taken back");
        }
        if delta.has_own() || !delta.takes_back {
            self.block("### Configuration changed");
        }
        if !delta.delta.is_empty() {
            self.json(&Value::Object(delta.delta.clone()));
        }
        if !delta.unsets.is_empty() {
            let unsets = delta
                .unsets
                .iter()
                .map(|path| format!("- {} (unset)\n", code(path)));
            self.block(&unsets.collect::<String>());
        }
    }

    /// A block, with an empty line before it.
    fn block(&mut self, text: &str) {
        if self.has_begun {
            self.text.push('\n');
        }
        self.has_begun = true;
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.block(&fenced("json", &text));
    }

    /// A message as a block quote.
    fn quote(&mut self, text: &str) {
        self.block(&quote(text));
    }
}

/// A decision in a few words: "Call allowed by a person (`jp/prompt`, `Neovim`), `ask` by rule 2".
fn decided(what: &str, decision: &CallDecision) -> String {
    let mut names = names(&decision.answerer);
    if decision.remembered {
        names.push("earlier in the turn".to_owned());
    }
    let rule = match &decision.rule {
        Some(rule) => format!("rule {}", rule.index.saturating_add(1)),
        None => "no rule".to_owned(),
    };
    let by = by(decision.by, &names);
    let mode = code(&decision.mode);
    format!(
        "{what} {} by {by}: {mode} by {rule}",
        decision.outcome.word()
    )
}

fn granted(decision: &GrantDecision) -> String {
    let by = by(decision.by, &names(&decision.answerer));
    let rule = code(&decision.rule);
    format!("Grant {} by {by}: {rule}", decision.outcome.word())
}

fn names(answerer: &Answerer) -> Vec<String> {
    let names = [&answerer.surface, &answerer.client].into_iter().flatten();
    names.map(|name| code(name)).collect()
}

fn by(by: DecidedBy, names: &[String]) -> String {
    let by = match by {
        DecidedBy::Policy => "the policy",
        DecidedBy::Person => "a person",
        DecidedBy::Nobody => "default, nobody answered",
    };
    match names {
        [] => by.to_owned(),
        names => format!("{by} ({})", names.join(", ")),
    }
}

fn outcome(response: &InquiryResponse) -> String {
    match response {
        InquiryResponse::Answered { answer, .. } => match answer {
            Value::String(text) if text.contains('\n') => {
                format!("Answer:\n\n{}", fenced("", text))
            }
            _ => format!("Answer: {}", word_or_code(&plain(answer))),
        },
        InquiryResponse::Cancelled { reason, .. } => {
            format!("Cancelled ({})", word_or_code(reason.as_str()))
        }
        InquiryResponse::Redacted { .. } => "Answer: \\<redacted>".to_owned(),
    }
}

/// Text that Markdown shows as it is, or else as code.
fn word_or_code(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, ' ' | '.' | ',' | '/' | '-')
    };
    let is_word = text
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || character == '_');
    if !text.is_empty() && (is_word || text.chars().all(is_plain)) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(code(text))
    }
}

/// A string without its quotes, anything else as JSON.
fn plain(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        _ => Cow::Owned(value.to_string()),
    }
}

/// Rounds of escaping after which a message that still holds something unsafe goes into a fence.
const ROUNDS: usize = 8;

/// A message as a block quote that loads and runs nothing: without HTML, images, and links other than to the web.
///
/// Escaping one construct may reveal another beneath it, hence the rounds.
fn quote(message: &str) -> String {
    let message = visible(message);
    let mut quote = String::with_capacity(message.len() + 64);
    for line in message.lines() {
        quote.push_str(if line.is_empty() { ">" } else { "> " });
        quote.push_str(line);
        quote.push('\n');
    }
    if quote.is_empty() {
        quote.push_str(">\n");
    }
    for _ in 0..ROUNDS {
        let unsafe_starts = unsafe_starts(&quote);
        if unsafe_starts.is_empty() {
            return quote;
        }
        quote = escape_at(&quote, &unsafe_starts);
    }
    fenced("", &message)
}

/// Where something unsafe begins, ascending.
fn unsafe_starts(text: &str) -> Vec<usize> {
    let parser = Parser::new_ext(text, Options::empty());
    // A definition serves the whole document, whoever wrote the link.
    let definitions = parser.reference_definitions().iter();
    let mut starts: Vec<usize> = definitions
        .filter(|(_, definition)| !is_web(&definition.dest))
        .map(|(_, definition)| definition.span.start)
        .collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => {
                starts.extend(openings(text, range));
            }
            Event::Start(Tag::Image { .. }) => starts.push(range.start),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) if !is_web(&dest_url) && !matches!(link_type, LinkType::Email) => {
                starts.push(range.start);
            }
            _ => {}
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Every `<` of an HTML construct.
fn openings(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let html = text.get(range.clone()).unwrap_or_default();
    html.match_indices('<')
        .map(move |(offset, _)| range.start + offset)
}

fn is_web(target: &str) -> bool {
    let scheme = target.split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("https")
        || scheme.eq_ignore_ascii_case("http")
        || target.starts_with('#')
}

/// The text with a backslash, or for `<` its entity, at each of the ascending positions.
fn escape_at(text: &str, positions: &[usize]) -> String {
    let mut escaped = String::with_capacity(text.len() + positions.len() * 4);
    let mut done = 0;
    for position in positions {
        let (Some(before), Some(rest)) = (text.get(done..*position), text.get(*position..)) else {
            continue;
        };
        escaped.push_str(before);
        done = *position;
        if rest.starts_with('<') {
            escaped.push_str("&lt;");
            done += 1;
        } else {
            escaped.push('\\');
        }
    }
    escaped.push_str(text.get(done..).unwrap_or_default());
    escaped
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
