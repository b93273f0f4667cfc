//! What a template can put into a word that nobody but a model wrote, read from the template's text: nothing is rendered.
//!
//! ```text
//! {{tool.arguments.text}}      text of the model's choice
//! {{tool.arguments.count}}     a number, if `count` is declared as one
//! {{tool}}                     a JSON document, which begins with a brace
//! ```

use std::ops::Range;

use jp_policy::{Parameter, ParameterType, Parameters};

/// A `{{ .. }}` of a word that holds text of the model's choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    /// Where it stands in the word.
    pub(super) range: Range<usize>,
    /// Whether the word, or the name of its option, begins with what it holds.
    pub(super) begins_word: bool,
    /// Whether it is written as JSON text, quotes and all.
    pub(super) is_json_text: bool,
}

/// Every `{{ .. }}` of a word that can hold text of the model's choice.
pub(super) fn foreign(word: &str, parameters: &Parameters) -> Vec<Foreign> {
    let mut found = Vec::new();
    let mut bound: Vec<String> = Vec::new();
    let mut branches: Vec<Branch> = Vec::new();
    let mut at_start = true;
    for part in parts(word) {
        let text = word.get(part.inner.clone()).unwrap_or_default();
        match part.kind {
            // A dash before the value leaves the option's name to it.
            PartKind::Literal => at_start &= text.chars().all(|character| character == '-'),
            PartKind::Comment => {}
            PartKind::Statement => {
                bind(text, parameters, &mut bound);
                branch(text, &mut branches, &mut at_start);
            }
            PartKind::Expression => {
                let value = Value::of(text, parameters, &bound);
                if value.is_text || value.is_document {
                    found.push(Foreign {
                        range: part.outer,
                        begins_word: at_start && value.is_text && value.begins,
                        is_json_text: value.is_json_text,
                    });
                }
                at_start = false;
            }
        }
    }
    found
}

/// Whether a parameter can hold text that no declaration bounds.
fn holds_text(parameter: &Parameter) -> bool {
    if parameter
        .enumeration
        .as_ref()
        .is_some_and(|values| !values.is_empty())
    {
        return false;
    }
    parameter.types.is_empty()
        || parameter.types.iter().any(|kind| match kind {
            ParameterType::String | ParameterType::Path => true,
            ParameterType::Number | ParameterType::Integer | ParameterType::Boolean => false,
            ParameterType::Array => parameter.items.as_deref().is_none_or(holds_text),
            ParameterType::Object => {
                parameter.properties.is_empty() || parameter.properties.values().any(holds_text)
            }
        })
}

/// Whether a parameter can be a bare string, and not only a list or a table with one inside.
fn is_text(parameter: &Parameter) -> bool {
    holds_text(parameter)
        && (parameter.types.is_empty()
            || parameter
                .types
                .iter()
                .any(|kind| matches!(kind, ParameterType::String | ParameterType::Path)))
}

/// What an expression comes to.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    /// Text of the model's choice.
    is_text: bool,
    /// A list or a table with such text inside.
    is_document: bool,
    /// Whether the text comes first.
    begins: bool,
    is_json_text: bool,
}

impl Value {
    fn of(expression: &str, parameters: &Parameters, bound: &[String]) -> Self {
        let tokens = without_conditions(tokens(expression));
        let is_comparison = tokens.iter().any(|token| {
            matches!(
                token,
                Token::Other('=' | '<' | '>' | '!') | Token::Name("is" | "in" | "not")
            )
        });
        if is_comparison {
            return Self::default();
        }
        let mut value = Self {
            begins: true,
            ..Self::default()
        };
        for (index, token) in tokens.iter().enumerate() {
            let follows_dot = index > 0 && tokens.get(index - 1) == Some(&Token::Other('.'));
            let Token::Name(name) = token else {
                continue;
            };
            if follows_dot {
                continue;
            }
            if bound.iter().any(|bound| bound == name) {
                value.is_text = true;
            } else if *name == "tool" {
                let path = accessors(tokens.get(index + 1..).unwrap_or_default());
                value.add(&path, parameters);
            }
        }
        match last_filter(&tokens) {
            Some("tojson") => {
                value.begins = false;
                value.is_json_text = true;
            }
            Some("length" | "count" | "int" | "float" | "abs" | "round" | "bool") => {
                return Self::default();
            }
            _ => {}
        }
        // `"text" ~ value`: the text comes first.
        if let [Token::Text(first), Token::Other('~'), ..] = tokens.as_slice()
            && !first.chars().all(|character| character == '-')
        {
            value.begins = false;
        }
        value
    }

