//! The messages of a request as providers take them.
//!
//! ```json
//! {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm", "signature": "s"}]}
//! ```
//!
//! That is what an answer leaves behind that was stopped right after its reasoning, and a request with it is refused:
//! "The final block in an assistant message cannot be `thinking`".
//! A recorded conversation may hold this and more that providers refuse.
//! The record stays as it is; whatever is wrong with it is put right each time that a request is written.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::request::{AssistantContent, AssistantPart, Message, Request};

/// What asks a model to go on where its own words end.
///
/// Newer models refuse a conversation that ends with their own words, and none can be asked for an answer after them.
pub(crate) const CONTINUE: &str =
    "Continue exactly where your answer above ends, and do not repeat any of it.";

/// What stands for a message without words, which most providers refuse.
const EMPTY: &str = "(empty message)";

/// What stands for the name of a tool that a model left out.
const UNNAMED: &str = "unnamed";

/// The longest name of a tool that every provider takes.
const LONGEST_NAME: usize = 64;

/// What a provider takes of an answer of its model.
pub(crate) struct Manners<T> {
    /// Whether the provider wants a part back that has no words for the user and calls nothing.
    pub(crate) takes_back: T,
    /// Whether the parts go back in their order, so that reasoning may not be the last.
    pub(crate) in_order: bool,
}

/// The messages of `request` without what no provider takes, in the order that all of them take:
/// the user speaks first and last, nobody speaks twice in a row, and no answer is without words and calls.
///
/// Tools and the user are different speakers here; where they are one to a provider, its own writer joins them.
pub(crate) fn transcript(
    request: &Request,
    manners: &Manners<impl Fn(&AssistantPart) -> bool>,
) -> Vec<Message> {
    let known: HashSet<&str> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let mut ids = Ids::default();
    let mut messages: Vec<Message> = Vec::with_capacity(request.messages.len());
    for message in &request.messages {
        let mut message = message.clone();
        match &mut message {
            Message::User(_) => {}
            Message::Assistant(parts) => {
                manners.clean(parts);
                if parts.is_empty() {
                    continue;
                }
                for part in parts {
                    if let AssistantContent::ToolCall { id, name, .. } = &mut part.content {
                        rename(name, &known);
                        *id = ids.call(id);
                    }
                }
            }
            Message::Tool(results) => {
                for result in results {
                    rename(&mut result.name, &known);
                    result.id = ids.result(&result.id);
                }
            }
        }
        join(&mut messages, message);
    }
    let opening = messages
        .iter()
        .position(|message| matches!(message, Message::User(_)));
    messages.drain(..opening.unwrap_or(0));
    for message in &mut messages {
        if let Message::User(text) = message
            && text.trim().is_empty()
        {
            EMPTY.clone_into(text);
        }
    }
    if let Some(Message::Assistant(_)) = messages.last() {
        messages.push(Message::User(CONTINUE.to_owned()));
    }
    messages
}

/// The ids of calls, each once in a conversation: some servers begin to count anew with each answer.
#[derive(Default)]
struct Ids {
    used: HashSet<String>,
    /// What became of the ids of calls whose results are still to come.
    open: HashMap<String, VecDeque<String>>,
}

impl Ids {
    /// The id of a call that nobody has yet.
    fn call(&mut self, id: &str) -> String {
        let mut own = id.to_owned();
        let mut number = 1;
        while !self.used.insert(own.clone()) {
            number += 1;
            own = format!("{id}_{number}");
        }
        let open = self.open.entry(id.to_owned()).or_default();
        open.push_back(own.clone());
        own
    }

    /// The id of the call that a result belongs to: of several with one id, the first that has none.
    fn result(&mut self, id: &str) -> String {
        let open = self.open.get_mut(id).and_then(VecDeque::pop_front);
        open.unwrap_or_else(|| id.to_owned())
    }
}

impl<T: Fn(&AssistantPart) -> bool> Manners<T> {
    /// Drops what the provider does not take, which may be all there is.
    fn clean(&self, parts: &mut Vec<AssistantPart>) {
        parts.retain(|part| is_said(part) || (self.takes_back)(part));
        if !parts.iter().any(is_said) {
            parts.clear();
        }
        let is_reasoning =
            |part: &AssistantPart| matches!(part.content, AssistantContent::Reasoning(_));
        while self.in_order && parts.last().is_some_and(is_reasoning) {
            parts.pop();
        }
    }
}

/// Whether a part is words for the user, or a call.
fn is_said(part: &AssistantPart) -> bool {
    match &part.content {
        AssistantContent::Text(text) => !text.trim().is_empty(),
        AssistantContent::Reasoning(_) => false,
        AssistantContent::ToolCall { .. } => true,
    }
}

/// Adds a message, to the last one where the same side speaks.
fn join(messages: &mut Vec<Message>, message: Message) {
    match (messages.last_mut(), message) {
        (Some(Message::User(said)), Message::User(text)) => {
            if said.trim().is_empty() {
                *said = text;
            } else if !text.trim().is_empty() {
                said.push_str("\n\n");
                said.push_str(&text);
            }
        }
        (Some(Message::Assistant(said)), Message::Assistant(parts)) => said.extend(parts),
        (Some(Message::Tool(said)), Message::Tool(results)) => said.extend(results),
        (_, message) => messages.push(message),
    }
}

/// Makes the name of a tool that is not offered, because a model made it up or it is gone, one that providers take.
fn rename(name: &mut String, known: &HashSet<&str>) {
    if known.contains(name.as_str()) {
        return;
    }
    let mut fitting = word(name);
    fitting.truncate(LONGEST_NAME);
    if fitting.is_empty() {
        UNNAMED.clone_into(&mut fitting);
    }
    *name = fitting;
}

/// The text with `_` for whatever is no ASCII letter, digit, `_` or `-`.
pub(crate) fn word(text: &str) -> String {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    text.chars()
        .map(|character| if fits(character) { character } else { '_' })
        .collect()
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
