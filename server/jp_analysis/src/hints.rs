//! Short words between the lines: what an alias stands for, what `write` grants, what happens otherwise, a call for each rule.
//!
//! ```toml
//! id = "haiku"        # ⟨= anthropic/claude-haiku-4⟩
//! write = true        # ⟨= create, update, delete⟩
//! ```

mod examples;

use std::collections::BTreeSet;

use jp_config::{
    document::{Array, Document, Entry, Key, Node, SectionRef, Span, Table, TableKind},
    graph::FileId,
    model_id::ModelReference,
    schema::{NodeId, StringFormat, schema},
    view::View,
};
use jp_policy::RunMode;

use crate::{
    explain::{PolicyOrigin, PolicyQuestion, ToolPolicy},
    lenses::LensTarget,
    model_alias::resolve_alias,
    options::Options,
    place::{Place, line_of, shown_path},
    risk::{Risk, risk},
    text::markup,
    tool::{DEFAULTS, ToolContext},
};

/// A word after some text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The byte that it stands before.
    pub offset: u32,
    /// The word; control characters are written out.
    pub label: String,
    /// What it means.
    pub tooltip: &'static str,
    /// What choosing it explains, if anything.
    pub explains: Option<LensTarget>,
}

/// Which hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintOptions {
    /// Whether each rule of a policy has a call that it decides at the end of its line.
    pub rule_examples: bool,
}

/// The hints within a span, by position.
#[must_use]
pub fn hints(
    view: &View,
    file: FileId,
    document: &Document,
    span: Span,
    options: HintOptions,
) -> Vec<Hint> {
    let mut hints = Hints {
        view,
        file,
        document,
        span,
        found: Vec::new(),
        policies: BTreeSet::new(),
    };
    for section in document.sections() {
        let own = section.span();
        if own.start > span.end || own.end < span.start {
            continue;
        }
        hints.section(section);
    }
    if options.rule_examples {
        hints.examples();
    }
    hints.found.retain(|hint| span.touches(hint.offset));
    hints
        .found
        .sort_by(|a, b| (a.offset, &a.label).cmp(&(b.offset, &b.label)));
    hints.found
}

struct Hints<'a> {
    view: &'a View,
    file: FileId,
    document: &'a Document,
    span: Span,
    found: Vec<Hint>,
    /// The tools of which rules were met, each with the key of its `policy`.
    policies: BTreeSet<(String, &'static str)>,
}

