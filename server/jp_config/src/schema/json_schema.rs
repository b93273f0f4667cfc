//! The JSON Schema of a config file, for editors that know no better.
//!
//! ```json
//! { "$schema": "http://json-schema.org/draft-07/schema#", "title": "jp config", "properties": {} }
//! ```
//!
//! Draft-07 is the newest draft that taplo, tombi and VS Code all understand.
//! Documentation is repeated under the keywords that each of them reads.

use serde_json::{Map, Value, json};

use super::{
    KeyKind, Node, NodeId, Requirement, Schema, Shape, StringFormat, Variant, provider_names,
};

/// The JSON Schema (draft-07) of a config file.
#[must_use]
pub fn json_schema() -> Value {
    let schema = super::schema();
    let mut export = Export {
        schema,
        definitions: Map::new(),
    };
    let mut root = Map::new();
    insert(
        &mut root,
        "$schema",
        "http://json-schema.org/draft-07/schema#",
    );
    insert(&mut root, "title", "jp config");
    insert(
        &mut root,
        "description",
        "The configuration of the LLM assistant `jp`: `.jp/config.toml` and the files that it loads.",
    );
    insert(&mut root, "x-tombi-toml-version", "v1.1.0");
    root.append(&mut export.shape(schema.node(schema.root())));
    let mut definitions: Vec<_> = export.definitions.into_iter().collect();
    definitions.sort_by(|(left, _), (right, _)| left.cmp(right));
    insert(
        &mut root,
        "definitions",
        definitions.into_iter().collect::<Map<_, _>>(),
    );
    Value::Object(root)
}

struct Export<'s> {
    schema: &'s Schema,
    definitions: Map<String, Value>,
}

impl Export<'_> {
    /// A description with its documentation, by reference where several places share it.
    fn node(&mut self, id: NodeId) -> Value {
        let node = self.schema.node(id);
        let mut out = documentation(node);
        match node.name {
            Some(shared) => {
                let name = shared.as_str();
                if !self.definitions.contains_key(name) {
                    // The place is taken first: a description may contain itself.
                    self.definitions.insert(name.to_owned(), Value::Null);
                    let shape = self.form(node);
                    self.definitions
                        .insert(name.to_owned(), Value::Object(shape));
                }
                let reference = format!("#/definitions/{name}");
                // Draft-07 ignores whatever stands beside a `$ref`, and completion in taplo never comes back
                // from an `allOf` that leads to no `properties`. Where it does, `allOf` reports inner errors.
                if out.is_empty() {
                    insert(&mut out, "$ref", reference);
                } else {
                    let keyword = if has_properties(node) {
                        "allOf"
                    } else {
                        "anyOf"
                    };
                    insert(&mut out, keyword, json!([{ "$ref": reference }]));
                }
            }
            None => out.append(&mut self.form(node)),
        }
        Value::Object(out)
    }

    /// What is legal, merge wrapper included.
    fn form(&mut self, node: &Node) -> Map<String, Value> {
        let mut shape = self.shape(node);
        let Some(wrapper) = node.wrapper else {
            return shape;
        };
        let wrapper = self.node(wrapper);
        let branches = match shape.remove("anyOf") {
            Some(Value::Array(mut branches)) => {
                branches.push(wrapper);
                branches
            }
            _ => vec![Value::Object(shape), wrapper],
        };
        let mut out = Map::new();
        insert(&mut out, "anyOf", branches);
        out
    }

    fn shape(&mut self, node: &Node) -> Map<String, Value> {
        let mut out = Map::new();
        match &node.shape {
            Shape::Boolean => insert(&mut out, "type", "boolean"),
            Shape::Integer { minimum, maximum } => {
                insert(&mut out, "type", "integer");
                if let Some(minimum) = minimum {
                    insert(&mut out, "minimum", *minimum);
                }
                if let Some(maximum) = maximum {
                    insert(&mut out, "maximum", *maximum);
                }
            }
            Shape::Float => insert(&mut out, "type", "number"),
            Shape::String(format) => {
                insert(&mut out, "type", "string");
                if let Some(pattern) = pattern(*format) {
                    insert(&mut out, "pattern", pattern);
                }
            }
            Shape::Enum(variants) => enumeration(&mut out, variants),
            Shape::Any => {}
            Shape::Struct(shape) => {
                insert(&mut out, "type", "object");
                let properties: Map<_, _> = shape
                    .fields
                    .iter()
                    .map(|field| (field.name.to_owned(), self.node(field.node)))
                    .collect();
                insert(&mut out, "properties", properties);
                let required: Vec<_> = shape
                    .fields
                    .iter()
                    .filter(|field| field.requirement == Requirement::Local)
                    .map(|field| field.name)
                    .collect();
                if !required.is_empty() {
                    insert(&mut out, "required", required);
                }
                insert(&mut out, "additionalProperties", false);
            }
            Shape::Map(shape) => {
                insert(&mut out, "type", "object");
                if !shape.literal.is_empty() {
                    let properties: Map<_, _> = shape
                        .literal
                        .iter()
                        .map(|(key, value)| ((*key).to_owned(), self.node(*value)))
                        .collect();
                    insert(&mut out, "properties", properties);
                }
                if shape.key == KeyKind::Label {
                    let names = json!({ "pattern": "^[A-Za-z][A-Za-z0-9_-]*$" });
                    insert(&mut out, "propertyNames", names);
                }
                let value = self.node(shape.value);
                insert(&mut out, "additionalProperties", value);
                insert(&mut out, "x-tombi-additional-key-label", shape.key.label());
            }
            Shape::List { item } => {
                insert(&mut out, "type", "array");
                let item = self.node(*item);
                insert(&mut out, "items", item);
            }
            Shape::Union(branches) => {
                let branches: Vec<_> = branches.iter().map(|branch| self.node(*branch)).collect();
                insert(&mut out, "anyOf", branches);
            }
        }
        out
    }
}

