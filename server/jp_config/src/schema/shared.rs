//! The descriptions that several config paths share.
//!
//! ```toml
//! assistant.model.id = "opus"                                     # the same description
//! conversation.title.generate.model.id = "haiku"                  # in another place
//! ```

/// A description that several config paths share, by its name.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum Shared {
    /// A resource that goes with a conversation.
    Attachment,
    /// The checksum of a program.
    Checksum,
    /// A command, as a text or in parts.
    Command,
    /// A rule by which a conversation is shortened.
    CompactionRule,
    /// A grant on the config.
    ConfigRule,
    /// What becomes of equal elements of a list.
    Dedup,
    /// Whether a tool is on.
    Enable,
    /// A grant on environment variables.
    EnvRule,
    /// How the arguments of a call are shown.
    FormatMode,
    /// A grant on files.
    FsRule,
    /// How much of a result is shown.
    InlineResults,
    /// An instruction to the assistant.
    Instruction,
    /// A label of a conversation.
    Label,
    /// How a link to a file is shown.
    LinkStyle,
    /// Where the elements of a list go.
    ListStrategy,
    /// A model with its parameters.
    Model,
    /// The identity of a model, or its alias.
    ModelId,
    /// The parameters of a model.
    ModelParameters,
    /// A grant to connect.
    NetRule,
    /// A parameter of a tool, or a part of one.
    Parameter,
    /// The policies of a tool.
    Policy,
    /// How requests are made.
    Request,
    /// What happens to a result.
    ResultMode,
    /// A rule on results.
    ResultRule,
    /// What happens to a call.
    RunMode,
    /// A rule on calls.
    RunRule,
    /// A section of a prompt.
    Section,
    /// A tool.
    Tool,
    /// How calls of a tool are shown.
    ToolStyle,
}

impl Shared {
    /// The name, as definitions of the JSON Schema bear it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attachment => "Attachment",
            Self::Checksum => "Checksum",
            Self::Command => "Command",
            Self::CompactionRule => "CompactionRule",
            Self::ConfigRule => "ConfigRule",
            Self::Dedup => "Dedup",
            Self::Enable => "Enable",
            Self::EnvRule => "EnvRule",
            Self::FormatMode => "FormatMode",
            Self::FsRule => "FsRule",
            Self::InlineResults => "InlineResults",
            Self::Instruction => "Instruction",
            Self::Label => "Label",
            Self::LinkStyle => "LinkStyle",
            Self::ListStrategy => "ListStrategy",
            Self::Model => "Model",
            Self::ModelId => "ModelId",
            Self::ModelParameters => "ModelParameters",
            Self::NetRule => "NetRule",
            Self::Parameter => "Parameter",
            Self::Policy => "Policy",
            Self::Request => "Request",
            Self::ResultMode => "ResultMode",
            Self::ResultRule => "ResultRule",
            Self::RunMode => "RunMode",
            Self::RunRule => "RunRule",
            Self::Section => "Section",
            Self::Tool => "Tool",
            Self::ToolStyle => "ToolStyle",
        }
    }
}