impl Hints<'_> {
    fn add(&mut self, offset: u32, label: &str, tooltip: &'static str) {
        self.found.push(Hint {
            offset,
            label: markup::one_line(&markup::shortened(label, 80)),
            tooltip,
            explains: None,
        });
    }

    fn section(&mut self, section: SectionRef<'_>) {
        let keys: Vec<&str> = section.header().into_iter().map(Key::text).collect();
        if let (["conversation", "tools", tool], Some(header)) =
            (keys.as_slice(), section.header_span())
            && *tool != DEFAULTS
        {
            self.effective_mode(tool, header);
        }
        let Ok(lookup) = schema().lookup_header(keys.iter().copied()) else {
            return;
        };
        let in_list = section.is_array_of_tables() || passes_list(&keys);
        let node = if section.is_array_of_tables() {
            schema().item(lookup.node)
        } else {
            Some(lookup.node)
        };
        if section.is_array_of_tables() {
            self.fallback_of_sections(&keys, section);
        }
        self.met_rules(&keys);
        let mut path = keys;
        self.table(&mut path, node, section.body(), in_list);
    }

    /// How calls of a tool run, where its own table does not say it.
    fn effective_mode(&mut self, tool: &str, header: Span) {
        let Some(context) = ToolContext::of(self.view, tool, Options::default()) else {
            return;
        };
        let Ok(rules) = ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask) else {
            return;
        };
        let from_elsewhere = matches!(
            rules.origin,
            PolicyOrigin::DefaultsMode | PolicyOrigin::DefaultsPolicy | PolicyOrigin::Nothing
        );
        if !from_elsewhere {
            return;
        }
        let label = match rules.policy.is_unconditional() {
            Some(mode) => format!("runs: {mode}"),
            None => format!("runs: {} rules of '*'", rules.policy.len()),
        };
        self.add(
            header.end,
            &label,
            "How calls run; the tool's own tables do not say it.",
        );
    }

    fn table<'a>(
        &mut self,
        path: &mut Vec<&'a str>,
        node: Option<NodeId>,
        table: Table<'a>,
        in_list: bool,
    ) {
        for entry in table.entries() {
            path.push(entry.key());
            if entry.value().as_bool() == Some(true) {
                self.write(path, table, entry.value());
            }
            if let Some(risk) = risk(path, table, entry.value())
                && let Some(words) = self.risk_words(path, risk)
            {
                let offset = entry.value().span().end;
                self.add(offset, words, "Nothing narrows it: look twice.");
            }
            self.entry(path, node, entry, in_list);
            path.pop();
        }
    }

    fn entry<'a>(
        &mut self,
        path: &mut Vec<&'a str>,
        parent: Option<NodeId>,
        entry: Entry<'a>,
        in_list: bool,
    ) {
        let value = entry.value();
        let node = parent.and_then(|parent| schema().child(parent, entry.key()));
        match value {
            Node::Table(table) => {
                let inline = table.kind() == TableKind::Inline;
                if !inline || self.is_near(table.span()) {
                    self.table(path, node, table, in_list);
                }
                return;
            }
            Node::Array(array) if self.is_near(array.span()) => {
                self.met_rules(path);
                if !in_list {
                    self.fallback(path, array, array.span().end);
                }
                let item = node.and_then(|node| schema().item(node));
                for element in array.items() {
                    if let Node::Table(table) = element {
                        self.table(path, item, table, true);
                    }
                }
            }
            Node::Str(_) => self.alias(node, value),
            _ => {}
        }
        if !in_list && self.is_near(value.span()) {
            self.overridden(path, value);
        }
    }

    /// Notes the tool and the key of a path that leads to rules.
    fn met_rules(&mut self, path: &[&str]) {
        let ["conversation", "tools", tool, "policy", key, rest @ ..] = path else {
            return;
        };
        let known = ["run", "result"].into_iter().find(|known| known == key);
        if let (Some(key), [] | ["value"]) = (known, rest)
            && *tool != DEFAULTS
        {
            self.policies.insert(((*tool).to_owned(), key));
        }
    }

    /// The words beside a value that grants everything, or lets everything run; the others speak for themselves.
    fn risk_words(&self, path: &[&str], risk: Risk) -> Option<&'static str> {
        match risk {
            Risk::EveryFile => return Some("the whole workspace"),
            Risk::EveryVariable => return Some("every variable"),
            Risk::Unasked | Risk::OwnGrants => return None,
            Risk::EveryCall => {}
        }
        let context = ToolContext::of(self.view, path.get(2)?, Options::default())?;
        let rules = ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask).ok()?;
        match rules.policy.is_unconditional() {
            Some(RunMode::Unattended) => Some("every call, without asking"),
            None if path.last() == Some(&"mode") => Some("every other call, without asking"),
            // Something else decides.
            _ => None,
        }
    }

    fn is_near(&self, span: Span) -> bool {
        span.start <= self.span.end && self.span.start <= span.end
    }

    /// What `write = true` grants in a rule about files, beside what the rule says itself.
    fn write(&mut self, path: &[&str], rule: Table<'_>, value: Node<'_>) {
        let ["conversation", "tools", _, "access", "fs", .., "write"] = path else {
            return;
        };
        let mut granted = vec!["create", "update", "delete"];
        granted.retain(|capability| rule.get(capability).is_none());
        if !granted.is_empty() {
            self.add(
                value.span().end,
                &format!("= {}", granted.join(", ")),
                "`write` is the default of `create`, `update` and `delete`.",
            );
        }
    }

    fn alias(&mut self, node: Option<NodeId>, value: Node<'_>) {
        let is_model =
            node.is_some_and(|node| schema().formats(node).contains(&StringFormat::ModelId));
        let Some(text) = value.as_str().filter(|_| is_model) else {
            return;
        };
        if let Ok(ModelReference::Alias(alias)) = ModelReference::parse(&text)
            && let Some(model) = resolve_alias(self.view, &alias)
        {
            self.add(
                value.span().end,
                &format!("= {model}"),
                "The model that the alias stands for.",
            );
        }
    }

    /// What happens to calls that no rule of a list matches, after the list.
    fn fallback(&mut self, path: &[&str], rules: Array<'_>, after: u32) {
        let ["conversation", "tools", tool, "policy", key, value @ ..] = path else {
            return;
        };
        let is_list = matches!(*key, "run" | "result") && matches!(value, [] | ["value"]);
        if !is_list || rules.is_empty() {
            return;
        }
        let has_catch_all = rules.items().any(|rule| match rule {
            Node::Table(rule) => rule.get("arg").is_none() && rule.get("mode").is_some(),
            // A rule that is still being typed may become one.
            _ => true,
        });
        // Other layers may add one.
        let policy = ["conversation", "tools", tool, "policy", key];
        let ends_elsewhere = || {
            let effective = self.view.effective(&policy);
            let rules = effective.as_ref().and_then(|rules| rules.value.as_list());
            let mut rules = rules.unwrap_or_default().iter();
            rules.any(|rule| rule.get("arg").is_none() && rule.get("mode").is_some())
        };
        if !has_catch_all && !ends_elsewhere() {
            self.add(after, "otherwise: ask", "A call that no rule matches asks.");
        }
    }

    /// The same for rules that are sections of their own, after the last one.
    fn fallback_of_sections(&mut self, path: &[&str], section: SectionRef<'_>) {
        let rules = path
            .iter()
            .try_fold(Node::Table(self.document.root()), |node, key| {
                Some(node.as_table()?.get(key)?.value())
            });
        let Some(rules) = rules.and_then(Node::as_array) else {
            return;
        };
        let last = rules.items().last().and_then(Node::as_table);
        if last.and_then(Table::header_span) != section.header_span() {
            return;
        }
        if let Some(entry) = section.body().entries().last() {
            self.fallback(path, rules, entry.value().span().end);
        }
    }

    /// The layer whose value stands instead of this one.
    fn overridden(&mut self, path: &[&str], value: Node<'_>) {
        if matches!(value, Node::Array(_) | Node::Table(_)) {
            return;
        }
        let Some(found) = self.view.effective(path) else {
            return;
        };
        let own = Place {
            file: self.file,
            span: value.span(),
        };
        let Some(winner) = found.origin().and_then(|origin| {
            Some(Place {
                file: self.view.file(origin.layer)?,
                span: origin.span,
            })
        }) else {
            return;
        };
        // A text that a later layer was appended to is still there.
        let is_joined = match (value.as_str(), found.value.as_str()) {
            (Some(own), Some(whole)) => own.len() < whole.len() && whole.contains(&*own),
            _ => false,
        };
        if is_joined || winner == own || winner.file == own.file {
            return;
        }
        let graph = self.view.graph();
        let label = format!(
            "overridden by {}:{}",
            shown_path(graph, winner),
            line_of(graph, winner) + 1
        );
        self.add(
            value.span().end,
            &label,
            "A stronger layer sets another value.",
        );
    }
}

/// Whether a header leads through a list of tables.
fn passes_list(keys: &[&str]) -> bool {
    let schema = schema();
    let mut node = schema.root();
    for key in keys {
        if schema.item(node).is_some() {
            return true;
        }
        match schema.child(node, key) {
            Some(child) => node = child,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
#[path = "hints_tests.rs"]
mod tests;