impl KeyKind {
    /// What a key of this kind is called where one is to be filled in.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Tool => "tool_name",
            Self::Parameter => "parameter_name",
            Self::Question => "question_id",
            Self::Option => "option_name",
            Self::Label => "label",
            Self::Alias => "alias",
            Self::Server => "server_name",
            Self::Plugin => "plugin_name",
            Self::Variable => "variable",
            Self::Query => "query_parameter",
        }
    }
}

/// Whether the form of a node has `properties` at its top.
fn has_properties(node: &Node) -> bool {
    node.wrapper.is_none()
        && match &node.shape {
            Shape::Struct(_) => true,
            Shape::Map(map) => !map.literal.is_empty(),
            _ => false,
        }
}

fn documentation(node: &Node) -> Map<String, Value> {
    let mut out = Map::new();
    if !node.doc.is_empty() {
        insert(&mut out, "description", node.doc);
        insert(&mut out, "markdownDescription", node.doc);
    }
    if let Some(default) = &node.default {
        insert(&mut out, "default", default.clone());
    }
    if !node.released {
        insert(&mut out, "x-jp-released", false);
    }
    if let Some(since) = node.since {
        insert(&mut out, "x-jp-since", since);
    }
    out
}

fn enumeration(out: &mut Map<String, Value>, variants: &[Variant]) {
    let mut values = Vec::new();
    let mut docs = Vec::new();
    for variant in variants {
        for value in std::iter::once(&variant.value).chain(variant.aliases) {
            values.push(Value::from(*value));
            docs.push(Value::from(variant.doc));
        }
    }
    insert(out, "type", "string");
    insert(out, "enum", values);
    insert(out, "enumDescriptions", docs.clone());
    insert(out, "x-taplo", json!({ "docs": { "enumValues": docs } }));
}

fn pattern(format: StringFormat) -> Option<String> {
    let pattern = match format {
        StringFormat::Url => "^[A-Za-z][A-Za-z0-9+.-]*:".to_owned(),
        StringFormat::ServerAddress => "^[Hh][Tt][Tt][Pp][Ss]?:".to_owned(),
        StringFormat::Duration => r"^\s*(0|([0-9]+\s*[A-Za-zµ]+\s*)+)$".to_owned(),
        StringFormat::Color => "^(#[0-9A-Fa-f]{6}|[0-9]{1,3})$".to_owned(),
        StringFormat::Number => r"^\+?[0-9]+$".to_owned(),
        StringFormat::CompactionBound => {
            r"^(@?[0-9]+|-[0-9]+|([0-9]+\s*[A-Za-zµ]+\s*)+)$".to_owned()
        }
        StringFormat::ToolSource => r"^((builtin|local)(\..+)?|mcp\.[^.]+(\..+)?)$".to_owned(),
        StringFormat::ModelId => {
            let providers = provider_names().collect::<Vec<_>>().join("|");
            format!(r"^([^/]+|\s*({providers}|test)\s*/\s*[A-Za-z0-9_.:/~-]+\s*)$")
        }
        StringFormat::ModelName => r"^[A-Za-z0-9_.:/~-]+$".to_owned(),
        _ => return None,
    };
    Some(pattern)
}

fn insert(out: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    out.insert(key.to_owned(), value.into());
}
