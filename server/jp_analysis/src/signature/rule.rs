//! The forms of a policy rule: one for each matcher that its parameter may have (RFD D25).
//!
//! ```text
//! { arg = "/kind", const = "file" | "dir", mode = "ask" | "unattended" | "edit" | "skip" }
//! { arg = "/kind", prefix = string, mode = … }
//! ```

use jp_config::{
    document::PathSegment,
    schema::{NodeId, schema},
};
use jp_policy::{MatcherKind, ParameterType, Parameters, PointerTarget, pointer, target};

use super::{Form, Signature, SignatureHelp, Site, describe_field, is_begun, words};
use crate::{
    options::Options,
    text::{
        markup::{Markup, code, one_line, shortened},
        toml_text,
    },
    tool::{
        ToolContext,
        parameters::{describe_argument, parameter_of, parameters, type_words},
    },
};

/// The most declared values that a form lists.
const MOST_VALUES: usize = 4;

/// The most pointers that a rule without one lists.
const MOST_POINTERS: usize = 12;

/// The forms of the rule that a site is in; nothing where it is in none.
pub(super) fn signatures(site: &Site<'_>) -> Option<SignatureHelp> {
    let [
        PathSegment::Key("conversation"),
        PathSegment::Key("tools"),
        PathSegment::Key(tool),
        PathSegment::Key("policy"),
        PathSegment::Key("run" | "result"),
        below @ ..,
    ] = site.path
    else {
        return None;
    };
    if !matches!(
        below,
        [PathSegment::Index(_)] | [PathSegment::Key("value"), PathSegment::Index(_)]
    ) {
        return None;
    }
    let context = ToolContext::of(site.view, tool, Options::default());
    let parameters = context.as_ref().map(parameters);
    let pointer = site
        .table
        .and_then(|table| table.get("arg"))
        .and_then(|arg| arg.value().as_str())
        .map(std::borrow::Cow::into_owned);
    let target = pointer
        .as_deref()
        .and_then(|pointer| target(pointer, parameters.as_ref()?));
    let rule = Rule {
        site,
        context: context.as_ref(),
        parameters: parameters.as_ref(),
        pointer: pointer.as_deref(),
        target,
    };
    let matchers = rule.matchers();
    let mut signatures: Vec<Signature> = matchers
        .iter()
        .map(|kind| rule.conditional(*kind))
        .collect();
    if pointer.is_none() {
        signatures.push(rule.catch_all());
    }
    let active = rule.active(&matchers);
    Some(SignatureHelp { signatures, active })
}

/// A rule as far as it is written.
struct Rule<'a> {
    site: &'a Site<'a>,
    context: Option<&'a ToolContext<'a>>,
    parameters: Option<&'a Parameters>,
    pointer: Option<&'a str>,
    /// What the pointer leads to, as far as it is known.
    target: Option<PointerTarget>,
}

