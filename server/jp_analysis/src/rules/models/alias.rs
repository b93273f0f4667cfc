//! `alias-unknown` and `alias-cycle`: references to models lead to a model.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"
//! small = "haiku"
//!
//! [assistant.model]
//! id = "hiaku"   # did you mean `haiku`?
//! ```
//!
//! codes: alias-cycle, alias-unknown

use std::collections::HashSet;

use indexmap::IndexMap;
use jp_config::{
    merge::{LayerId, Located},
    model_id::ModelReference,
    schema::{NodeId, Schema, Shared, schema},
    view::View,
    words::suggest,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::Fix,
    model_alias::ALIASES,
    options::Options,
    text::{node::schema_node_of, toml_text},
    tool::ToolContext,
};

/// The tables outside the tools in which models are referred to.
pub(in crate::rules) const REFERRING: [&[&str]; 6] = [
    &["assistant", "model"],
    &["conversation", "title", "generate", "model"],
    &["conversation", "inquiry", "assistant", "model"],
    &["conversation", "compaction"],
    &["style", "reasoning", "summary_model"],
    &ALIASES,
];

pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
    let schema = schema();
    let aliases = Aliases::of(view);
    for path in REFERRING {
        let Some(located) = view.effective(path) else {
            continue;
        };
        let node = schema_node_of(path);
        let mut references = Vec::new();
        collect(schema, node, &located, &mut references);
        for reference in references {
            found.extend(unknown(view, &aliases, reference));
        }
    }
    cycles(view, &aliases, found);
}

pub(super) fn check_tool(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    let Some(questions) = context.tool.get("questions") else {
        return;
    };
    let schema = schema();
    let node = schema_node_of(&["conversation", "tools", context.name, "questions"]);
    let mut references = Vec::new();
    collect(schema, node, questions, &mut references);
    if references.is_empty() {
        return;
    }
    let aliases = Aliases::of(context.view);
    for reference in references {
        found.extend(unknown(context.view, &aliases, reference));
    }
}

/// The aliases that the layers of a view define.
struct Aliases(Option<Located>);

impl Aliases {
    fn of(view: &View) -> Self {
        Self(view.effective(&ALIASES))
    }

    fn table(&self) -> Option<&IndexMap<String, Located>> {
        self.0.as_ref()?.value.as_table()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.table()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
    }

    /// The alias that an alias stands for.
    fn next(&self, name: &str) -> Option<&str> {
        alias(self.table()?.get(name)?)
    }
}

/// The alias that a value names, if it is one.
fn alias(value: &Located) -> Option<&str> {
    let text = value.value.as_str()?;
    matches!(ModelReference::parse(text), Ok(ModelReference::Alias(_))).then_some(text)
}

/// All values that the schema calls a model id.
fn collect<'a>(
    schema: &Schema,
    node: Option<NodeId>,
    located: &'a Located,
    references: &mut Vec<&'a Located>,
) {
    let Some(node) = node else {
        return;
    };
    if schema.node(node).name == Some(Shared::ModelId) {
        references.push(located);
        return;
    }
    for (key, value) in located.value.as_table().into_iter().flatten() {
        collect(schema, schema.child(node, key), value, references);
    }
    for item in located.value.as_list().into_iter().flatten() {
        collect(schema, schema.item(node), item, references);
    }
}

fn unknown(view: &View, aliases: &Aliases, reference: &Located) -> Option<Diagnostic> {
    let name = alias(reference)?;
    if aliases.names().any(|known| known == name) {
        return None;
    }
    let place = place(view, reference)?;
    let near = suggest(name, aliases.names());
    Some(match near {
        Some(near) => {
            let finding = Diagnostic::new(
                Code::AliasUnknown,
                place,
                format!("no model alias `{name}` is defined; did you mean `{near}`?"),
            )
            .with_fix(Fix::replace(
                format!("Write `{near}`"),
                place,
                toml_text::string(near),
            ));
            let defined = aliases.table().and_then(|table| table.get(near));
            match defined.and_then(|defined| key_place(view, defined)) {
                Some(defined) => finding.with_related(defined, format!("`{near}` is defined here")),
                None => finding,
            }
        }
        None => Diagnostic::new(
            Code::AliasUnknown,
            place,
            format!(
                "no file of this workspace defines the model alias `{name}`; define it under `[providers.llm.aliases]`, or write `<provider>/<model>`, unless your own config defines it"
            ),
        )
        .with_severity(Severity::Hint),
    })
}

fn cycles(view: &View, aliases: &Aliases, found: &mut Vec<Diagnostic>) {
    let mut settled: HashSet<&str> = HashSet::new();
    for start in aliases.names() {
        let mut chain = vec![start];
        let mut seen = HashSet::from([start]);
        let mut here = start;
        while let Some(next) = aliases.next(here) {
            if settled.contains(next) {
                break;
            }
            if !seen.insert(next) {
                report(view, aliases, &cycle_from(&chain, next), found);
                break;
            }
            chain.push(next);
            here = next;
        }
        settled.extend(chain);
    }
}

/// The part of a chain that leads back to itself.
fn cycle_from<'a>(chain: &[&'a str], start: &str) -> Vec<&'a str> {
    chain
        .iter()
        .copied()
        .skip_while(|name| *name != start)
        .collect()
}

/// Reports each alias of a cycle where it is defined.
fn report(view: &View, aliases: &Aliases, cycle: &[&str], found: &mut Vec<Diagnostic>) {
    for (index, name) in cycle.iter().enumerate() {
        let Some(place) = aliases
            .table()
            .and_then(|table| table.get(*name))
            .and_then(|value| place(view, value))
        else {
            continue;
        };
        let mut names: Vec<&str> = cycle
            .iter()
            .copied()
            .cycle()
            .skip(index)
            .take(cycle.len())
            .collect();
        names.push(name);
        found.push(Diagnostic::new(
            Code::AliasCycle,
            place,
            format!(
                "model alias cycle detected: `{}`; let one of them name a model, `<provider>/<model>`",
                names.join("` -> `")
            ),
        ));
    }
}

fn place(view: &View, located: &Located) -> Option<Place> {
    let origin = located.origin()?;
    place_of(view, origin.layer, origin.span)
}

fn key_place(view: &View, located: &Located) -> Option<Place> {
    let origin = located.origin()?;
    place_of(view, origin.layer, origin.key.unwrap_or(origin.span))
}

fn place_of(view: &View, layer: LayerId, span: jp_config::document::Span) -> Option<Place> {
    Some(Place {
        file: view.file(layer)?,
        span,
    })
}

#[cfg(test)]
#[path = "alias_tests.rs"]
mod tests;
