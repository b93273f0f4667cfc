//! The form of a policy rule: the matcher that is written, or those that its parameter may have (RFD D25).
//!
//! ```text
//! { arg = "/kind", const | enum | pattern | prefix, mode }
//! { arg = "/kind", prefix = string, mode = "ask" | "unattended" | "edit" | "skip" }
//! ```

use jp_config::{
    document::PathSegment,
    schema::{NodeId, schema},
};
use jp_policy::{MatcherKind, ParameterType, Parameters, PointerTarget, pointer, target};

use super::{Form, Signature, Site, describe_field, is_begun, words};
use crate::{
    options::Options,
    text::{
        markup::{Markup, code, one_line, shortened},
        toml_text,
    },
    tool::{
        ToolContext,
        parameters::{parameter_of, parameters, type_words},
    },
};

/// The most declared values that a form lists.
const MOST_VALUES: usize = 4;

/// The most matchers and pointers that a form lists.
const MOST_NAMES: usize = 4;

/// The form of the rule that a site is in; nothing where it is in none.
pub(super) fn signature(site: &Site<'_>) -> Option<Signature> {
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
        parameters: parameters.as_ref(),
        pointer: pointer.as_deref(),
        target,
    };
    let matchers = rule.matchers();
    Some(match rule.matcher(&matchers) {
        None if rule.is_catch_all() => rule.catch_all(),
        matcher => rule.conditional(matcher, &matchers),
    })
}

/// A rule as far as it is written.
struct Rule<'a> {
    site: &'a Site<'a>,
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

    /// The matcher that is written or begun.
    fn matcher(&self, matchers: &[MatcherKind]) -> Option<MatcherKind> {
        let typed = self.site.key.unwrap_or_default();
        let mut written = matchers.iter();
        let written = written.find(|kind| self.site.has(kind.keyword()));
        let begun = || matchers.iter().find(|kind| is_begun(kind.keyword(), typed));
        written.or_else(begun).copied()
    }

    /// Whether the rule has a mode and nothing that narrows it.
    fn is_catch_all(&self) -> bool {
        let is_mode = self.site.key == Some("mode") || self.site.has("mode");
        self.pointer.is_none() && !self.site.has("arg") && is_mode
    }

    /// `{ arg, <matcher>, mode }`.
    fn conditional(&self, matcher: Option<MatcherKind>, matchers: &[MatcherKind]) -> Signature {
        let keyword = matcher.map_or("", MatcherKind::keyword);
        let active = self.site.active(&["arg", keyword, "mode"]);
        let mut form = Form::new(self.site.kind);
        let arg = match self.pointer {
            Some(pointer) => format!("arg = {}", toml_text::value(&pointer.into())),
            None => "arg = pointer".to_owned(),
        };
        form.key(&arg, |markup| self.describe_arg(markup));
        match matcher {
            Some(kind) => {
                let part = format!("{keyword} = {}", self.value_words(kind));
                form.key(&part, |markup| self.describe_matcher(kind, markup));
            }
            None => {
                let part = listed(matchers.iter().map(|kind| kind.keyword().to_owned()), " | ");
                form.key(&part, |markup| {
                    let all = matchers.iter().map(|kind| code(kind.keyword()));
                    let all: Vec<String> = all.collect();
                    markup.paragraph(&format!("How the argument is compared: {}", all.join(", ")));
                });
            }
        }
        self.mode(&mut form, active == Some(2));
        form.finish("The first rule that matches a call decides it.", active)
    }

    /// `{ mode }`.
    fn catch_all(&self) -> Signature {
        let mut form = Form::new(self.site.kind);
        let active = self.site.active(&["mode"]);
        self.mode(&mut form, true);
        form.finish("Matches every call that no earlier rule matches.", active)
    }

    fn mode(&self, form: &mut Form, is_active: bool) {
        let fields = schema().fields(self.site.node);
        if let Some(field) = fields.iter().find(|field| field.name == "mode") {
            let part = match is_active {
                true => format!("mode = {}", words(field.node)),
                false => "mode".to_owned(),
            };
            form.key(&part, |markup| describe_field(field, markup));
        }
    }

    fn field(&self, key: &str) -> Option<NodeId> {
        schema().child(self.site.node, key)
    }

    fn describe_arg(&self, markup: &mut Markup) {
        let Some(pointer) = self.pointer else {
            let names = self.parameters.map(|parameters| &parameters.properties);
            let names = names.into_iter().flatten();
            let known = listed(
                names.map(|(name, _)| code(&format!("/{}", pointer::encoded(name)))),
                ", ",
            );
            match (known.is_empty(), self.field("arg")) {
                (false, _) => markup.paragraph(&format!("Arguments: {known}")),
                (true, Some(node)) => markup.paragraph(schema().node(node).summary()),
                (true, None) => {}
            }
            return;
        };
        let declared = self
            .parameters
            .and_then(|parameters| parameter_of(parameters, pointer));
        let mut line = match declared {
            Some(parameter) => format!("{}: {}.", code(pointer), type_words(parameter)),
            None => format!("No parameter is known at {}.", code(pointer)),
        };
        let values = self
            .target
            .as_ref()
            .and_then(|target| target.values.as_ref());
        if let Some(values) = values.filter(|values| !values.is_empty()) {
            let values = values.iter().map(|value| code(&toml_text::value(value)));
            line.push_str(&format!(" One of {}", listed(values, ", ")));
        }
        markup.paragraph(&line);
    }

    fn describe_matcher(&self, kind: MatcherKind, markup: &mut Markup) {
        if let Some(node) = self.field(kind.keyword()) {
            markup.paragraph(schema().node(node).summary());
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

/// The first few names.
fn listed(names: impl Iterator<Item = String>, separator: &str) -> String {
    let mut shown: Vec<String> = names.take(MOST_NAMES + 1).collect();
    if let Some(last) = shown.get_mut(MOST_NAMES) {
        *last = "…".to_owned();
    }
    shown.join(separator)
}
