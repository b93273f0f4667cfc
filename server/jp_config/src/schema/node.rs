//! What the schema knows about a config path.
//!
//! ```toml
//! enable = "explicit"   # a union of boolean, enum and table, with a default, a merge rule and words that explain it
//! ```

use serde_json::Value;

use super::Shared;
use crate::code::Code;

/// An arena of [`Node`]s with the root table as its entry.
#[derive(Debug)]
pub struct Schema {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// The identity of a [`Node`] in the [`Schema`].
///
/// Two config paths of the same description may share one node.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its place in the schema's arena.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known about one config path.
#[derive(Debug, Clone)]
pub struct Node {
    /// What the value means: full sentences in Markdown, or empty for a branch that its parent explains.
    pub doc: &'static str,
    /// Which values are legal.
    pub shape: Shape,
    /// The value that `jp` uses when no layer sets one.
    pub default: Option<Value>,
    /// How two layers that both set the value combine.
    pub merge: Merge,
    /// Whether the released `jp` reads nothing but text in its place from YAML, although a table is legal too.
    pub is_text_in_yaml: bool,
    /// Whether a `null` is refused everywhere below it too, whatever the keys there say: `jp` tries the forms of such a value in turn.
    pub refuses_null_within: bool,
    /// What a `null` means in its place.
    pub null: NullMeaning,
    /// The table form that carries a merge strategy beside the value, where one is legal.
    ///
    /// It is a [`Shape::Struct`] whose field `value` holds the plain form.
    pub wrapper: Option<NodeId>,
    /// The document that introduced the key, where it is not part of the original config.
    pub since: Option<&'static str>,
    /// Whether the released `jp` accepts the key.
    pub released: bool,
    /// Whether changing the value changes what a tool may do.
    pub sensitivity: Sensitivity,
    /// What the value sets off outside of the config, if anything.
    pub effect: Option<Effect>,
    /// Example values as TOML text.
    pub examples: &'static [&'static str],
    /// The name under which several config paths share this description.
    pub name: Option<Shared>,
    /// The code of a wrong value, where it has one of its own.
    pub code: Option<Code>,
}

/// Which values a [`Node`] accepts.
#[derive(Debug, Clone)]
pub enum Shape {
    /// `true` or `false`.
    Boolean,
    /// A whole number within inclusive bounds.
    Integer {
        /// The smallest legal value.
        minimum: Option<i64>,
        /// The largest legal value.
        maximum: Option<i64>,
    },
    /// Any number.
    Float,
    /// A string of some format.
    String(StringFormat),
    /// One of some strings.
    Enum(&'static [Variant]),
    /// Free-form data, never looked into.
    Any,
    /// A table with known keys.
    Struct(StructShape),
    /// A table whose keys the user picks.
    Map(MapShape),
    /// A list of equal elements.
    List {
        /// The description of each element.
        item: NodeId,
    },
    /// One of several shapes.
    Union(Vec<NodeId>),
}

/// A table with known keys.
#[derive(Debug, Clone)]
pub struct StructShape {
    /// The known keys, in the order in which documentation shows them.
    pub fields: Vec<Field>,
    /// What the released `jp` does with any other key.
    pub unknown_keys: UnknownKeys,
    /// Keys that people write here although they belong elsewhere, with what to write instead.
    pub hints: &'static [(&'static str, &'static str)],
}

/// What the released `jp` does with a key that a table does not know.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum UnknownKeys {
    /// It refuses to load the file.
    Deny,
    /// It silently drops the key.
    Ignore,
}

/// A table whose keys the user picks.
#[derive(Debug, Clone)]
pub struct MapShape {
    /// What the keys name.
    pub key: KeyKind,
    /// The description of each value.
    pub value: NodeId,
    /// Keys with a description of their own, such as `*` in `conversation.tools`.
    pub literal: Vec<(&'static str, NodeId)>,
}

/// One known key of a table.
#[derive(Debug, Clone)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// The description of its value.
    pub node: NodeId,
    /// Whether the key must be present.
    pub requirement: Requirement,
}

/// Whether and where a key must be present.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Requirement {
    /// It may be absent.
    Optional,
    /// It must stand in the very table, because no other layer can add it.
    Local,
    /// Some layer must set it once the table exists in the merged config.
    Conditional,
    /// Some layer must set it for the workspace to load.
    Global,
    /// Some layer must set it before the table can be used, once another key of the table has some value; the config loads without it.
    Companion {
        /// The other key.
        key: &'static str,
        /// Its value.
        value: &'static str,
    },
}

impl Requirement {
    /// Whether the config does not load where the key is absent from all layers.
    #[must_use]
    pub const fn is_for_loading(self) -> bool {
        matches!(self, Self::Local | Self::Conditional | Self::Global)
    }
}

/// One legal string of an enum.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub struct Variant {
    /// The string to write.
    pub value: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Other spellings with the same meaning.
    pub aliases: &'static [&'static str],
    /// What to write instead, where the string is a legacy spelling.
    pub deprecated: Option<&'static str>,
    /// What the released `jp` makes of it.
    pub released: ReleasedForm,
}

/// What stands for a string where the released `jp` reads the config.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum ReleasedForm {
    /// The string, which it knows.
    Itself,
    /// Another one, which comes nearest.
    Other(&'static str),
    /// None comes near.
    Nothing,
}