impl Rule<'_> {
    /// The matchers that can stand in the rule; all of them while its parameter is not known.
    fn matchers(&self) -> Vec<MatcherKind> {
        match &self.target {
            Some(target) => target.matchers.clone(),
            None => MatcherKind::ALL.to_vec(),
        }
    }

    /// The form that fits what is written.
    fn active(&self, matchers: &[MatcherKind]) -> usize {
        let typed = self.site.key.unwrap_or_default();
        let written = matchers
            .iter()
            .position(|kind| self.site.has(kind.keyword()));
        let begun = || {
            let mut matchers = matchers.iter();
            matchers.position(|kind| is_begun(kind.keyword(), typed))
        };
        let is_catch_all = self.pointer.is_none() && (typed == "mode" || self.site.has("mode"));
        let fallback = if is_catch_all { matchers.len() } else { 0 };
        written.or_else(begun).unwrap_or(fallback)
    }

    /// `{ arg, <matcher>, mode }`.
    fn conditional(&self, kind: MatcherKind) -> Signature {
        let mut form = Form::new(self.site.kind);
        let arg = match self.pointer {
            Some(pointer) => format!("arg = {}", toml_text::value(&pointer.into())),
            None => "arg = pointer".to_owned(),
        };
        form.key(&arg, |markup| self.describe_arg(markup));
        let keyword = kind.keyword();
        let value = self.value_words(kind);
        form.key(&format!("{keyword} = {value}"), |markup| {
            self.describe_matcher(kind, markup);
        });
        self.mode(&mut form);
        let mut doc = match self.field(keyword) {
            Some(node) => schema().node(node).doc.to_owned(),
            None => String::new(),
        };
        doc.push_str("\n\nThe first rule that matches a call decides it.");
        form.finish(&doc, self.site.active(&["arg", keyword, "mode"]))
    }

    /// `{ mode }`.
    fn catch_all(&self) -> Signature {
        let mut form = Form::new(self.site.kind);
        self.mode(&mut form);
        let doc = "Matches every call that no earlier rule matches.";
        form.finish(doc, self.site.active(&["mode"]))
    }

    fn mode(&self, form: &mut Form) {
        let fields = schema().fields(self.site.node);
        if let Some(field) = fields.iter().find(|field| field.name == "mode") {
            let part = format!("mode = {}", words(field.node));
            form.key(&part, |markup| describe_field(field, markup));
        }
    }

    fn field(&self, key: &str) -> Option<NodeId> {
        schema().child(self.site.node, key)
    }

    fn describe_arg(&self, markup: &mut Markup) {
        if let (Some(context), Some(pointer)) = (self.context, self.pointer) {
            let declared = self
                .parameters
                .and_then(|parameters| parameter_of(parameters, pointer));
            if declared.is_some() {
                describe_argument(context, pointer, markup);
                return;
            }
            markup.paragraph(&format!("No parameter is known at {}.", code(pointer)));
        } else if let Some(node) = self.field("arg") {
            markup.paragraph(schema().node(node).doc);
        }
        let names = self.parameters.map(|parameters| &parameters.properties);
        let names = names.into_iter().flatten().take(MOST_POINTERS);
        for (name, parameter) in names {
            let name = pointer::encoded(name);
            let words = type_words(parameter);
            markup.item(&format!("{}: {words}", code(&format!("/{name}"))));
        }
    }

    fn describe_matcher(&self, kind: MatcherKind, markup: &mut Markup) {
        if let Some(node) = self.field(kind.keyword()) {
            markup.paragraph(schema().node(node).doc);
        }
        let Some(target) = &self.target else {
            return;
        };
        let types: Vec<&str> = target.types.iter().map(|kind| kind.keyword()).collect();
        if !types.is_empty() {
            markup.item(&format!("Compared with: {}", types.join(" or ")));
        }
        if let Some(values) = &target.values {
            let values: Vec<String> = values
                .iter()
                .take(12)
                .map(|value| code(&toml_text::value(value)))
                .collect();
            markup.item(&format!("Declared: {}", values.join(", ")));
        }
        let is_path = target.types.contains(&ParameterType::Path);
        if is_path && kind != MatcherKind::Pattern {
            markup.item("Paths are normalized first: `./src/` is `src`");
        }
    }

    /// What the value of a matcher looks like.
    fn value_words(&self, kind: MatcherKind) -> String {
        match kind {
            MatcherKind::Const => self.element_words(" | "),
            MatcherKind::Enum => format!("[{}, …]", self.element_words(" | ")),
            MatcherKind::Pattern => "regular expression".to_owned(),
            MatcherKind::Prefix => match &self.target {
                Some(target) if target.types == [ParameterType::Path] => "path".to_owned(),
                _ => "string".to_owned(),
            },
            MatcherKind::Minimum
            | MatcherKind::Maximum
            | MatcherKind::ExclusiveMinimum
            | MatcherKind::ExclusiveMaximum => "number".to_owned(),
        }
    }

    /// The declared values, or else the types.
    fn element_words(&self, separator: &str) -> String {
        let Some(target) = &self.target else {
            return "value".to_owned();
        };
        if let Some(values) = target.values.as_ref().filter(|values| !values.is_empty()) {
            let mut words: Vec<String> = values
                .iter()
                .take(MOST_VALUES)
                .map(|value| one_line(&shortened(&toml_text::value(value), 20)))
                .collect();
            if values.len() > MOST_VALUES {
                words.push("…".to_owned());
            }
            return words.join(separator);
        }
        let words: Vec<&str> = target
            .types
            .iter()
            .map(|kind| match kind {
                ParameterType::Boolean => "true | false",
                kind => kind.keyword(),
            })
            .collect();
        if words.is_empty() {
            "value".to_owned()
        } else {
            words.join(separator)
        }
    }
}
