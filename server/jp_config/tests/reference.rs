//! `docs/KEYS.md`: every key of the config, out of the schema tree.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::{borrow::Cow, collections::BTreeSet, fmt::Write as _};

use expect_test::expect_file;
use jp_config::schema::{Node, NodeId, Requirement, Schema, Shape, Shared, schema};
use pretty_assertions::assert_eq;
use serde_json::Value;

const HEAD: &str = "# Every key of the config

What may stand in `.jp/config.toml` and in every file that it brings in, out of the schema that editors, `jp-lsp check` and the runtime go by; `jp-lsp schema` prints the same for other programs.
In a path, `[]` is any element of a list, and a word in `<>` is a name that you choose.
Of several files that set a value the strongest stands, and tables merge key by key, unless the key says otherwise: [CONFIG.md](CONFIG.md) says which file is stronger, and what a [merge wrapper](CONFIG.md#merge-wrappers) is.
What several keys have in common stands once, under [parts](#parts).
";

const PARTS: &str = "
## Parts

The keys here stand below each key that refers to the part: `id` of a model is `assistant.model.id`, for one.
";

/// `UPDATE_EXPECT=1 cargo test -p jp_config --test reference` writes the page anew.
#[test]
fn the_committed_reference_is_current() {
    expect_file!["../../../docs/KEYS.md"].assert_eq(&Page::of(schema()).text);
}

/// Every key of the schema stands in the page, but for those of the merge wrappers.
#[test]
fn nothing_is_left_out() {
    let page = Page::of(schema());
    let told: BTreeSet<NodeId> = page.told.iter().copied().collect();
    let wrappers = schema().nodes().filter_map(|(_, node)| node.wrapper);
    let wrapped: BTreeSet<NodeId> = wrappers
        .flat_map(|wrapper| schema().fields(wrapper))
        .flat_map(|field| {
            let map = schema().map(field.node);
            map.map(|map| map.value).into_iter().chain([field.node])
        })
        .collect();
    let paths = schema().paths().into_iter();
    let lost: Vec<String> = paths
        .filter(|(_, id)| !told.contains(id) && !wrapped.contains(id))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(lost, Vec::<String>::new());
}

struct Page<'s> {
    schema: &'s Schema,
    text: String,
    /// The parts that are to be described, each with a node that bears its name.
    parts: Vec<(Shared, NodeId)>,
    told: Vec<NodeId>,
}

impl<'s> Page<'s> {
    fn of(schema: &'s Schema) -> Self {
        let mut page = Self {
            schema,
            text: HEAD.to_owned(),
            parts: Vec::new(),
            told: Vec::new(),
        };
        for field in schema.fields(schema.root()) {
            write!(page.text, "\n## {}\n\n", field.name).unwrap();
            page.key(field.name, field.node, field.requirement, true);
        }
        page.text.push_str(PARTS);
        let mut next = 0;
        while let Some((name, id)) = page.parts.get(next).copied() {
            write!(page.text, "\n### {}\n\n", name.as_str()).unwrap();
            page.words(id, "");
            page.below("", id, true);
            next += 1;
        }
        page
    }

    /// A key with all that the schema says of it, and the keys below it.
    fn key(&mut self, path: &str, id: NodeId, requirement: Requirement, is_known: bool) {
        self.told.push(id);
        let node = self.schema.node(id);
        write!(self.text, "- `{path}`: {}", self.schema.describe(id)).unwrap();
        if let Some(default) = &node.default {
            write!(self.text, "; `{}` by default", in_toml(default)).unwrap();
        }
        self.text.push_str(".\n");
        let doc = node.doc.lines().filter(|line| !line.is_empty());
        let facts = [
            requirement.describe(),
            node.sensitivity.describe().map(Into::into),
        ];
        let merge = node.merge.describe().filter(|_| !path.ends_with("[]"));
        let merge = merge.map(|merge| format!("In several files: {merge}"));
        let unreleased = (is_known && !node.released)
            .then(|| "The released `jp` does not know it yet and refuses the file.".to_owned());
        let facts = facts.into_iter().flatten().map(Cow::into_owned);
        let example = node
            .examples
            .first()
            .map(|example| format!("Such as `{example}`."));
        let sentences = doc
            .map(str::to_owned)
            .chain(facts)
            .chain(merge)
            .chain(unreleased);
        for sentence in sentences.chain(example) {
            writeln!(self.text, "  {sentence}").unwrap();
        }
        let parts: Vec<&str> = self.parts_in(id).into_iter().map(Shared::as_str).collect();
        if !parts.is_empty() {
            let links = parts
                .iter()
                .map(|part| format!("[{part}](#{})", part.to_lowercase()));
            let links: Vec<String> = links.collect();
            writeln!(self.text, "  See {}.", links.join(" and ")).unwrap();
        }
        if node.name.is_none() {
            self.words(id, "  ");
            self.below(path, id, is_known && node.released);
        }
    }

    /// The words that a value may be.
    fn words(&mut self, id: NodeId, indent: &str) {
        for branch in self.schema.branches(id) {
            let node = self.schema.node(branch);
            if branch != id && node.name.is_some() {
                continue;
            }
            let Shape::Enum(variants) = node.shape else {
                continue;
            };
            for variant in variants {
                let doc = match variant.deprecated {
                    Some(instead) => format!("a legacy spelling of `{instead}`."),
                    None => variant.doc.to_owned(),
                };
                if !doc.is_empty() {
                    writeln!(self.text, "{indent}- `{}`: {doc}", variant.value).unwrap();
                }
            }
        }
    }

    /// The keys below a value, without those of its parts.
    fn below(&mut self, path: &str, id: NodeId, is_known: bool) {
        let join = |key: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        match &self.schema.node(id).shape {
            Shape::Struct(shape) => {
                for field in &shape.fields {
                    self.key(&join(field.name), field.node, field.requirement, is_known);
                }
            }
            Shape::Map(shape) => {
                let optional = Requirement::Optional;
                for (key, node) in &shape.literal {
                    self.key(&join(&format!("'{key}'")), *node, optional, is_known);
                }
                self.key(
                    &join(&format!("<{}>", shape.key.label())),
                    shape.value,
                    optional,
                    is_known,
                );
            }
            Shape::List { item } if self.schema.node(*item).name.is_none() => {
                self.below(&format!("{path}[]"), *item, is_known);
            }
            Shape::Union(branches) => {
                for branch in branches {
                    if self.schema.node(*branch).name.is_none() {
                        self.below(path, *branch, is_known);
                    }
                }
            }
            _ => {}
        }
    }

    /// The parts that a value is or consists of, which are described on their own.
    fn parts_in(&mut self, id: NodeId) -> Vec<Shared> {
        let mut found = Vec::new();
        for branch in [vec![id], self.schema.branches(id)].concat() {
            let item = self.schema.item(branch).filter(|item| *item != branch);
            for id in [Some(branch), item].into_iter().flatten() {
                let node = self.schema.node(id);
                if let Some(name) = node.name
                    && !found.contains(&name)
                    && self.has_more_to_say(node)
                {
                    found.push(name);
                    if !self.parts.iter().any(|(known, _)| *known == name) {
                        self.parts.push((name, id));
                    }
                }
            }
        }
        found
    }

    fn has_more_to_say(&self, node: &Node) -> bool {
        match &node.shape {
            Shape::Struct(_) | Shape::Map(_) | Shape::Enum(_) => true,
            Shape::List { item } => self.has_more_to_say(self.schema.node(*item)),
            Shape::Union(branches) => branches
                .iter()
                .any(|branch| self.has_more_to_say(self.schema.node(*branch))),
            _ => false,
        }
    }
}

/// A default as one writes it into the config.
fn in_toml(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_toml).collect())),
        Value::Object(table) => {
            let entries = table.iter();
            let entries = entries.map(|(key, value)| format!("{key} = {}", in_toml(value)));
            format!("{{ {} }}", joined(entries.collect()))
        }
        scalar => scalar.to_string(),
    }
}
