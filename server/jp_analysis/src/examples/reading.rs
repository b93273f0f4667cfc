//! What a text says, and every mistake in it.
//!
//! ```toml
//! [[case]]
//! tool = "read"
//! call = { path = "src/a" }
//! run = "aks"          # unknown mode `aks`, did you mean `ask`?
//! ```

use std::{borrow::Cow, collections::BTreeMap};

use jp_config::{
    document::{Document, Entry, Node, Span, Table},
    words::suggest,
};
use jp_policy::{Mode, ResultMode, RunMode};
use serde_json::{Map, Value, json};

use super::{
    Answer, Aspect, CASE, CASE_KEYS, Case, Examples, Expectation, ExpectedRule, Question,
    TARGET_KEYS,
};
use crate::{
    explain::{config_capability, fs_capability},
    mistake::Mistake,
};

impl Examples {
    /// Takes the cases of a text, and all of its mistakes.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let document = Document::parse(text);
        let mut reader = Reader {
            mistakes: Mistake::of_syntax(&document),
        };
        let mut cases = Vec::new();
        for entry in document.root().entries() {
            if entry.key() == CASE {
                reader.cases(entry, &mut cases);
            } else {
                let key = entry.key();
                let message = format!(
                    "unknown key `{key}`: a file of examples has nothing but `[[{CASE}]]` tables"
                );
                reader.mistake(entry.key_span(), message);
            }
        }
        let mut mistakes = reader.mistakes;
        mistakes.sort();
        mistakes.dedup();
        Self { cases, mistakes }
    }
}

/// Collects mistakes.
struct Reader {
    mistakes: Vec<Mistake>,
}

impl Reader {
    fn mistake(&mut self, span: Span, message: impl Into<String>) {
        let message = message.into();
        self.mistakes.push(Mistake { span, message });
    }

    /// Tells that a value is of another type; of one that is missing the syntax error says so already.
    fn wrong_type(&mut self, node: Node<'_>, message: String) {
        if !node.is_missing() {
            self.mistake(node.span(), message);
        }
    }

    fn cases(&mut self, entry: Entry<'_>, cases: &mut Vec<Case>) {
        match entry.value() {
            Node::Array(list) => {
                for item in list.items() {
                    match item {
                        Node::Table(table) => cases.extend(self.case(table)),
                        other => self.wrong_type(
                            other,
                            format!("a case is a table: write `[[{CASE}]]`, and its keys below it"),
                        ),
                    }
                }
            }
            Node::Missing(_) => {}
            _ => self.mistake(
                entry.key_span(),
                format!("`{CASE}` is a list of tables: write `[[{CASE}]]`, with two brackets"),
            ),
        }
    }

    fn case(&mut self, table: Table<'_>) -> Option<Case> {
        let before = self.mistakes.len();
        let keys = CASE_KEYS.map(|(key, _)| key);
        for entry in table.entries() {
            self.known_key(entry, &keys, "a case");
        }
        let span = table.span();
        let name = self.name(table);
        let tool = self.tool(table, span);
        let question = self.question(table, span);
        let (question, entry) = question?;
        let mut places = BTreeMap::new();
        let input = self.input(question, entry.value(), &mut places);
        let expectations = self.expectations(table, question, entry);
        let (tool, tool_span) = tool?;
        (self.mistakes.len() == before).then_some(())?;
        Some(Case {
            name,
            span,
            tool,
            tool_span,
            question,
            input: input?,
            expectations,
            input_span: entry.value().span(),
            places,
        })
    }