/// What the keys of a map name.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum KeyKind {
    /// A tool.
    Tool,
    /// A parameter of a tool, or a property of an object parameter.
    Parameter,
    /// A question that a tool asks.
    Question,
    /// A free-form setting.
    Option,
    /// A conversation label: `[A-Za-z][A-Za-z0-9_-]*`.
    Label,
    /// A model alias.
    Alias,
    /// An MCP server.
    Server,
    /// A command plugin.
    Plugin,
    /// A template variable.
    Variable,
    /// A query parameter of an attachment.
    Query,
}

/// What a string must look like, and what completion offers in it.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum StringFormat {
    /// Any text on one line.
    Plain,
    /// Any text, usually of several lines.
    Multiline,
    /// A path.
    Path(PathKind),
    /// An absolute URL.
    Url,
    /// A duration such as `5m` or `500us`.
    Duration,
    /// A colour: `#RRGGBB`, or a number from `0` to `255`.
    Color,
    /// A whole number written as a string.
    Number,
    /// `<provider>/<name>` or an alias.
    ModelId,
    /// A provider's name for a model.
    ModelName,
    /// `builtin`, `local` or `mcp.<server>`, each with an optional tool name.
    ToolSource,
    /// The name of a configured tool.
    ToolName,
    /// A command line, split like a shell would and templated.
    Command,
    /// An ECMA-262 regular expression.
    Regex,
    /// An RFC 6901 pointer into the arguments of a tool.
    JsonPointer,
    /// A host name or address.
    Host,
    /// A URL scheme.
    Scheme,
    /// The path of a URL.
    UrlPath,
    /// The address of a server that is asked over HTTP: see [`crate::server_address`].
    ServerAddress,
    /// The name of an environment variable.
    EnvName,
    /// The name of an environment variable, or a prefix of names that ends in `*`.
    EnvPattern,
    /// A dotted config path with `*` for any key of a map.
    ConfigPath,
    /// The identity of a conversation.
    ConversationId,
    /// One end of a compaction range: `3`, `@3`, `-3` or `5h`.
    CompactionBound,
    /// The name of a colour theme.
    Theme,
}

/// What a path names.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum PathKind {
    /// A directory.
    Directory,
    /// An executable file, or its name on the search path.
    Program,
    /// A config file, or a glob that matches config files, relative to the declaring file.
    Extends,
    /// A directory or file of the workspace that an access rule covers.
    Rule,
}

/// How a value combines with the one of an earlier layer.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Merge {
    /// The later value stands.
    Replace,
    /// Tables merge key by key.
    Struct,
    /// Maps merge key by key; earlier keys keep their place.
    Map,
    /// A plain list uses `default`; the wrapper names a strategy.
    MergeableVec {
        /// What a plain list does.
        default: Strategy,
    },
    /// A plain string replaces; the wrapper names a strategy and a separator.
    MergeableString,
    /// A plain map merges deeply; the wrapper names a strategy.
    MergeableMap,
    /// Objects merge deeply, everything else replaces; wrappers are honoured at any depth.
    Json,
    /// Shorthands set `state` and `allow_toggle`; a table sets only what it names (RFD 081).
    Enable,
    /// Values of the same shape merge by that shape's rule, and replace otherwise.
    Union,
    /// The later list follows the earlier one.
    Append,
    /// The earliest layer that sets the value wins.
    FirstWins,
}

/// What a list does with the list of an earlier layer.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Strategy {
    /// It follows the earlier list.
    Append,
    /// It precedes the earlier list.
    Prepend,
    /// It stands instead of the earlier list.
    Replace,
}

/// What a `null` of JSON or YAML means in place of a value.
///
/// It follows from how the released `jp` holds the value, and so does whether a value sets anything at all: see
/// [`crate::merge::says_nothing`].
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum NullMeaning {
    /// The key is not set, and what lower layers say stands: an optional value.
    Unset,
    /// JSON may not say it; in YAML it is an empty table or list, which sets nothing, unless `jp` reads the place in two steps.
    Empty,
    /// No file may say it.
    Refused,
    /// No file may say it, and merged config keeps it: read as if the key were left out, the value would allow more.
    Kept,
    /// It is a value like any other: free-form data.
    Value,
}

impl NullMeaning {
    /// Whether merged config has no value where a `null` stands.
    #[must_use]
    pub const fn sets_nothing(self) -> bool {
        !matches!(self, Self::Value | Self::Kept)
    }
}

/// Whether changing a value changes what a tool may do.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd)]
pub enum Sensitivity {
    /// It does not.
    Ordinary,
    /// It decides what runs or whether a human is asked.
    Privileged,
    /// It grants access; only `write = "insecure_allow"` reaches it (RFD 078).
    Sensitive,
}

/// What a value sets off outside of the config.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub enum Effect {
    /// It is a process that is started: a command, or the list of variables that name one.
    Process,
    /// It goes into such a process, where a template of the command has a place for it.
    Input,
    /// It is a plugin of `jp`, a process as well.
    Plugin,
    /// It is the address that requests, and the key with them, are sent to.
    Address,
    /// It is the environment variable that holds such an address.
    AddressVariable,
    /// It is the environment variable whose value is sent as a key.
    Key,
}

impl Schema {
    /// The table that a whole config file is.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The description behind an id.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "ids are made by this arena's builder and by nothing else"
    )]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node, in the order of its first mention.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }
}
