//! The compilation of what the schema says into its arena, shared descriptions once.

use std::collections::HashMap;

use super::{
    Field, MapShape, Merge, Node, NodeId, NullMeaning, Schema, Shape, Shared, StructShape,
    spec::{Kind, Spec},
};

/// Compiles a description into the arena.
pub(super) fn compile(root: Spec) -> Schema {
    let mut compiler = Compiler::default();
    let root = compiler.add(root);
    for (place, target) in compiler.pending {
        let shape = compiler
            .nodes
            .get(target.index())
            .map(|node| (node.shape.clone(), node.merge, node.wrapper));
        if let (Some(node), Some((shape, merge, wrapper))) =
            (compiler.nodes.get_mut(place.index()), shape)
        {
            node.shape = shape;
            node.merge = merge;
            node.wrapper = wrapper;
        }
    }
    Schema {
        nodes: compiler.nodes,
        root,
    }
}

#[derive(Default)]
struct Compiler {
    nodes: Vec<Node>,
    shared: HashMap<Shared, NodeId>,
    /// Places that share a description which was not finished when they were met.
    pending: Vec<(NodeId, NodeId)>,
    /// Shared descriptions that are being compiled.
    open: Vec<NodeId>,
}

impl Compiler {
    fn add(&mut self, spec: Spec) -> NodeId {
        let id = self.reserve(&spec);
        self.fill(id, spec);
        id
    }

    fn reserve(&mut self, spec: &Spec) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            doc: spec.doc,
            shape: Shape::Any,
            default: spec.default.clone(),
            merge: spec.merge.unwrap_or(Merge::Replace),
            null: spec.null_meaning(),
            is_text_in_yaml: spec.is_text_in_yaml,
            refuses_null_within: spec.refuses_null_within,
            wrapper: None,
            since: spec.since,
            released: spec.released,
            sensitivity: spec.sensitivity,
            effect: spec.effect,
            examples: spec.examples,
            name: None,
            code: spec.code,
        });
        id
    }

    fn fill(&mut self, id: NodeId, spec: Spec) {
        let (shape, merge) = match spec.kind {
            Kind::Leaf(shape) => (shape, Merge::Replace),
            Kind::Struct {
                fields,
                unknown_keys,
                hints,
            } => {
                let fields = fields
                    .into_iter()
                    .map(|(name, spec)| Field {
                        name,
                        requirement: spec.requirement,
                        node: self.add(spec),
                    })
                    .collect();
                let shape = StructShape {
                    fields,
                    unknown_keys,
                    hints,
                };
                (Shape::Struct(shape), Merge::Struct)
            }
            Kind::Map {
                key,
                value,
                literal,
            } => {
                let literal = literal
                    .into_iter()
                    .map(|(key, spec)| (key, self.add(spec)))
                    .collect();
                let value = self.add(*value);
                self.refuse_null(value);
                let shape = MapShape {
                    key,
                    value,
                    literal,
                };
                (Shape::Map(shape), Merge::Map)
            }
            Kind::List(item) => {
                let item = self.add(*item);
                self.refuse_null(item);
                (Shape::List { item }, Merge::Replace)
            }
            Kind::Union(branches) => {
                let branches = branches.into_iter().map(|spec| self.add(spec)).collect();
                (Shape::Union(branches), Merge::Union)
            }
            Kind::Shared(name, make) => {
                self.share(id, name, make, spec.null);
                return;
            }
        };
        let wrapper = spec.wrapper.map(|wrapper| self.add(*wrapper));
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.shape = shape;
            node.merge = spec.merge.unwrap_or(merge);
            node.wrapper = wrapper;
        }
    }

    /// An entry of a map or list is there or it is not: no `null` says that it is unset.
    fn refuse_null(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(id.index())
            && node.null == NullMeaning::Unset
        {
            node.null = NullMeaning::Refused;
        }
    }

    /// Gives a place the shape of a shared description, and what it does not say itself.
    fn share(
        &mut self,
        place: NodeId,
        name: Shared,
        make: fn() -> Spec,
        null: Option<NullMeaning>,
    ) {
        let target = match self.shared.get(&name) {
            Some(target) => *target,
            None => {
                let spec = make();
                let target = self.reserve(&spec);
                self.shared.insert(name, target);
                self.open.push(target);
                self.fill(target, spec);
                self.open.pop();
                if let Some(node) = self.nodes.get_mut(target.index()) {
                    node.name = Some(name);
                }
                target
            }
        };
        if self.open.contains(&target) {
            self.pending.push((place, target));
        }
        let Some(shared) = self.nodes.get(target.index()).cloned() else {
            return;
        };
        if let Some(node) = self.nodes.get_mut(place.index()) {
            if node.doc.is_empty() {
                node.doc = shared.doc;
            }
            node.shape = shared.shape;
            node.default = node.default.take().or(shared.default);
            node.merge = if node.merge == Merge::Replace {
                shared.merge
            } else {
                node.merge
            };
            node.is_text_in_yaml |= shared.is_text_in_yaml;
            node.refuses_null_within |= shared.refuses_null_within;
            node.null = null.unwrap_or(shared.null);
            node.wrapper = shared.wrapper;
            node.since = node.since.or(shared.since);
            node.released &= shared.released;
            node.sensitivity = node.sensitivity.max(shared.sensitivity);
            node.effect = node.effect.or(shared.effect);
            if node.examples.is_empty() {
                node.examples = shared.examples;
            }
            node.name = Some(name);
            node.code = node.code.or(shared.code);
        }
    }
}