    fn add(&mut self, path: &[Accessor<'_>], parameters: &Parameters) {
        let any_text = || {
            parameters.open
                || parameters.properties.is_empty()
                || parameters.properties.values().any(holds_text)
        };
        match path {
            [] | [Accessor::Key("arguments" | "answers")] => self.is_document |= any_text(),
            [Accessor::Key("answers") | Accessor::Unknown, ..] => self.is_text = true,
            [Accessor::Key("arguments"), Accessor::Key(name), rest @ ..] => {
                match parameters.properties.get(*name) {
                    Some(parameter) => self.add_parameter(parameter, rest),
                    // What is not declared is always `null`, unless the declaration is not in view.
                    None => self.is_text |= parameters.open,
                }
            }
            [Accessor::Key("arguments"), ..] => self.is_text |= any_text(),
            _ => {}
        }
    }

    fn add_parameter(&mut self, parameter: &Parameter, rest: &[Accessor<'_>]) {
        let inner = match rest.first() {
            None => {
                self.is_text |= is_text(parameter);
                self.is_document |= holds_text(parameter);
                return;
            }
            Some(Accessor::Key(key)) => parameter.properties.get(*key),
            Some(Accessor::Unknown) => parameter.items.as_deref(),
        };
        match inner {
            Some(inner) => self.add_parameter(inner, rest.get(1..).unwrap_or_default()),
            None => self.is_text |= holds_text(parameter),
        }
    }
}

/// The states of an `{% if %}` or `{% for %}`: whether the word has begun.
struct Branch {
    /// Where it opens.
    before: bool,
    /// At the end of any of its finished arms.
    after: bool,
    has_else: bool,
}

fn branch(statement: &str, branches: &mut Vec<Branch>, at_start: &mut bool) {
    let word = statement.split_whitespace().next().unwrap_or_default();
    match word {
        "if" | "for" => branches.push(Branch {
            before: *at_start,
            after: false,
            has_else: false,
        }),
        "else" | "elif" => {
            if let Some(open) = branches.last_mut() {
                open.after |= *at_start;
                open.has_else |= word == "else";
                *at_start = open.before;
            }
        }
        "endif" | "endfor" => {
            if let Some(open) = branches.pop() {
                *at_start |= open.after || (!open.has_else && open.before);
            }
        }
        _ => {}
    }
}

/// The names that `{% for x in .. %}` and `{% set x = .. %}` bind to text of the model's choice.
fn bind(statement: &str, parameters: &Parameters, bound: &mut Vec<String>) {
    let tokens = tokens(statement);
    let separator = match tokens.first() {
        Some(Token::Name("for")) => Token::Name("in"),
        Some(Token::Name("set")) => Token::Other('='),
        _ => return,
    };
    let Some(at) = tokens.iter().position(|token| *token == separator) else {
        return;
    };
    let keyword = if separator == Token::Other('=') {
        "="
    } else {
        " in "
    };
    let Some((_, source)) = statement.split_once(keyword) else {
        return;
    };
    let value = Value::of(source, parameters, bound);
    if !value.is_text && !value.is_document {
        return;
    }
    bound.extend(
        tokens
            .iter()
            .take(at)
            .skip(1)
            .filter_map(|token| match token {
                Token::Name(name) => Some((*name).to_owned()),
                _ => None,
            }),
    );
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Literal,
    Expression,
    Statement,
    Comment,
}

/// A stretch of a template.
struct Part {
    kind: PartKind,
    /// With its braces.
    outer: Range<usize>,
    /// Without them.
    inner: Range<usize>,
}

fn parts(word: &str) -> Vec<Part> {
    const OPENERS: [(&str, &str, PartKind); 3] = [
        ("{{", "}}", PartKind::Expression),
        ("{%", "%}", PartKind::Statement),
        ("{#", "#}", PartKind::Comment),
    ];
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(rest) = word.get(from..).filter(|rest| !rest.is_empty()) {
        let next = OPENERS
            .iter()
            .filter_map(|opener| Some((rest.find(opener.0)?, opener)))
            .min_by_key(|(at, _)| *at);
        let literal = next.map_or(rest.len(), |(at, _)| at);
        if literal > 0 {
            let range = from..from + literal;
            parts.push(Part {
                kind: PartKind::Literal,
                outer: range.clone(),
                inner: range,
            });
        }
        let Some((at, (open, close, kind))) = next else {
            break;
        };
        let start = from + at;
        let inner = start + open.len();
        let Some(length) = word.get(inner..).and_then(|rest| closing(rest, close)) else {
            // It cannot be rendered, which is said elsewhere.
            return Vec::new();
        };
        let end = inner + length + close.len();
        let text = word.get(inner..inner + length).unwrap_or_default();
        // `{{- x -}}` takes away the blanks around it.
        let trimmed = text.trim_start_matches(['-', '+']);
        let skipped = text.len() - trimmed.len();
        let trimmed = trimmed.trim_end_matches(['-', '+']).len();
        parts.push(Part {
            kind: *kind,
            outer: start..end,
            inner: inner + skipped..inner + skipped + trimmed,
        });
        from = end;
    }
    parts
}

/// Where a template's closing braces stand, outside of strings.
fn closing(text: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if text.get(at..).is_some_and(|rest| rest.starts_with(close)) => return Some(at),
            None if matches!(character, '"' | '\'') => quote = Some(character),
            None => {}
        }
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Name(&'a str),
    Text(&'a str),
    Other(char),
}

fn tokens(expression: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |character: char| character.is_alphanumeric() || character == '_';
        let length = if is_name(first) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            tokens.extend(rest.get(..length).map(Token::Name));
            length
        } else if matches!(first, '"' | '\'') {
            let inner = rest.get(1..).unwrap_or_default();
            let length = inner.find(first).unwrap_or(inner.len());
            tokens.extend(inner.get(..length).map(Token::Text));
            (length + 2).min(rest.len())
        } else {
            tokens.push(Token::Other(first));
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    tokens
}

/// Takes out what only decides which value an expression has: `"-v" if tool.arguments.loud else ""`.
fn without_conditions(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut in_condition = false;
    let kept = tokens.into_iter().filter(|token| match token {
        Token::Name("if") => {
            in_condition = true;
            false
        }
        Token::Name("else") => {
            in_condition = false;
            true
        }
        _ => !in_condition,
    });
    kept.collect()
}

/// A step into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accessor<'a> {
    Key(&'a str),
    /// An index, or one that is only known when the template is rendered.
    Unknown,
}

/// The steps that follow a name: `.a["b"][0]`.
fn accessors<'a>(mut tokens: &[Token<'a>]) -> Vec<Accessor<'a>> {
    let mut path = Vec::new();
    loop {
        match tokens {
            [Token::Other('.'), Token::Name(key), rest @ ..]
            | [
                Token::Other('['),
                Token::Text(key),
                Token::Other(']'),
                rest @ ..,
            ] => {
                path.push(Accessor::Key(key));
                tokens = rest;
            }
            [Token::Other('['), rest @ ..] => {
                path.push(Accessor::Unknown);
                let close = rest.iter().position(|token| *token == Token::Other(']'));
                tokens = close.map_or(&[], |at| rest.get(at + 1..).unwrap_or_default());
            }
            _ => return path,
        }
    }
}

/// The filter that has the last word, where one applies to the whole expression.
fn last_filter<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let at = tokens
        .iter()
        .rposition(|token| *token == Token::Other('|'))?;
    match tokens.get(at + 1..)? {
        [Token::Name(name)] => Some(name),
        [Token::Name(name), Token::Other('('), .., Token::Other(')')] => Some(name),
        _ => None,
    }
}