    fn known_key(&mut self, entry: Entry<'_>, known: &[&'static str], place: &str) {
        let key = entry.key();
        if known.contains(&key) || entry.first_key().is_missing() {
            return;
        }
        let message = match suggest(key, known.iter().copied()) {
            Some(near) => format!("unknown key `{key}`, did you mean `{near}`?"),
            None => format!(
                "unknown key `{key}`: the keys of {place} are `{}`",
                known.join("`, `")
            ),
        };
        self.mistake(entry.key_span(), message);
    }

    fn name(&mut self, table: Table<'_>) -> Option<String> {
        let value = table.get("name")?.value();
        let name = value.as_str();
        if name.is_none() {
            let message = "`name` is a text: write `name = \"what this case shows\"`";
            self.wrong_type(value, message.to_owned());
        }
        name.map(Cow::into_owned)
    }

    fn tool(&mut self, table: Table<'_>, span: Span) -> Option<(String, Span)> {
        let message = "write the tool that is called, such as `tool = \"fs_read_file\"`";
        let Some(entry) = table.get("tool") else {
            self.mistake(span, format!("this case has no `tool`: {message}"));
            return None;
        };
        let value = entry.value();
        let Some(tool) = value.as_str() else {
            self.wrong_type(value, format!("`tool` is a text: {message}"));
            return None;
        };
        Some((tool.into_owned(), value.span()))
    }

    fn question<'a>(&mut self, table: Table<'a>, span: Span) -> Option<(Question, Entry<'a>)> {
        let mut asked = table
            .entries()
            .filter_map(|entry| {
                let mut questions = Question::ALL.into_iter();
                let question = questions.find(|question| question.key() == entry.key())?;
                Some((question, entry))
            })
            .collect::<Vec<_>>()
            .into_iter();
        let Some(first) = asked.next() else {
            self.mistake(
                span,
                "this case asks nothing: write `call = { … }` and `run = \"ask\"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`",
            );
            return None;
        };
        for (another, entry) in asked {
            let message = format!(
                "a case asks one thing, and this one asks `{}` already: give `{}` a `[[{CASE}]]` of its own",
                first.0.key(),
                another.key()
            );
            self.mistake(entry.key_span(), message);
        }
        Some(first)
    }

    /// The question as `explain` takes it.
    fn input(
        &mut self,
        question: Question,
        node: Node<'_>,
        places: &mut BTreeMap<String, Span>,
    ) -> Option<Value> {
        let key = question.key();
        match question {
            Question::Call => {
                if node.as_table().is_none() {
                    let message = "`call` is a table of arguments: write `call = { path = \"src/lib.rs\" }`, or `call = {}` for none";
                    self.wrong_type(node, message.to_owned());
                    return None;
                }
                self.argument(node, String::new(), places)
            }
            Question::Net | Question::Env => {
                let Some(target) = node.as_str() else {
                    let example = match question {
                        Question::Net => "https://example.org/",
                        _ => "HOME",
                    };
                    let message = format!("`{key}` is a text: write `{key} = \"{example}\"`");
                    self.wrong_type(node, message);
                    return None;
                };
                Some(json!({ key: target }))
            }
            Question::Fs | Question::Config => {
                let target = self.target(question, node, places)?;
                Some(json!({ key: target }))
            }
        }
    }

    /// An argument as JSON.
    fn argument(
        &mut self,
        node: Node<'_>,
        place: String,
        places: &mut BTreeMap<String, Span>,
    ) -> Option<Value> {
        let value = match node {
            Node::Table(table) => {
                let mut members = Map::new();
                for entry in table.entries() {
                    let name = match place.as_str() {
                        "" => entry.key().to_owned(),
                        place => format!("{place}.{}", entry.key()),
                    };
                    let value = self.argument(entry.value(), name, places);
                    members.insert(entry.key().to_owned(), value.unwrap_or_default());
                }
                Value::Object(members)
            }
            Node::Array(list) => {
                let items = list.items().enumerate();
                let items = items.map(|(index, item)| {
                    let value = self.argument(item, format!("{place}[{index}]"), places);
                    value.unwrap_or_default()
                });
                Value::Array(items.collect())
            }
            Node::Str(text) => Value::String(text.value().into_owned()),
            Node::Integer(_) => node.as_i64().map(Value::from)?,
            Node::Boolean(_) => node.as_bool().map(Value::from)?,
            Node::Float(_) => {
                let number = node.as_f64().and_then(serde_json::Number::from_f64);
                if number.is_none() {
                    let message =
                        "JSON has no such number, so no call can have it: write a finite one";
                    self.mistake(node.span(), message);
                }
                number.map(Value::Number)?
            }
            Node::Datetime(date) => {
                let message = format!(
                    "JSON has no dates, so no call can have one: write it as a text, `\"{}\"`",
                    date.text()
                );
                self.mistake(node.span(), message);
                return None;
            }
            Node::Missing(_) => return None,
        };
        places.insert(place, node.span());
        Some(value)
    }

    /// What of files or config is to be reached, and how.
    fn target(
        &mut self,
        question: Question,
        node: Node<'_>,
        places: &mut BTreeMap<String, Span>,
    ) -> Option<Value> {
        let key = question.key();
        let path = match question {
            Question::Config => "assistant.model",
            _ => "src/lib.rs",
        };
        let example = format!("write `{key} = {{ capability = \"read\", path = \"{path}\" }}`");
        let Some(table) = node.as_table() else {
            self.wrong_type(node, format!("`{key}` is a table: {example}"));
            return None;
        };
        for entry in table.entries() {
            self.known_key(entry, &TARGET_KEYS, &format!("`{key}`"));
        }
        let mut target = Map::new();
        for part in TARGET_KEYS {
            let Some(entry) = table.get(part) else {
                self.mistake(table.span(), format!("`{key}` has no `{part}`: {example}"));
                continue;
            };
            let value = entry.value();
            let Some(text) = value.as_str() else {
                self.wrong_type(value, format!("`{part}` is a text: {example}"));
                continue;
            };
            places.insert(part.to_owned(), value.span());
            target.insert(part.to_owned(), text.into_owned().into());
        }
        if let Some(word) = target.get("capability").and_then(Value::as_str) {
            let refused = match question {
                Question::Config => config_capability(word).err(),
                _ => fs_capability(word).err(),
            };
            if let Some(error) = refused {
                let span = places.get("capability").copied();
                self.mistake(span.unwrap_or_else(|| node.span()), error.to_string());
            }
        }
        Some(Value::Object(target))
    }

    fn expectations(
        &mut self,
        table: Table<'_>,
        question: Question,
        asked: Entry<'_>,
    ) -> Vec<Expectation> {
        let rule = table.get("rule").and_then(|entry| self.rule(entry));
        let is_call = question == Question::Call;
        let mut found = Vec::new();
        let mut is_given = false;
        for aspect in [Aspect::Run, Aspect::Result, Aspect::Allowed] {
            let Some(entry) = table.get(aspect.key()) else {
                continue;
            };
            if is_call == (aspect == Aspect::Allowed) {
                self.mistake(entry.key_span(), misplaced(aspect, question));
                continue;
            }
            is_given = true;
            if let Some(answer) = self.answer(aspect, entry.value()) {
                found.push(Expectation {
                    aspect,
                    answer,
                    // Of two lists of rules, it is the first that is meant.
                    rule: rule.filter(|_| found.is_empty()),
                });
            }
        }
        if !is_given {
            let message = match is_call {
                true => {
                    "nothing is expected of this call: write `run = \"ask\"` or `result = \"unattended\"`, or both".to_owned()
                }
                false => format!(
                    "nothing is expected of this `{}`: write `allowed = true` or `allowed = false`",
                    question.key()
                ),
            };
            self.mistake(asked.key_span(), message);
        }
        found
    }

    fn answer(&mut self, aspect: Aspect, value: Node<'_>) -> Option<Answer> {
        let key = aspect.key();
        let known: Vec<&'static str> = match aspect {
            Aspect::Allowed => {
                let allowed = value.as_bool();
                if allowed.is_none() {
                    let message = "`allowed` is `true` or `false`, without quotes";
                    self.wrong_type(value, message.to_owned());
                }
                return allowed.map(Answer::Allowed);
            }
            Aspect::Run => RunMode::ALL.iter().map(|mode| mode.keyword()).collect(),
            Aspect::Result => ResultMode::ALL.iter().map(|mode| mode.keyword()).collect(),
        };
        let all = known.join("\"`, `\"");
        let Some(word) = value.as_str() else {
            self.wrong_type(
                value,
                format!("`{key}` is a mode: write one of `\"{all}\"`"),
            );
            return None;
        };
        if known.contains(&&*word) {
            return Some(Answer::Mode(word.into_owned()));
        }
        let message = match suggest(&word, known.iter().copied()) {
            Some(near) => format!("unknown mode `{word}`, did you mean `{near}`?"),
            None => format!("unknown mode `{word}`: write one of `\"{all}\"`"),
        };
        self.mistake(value.span(), message);
        None
    }

    fn rule(&mut self, entry: Entry<'_>) -> Option<ExpectedRule> {
        let value = entry.value();
        let number = value.as_i64().and_then(|number| u64::try_from(number).ok());
        match (number, value.as_str().as_deref()) {
            (Some(0), _) | (_, Some("fallback")) => Some(ExpectedRule::Fallback),
            (Some(number), _) => Some(ExpectedRule::Number(number)),
            _ => {
                let message = "`rule` is the number of the rule that decides, counted from 1: write `rule = 2`, or `rule = \"fallback\"` where none decides";
                self.wrong_type(value, message.to_owned());
                None
            }
        }
    }
}

/// What to say about an expectation that does not go with a question.
fn misplaced(aspect: Aspect, question: Question) -> String {
    let (aspect, question) = (aspect.key(), question.key());
    match question {
        "call" => format!(
            "`{aspect}` goes with `fs`, `net`, `env` and `config`: of a `call` write `run = \"ask\"` or `result = \"unattended\"`"
        ),
        _ => format!(
            "`{aspect}` goes with `call`: of `{question}` write `allowed = true` or `allowed = false`"
        ),
    }
}
