//! Findings, and the codes under which they are known.
//!
//! ```text
//! error[rule-shadowed]: this rule is never reached: rule 1 already decides every call that it matches
//! ```

use crate::fix::Fix;
pub use crate::place::Place;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The config does not do what it says, or does not load.
    Error,
    /// The config probably does not do what its author means.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion.
    Hint,
}

impl Severity {
    /// The word for the severity in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// Another place that a finding talks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub place: Place,
    /// What stands there.
    pub message: String,
}

/// How an editor may show the span of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Faded: it has no effect.
    Unnecessary,
    /// Struck through: something else is to be written.
    Deprecated,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is at fault.
    pub place: Place,
    /// What is wrong: lower case, user text in backticks, no final period.
    pub message: String,
    /// What to write instead, where the message does not say it.
    pub help: Option<String>,
    /// Other places that it talks about.
    pub related: Vec<Related>,
    /// How the span may be shown.
    pub tag: Option<Tag>,
    /// The changes that answer it.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A finding with the code's own severity.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            place,
            message: message.into(),
            help: None,
            related: Vec::new(),
            tag: None,
            fixes: Vec::new(),
        }
    }

    /// The same finding with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same finding with a word on what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with another place that it talks about.
    #[must_use]
    pub fn with_related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related.push(Related {
            place,
            message: message.into(),
        });
        self
    }

    /// The same finding with a tag.
    #[must_use]
    pub fn with_tag(mut self, tag: Tag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// The same finding with a change that answers it.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// The same finding with changes that answer it, of which a person picks one.
    #[must_use]
    pub fn with_fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    /// Calls `visit` with every place that the finding mentions, always in the same order.
    pub fn visit_places(&mut self, visit: &mut dyn FnMut(&mut Place)) {
        visit(&mut self.place);
        for related in &mut self.related {
            visit(&mut related.place);
        }
        for fix in &mut self.fixes {
            for edit in &mut fix.edits {
                visit(&mut edit.place);
            }
        }
    }
}

/// The kinds of findings; each has a page in `docs/diagnostics/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// `toml-syntax`: the text is not valid TOML, JSON or YAML.
    TomlSyntax,
    /// `unknown-key`: a key that the config does not have.
    UnknownKey,
    /// `type-mismatch`: a value of the wrong type.
    TypeMismatch,
    /// `invalid-value`: a value of the right type that is not allowed.
    InvalidValue,
    /// `missing-required`: a required key is absent.
    MissingRequired,
    /// `duplicate-key`: a key or table is defined twice.
    DuplicateKey,
    /// `bare-star-key`: a `*` key without quotes.
    BareStarKey,
    /// `wildcard-on-non-map`: a `*` in a config path where the keys are fixed.
    WildcardOnNonMap,
    /// `unknown-config-path`: a config path that the config does not have.
    UnknownConfigPath,
    /// `sensitive-write`: a grant that lets a tool change access grants, without the acknowledgement it needs.
    SensitiveWrite,
    /// `privileged-write`: a grant that lets a tool change what runs or who is asked, without asking.
    PrivilegedWrite,
    /// `grant-covers-config`: a tool may write files that are, or would become, config.
    GrantCoversConfig,
    /// `insecure-allow-no-effect`: `insecure_allow` on a path that is not sensitive.
    InsecureAllowNoEffect,
    /// `access-unsupported-source`: access grants on a tool that is not local.
    AccessUnsupportedSource,
    /// `fs-path-escapes`: an access path that leaves the workspace.
    FsPathEscapes,
    /// `fs-path-absolute`: an absolute access path outside the workspace.
    FsPathAbsolute,
    /// `net-host-invalid`: a host that no target can have.
    NetHostInvalid,
    /// `net-rule-invalid`: a network rule that cannot match as written.
    NetRuleInvalid,
    /// `env-name-wildcard`: a `*` inside an environment variable name.
    EnvNameWildcard,
    /// `rule-never-wins`: an access rule that a later rule always overrides.
    RuleNeverWins,
    /// `arg-pointer-syntax`: an `arg` that is not a JSON Pointer.
    ArgPointerSyntax,
    /// `arg-unresolved`: an `arg` that names no parameter of the tool.
    ArgUnresolved,
    /// `matcher-missing`: a rule with `arg` and no matcher.
    MatcherMissing,
    /// `matcher-multiple`: a rule with more than one matcher.
    MatcherMultiple,
    /// `matcher-type`: a matcher that the parameter's type does not have.
    MatcherType,
    /// `matcher-value-type`: a matcher value that the parameter can never have.
    MatcherValueType,
    /// `pattern-invalid`: a `pattern` that is not a regular expression.
    PatternInvalid,
    /// `pattern-unsupported`: a `pattern` that cannot be matched in linear time.
    PatternUnsupported,
    /// `rule-shadowed`: a rule that earlier rules with another mode always decide first.
    RuleShadowed,
    /// `rule-redundant`: a rule that earlier rules with the same mode always decide first.
    RuleRedundant,
    /// `rule-never-matches`: a rule that no call can match.
    RuleNeverMatches,
    /// `missing-catch-all`: a list of rules without a last rule for everything else.
    MissingCatchAll,
    /// `mixed-array-hazard`: a permissive rule over a list that one harmless element satisfies.
    MixedArrayHazard,
    /// `path-undecided`: a path that no rule names, beside one that runs unattended.
    PathUndecided,
    /// `policy-overrides-run`: a top-level `run` or `result` that `policy` overrides.
    PolicyOverridesRun,
    /// `parameter-type-unknown`: a parameter type that does not exist.
    ParameterTypeUnknown,
    /// `parameter-default-type`: a default that its parameter's type does not allow.
    ParameterDefaultType,
    /// `parameter-items-type`: `items` or `properties` on a parameter of another type.
    ParameterItemsType,
    /// `source-invalid`: a tool source that cannot be read.
    SourceInvalid,
    /// `source-unknown-server`: a tool source that names no declared MCP server.
    SourceUnknownServer,
    /// `command-missing`: a local tool without a command.
    CommandMissing,
    /// `command-template`: a command template that cannot do what it says, or through which a model writes options or code.
    CommandTemplate,
    /// `alias-unknown`: a model alias that no layer defines.
    AliasUnknown,
    /// `alias-cycle`: model aliases that lead back to themselves.
    AliasCycle,
    /// `model-id-invalid`: a model id that is neither `provider/name` nor an alias.
    ModelIdInvalid,
    /// `tool-choice-unknown`: a tool choice that names no configured tool.
    ToolChoiceUnknown,
    /// `extends-missing`: an `extends` entry that names no file.
    ExtendsMissing,
    /// `extends-cycle`: files that extend each other in a circle.
    ExtendsCycle,
    /// `extends-matches-directory`: an `extends` glob that matches a directory.
    ExtendsMatchesDirectory,
    /// `released-jp-rejects`: a key that the released `jp` refuses to load.
    ReleasedJpRejects,
    /// `merge-trap`: a merge whose result is rarely meant.
    MergeTrap,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::TomlSyntax,
        Self::UnknownKey,
        Self::TypeMismatch,
        Self::InvalidValue,
        Self::MissingRequired,
        Self::DuplicateKey,
        Self::BareStarKey,
        Self::WildcardOnNonMap,
        Self::UnknownConfigPath,
        Self::SensitiveWrite,
        Self::PrivilegedWrite,
        Self::GrantCoversConfig,
        Self::InsecureAllowNoEffect,
        Self::AccessUnsupportedSource,
        Self::FsPathEscapes,
        Self::FsPathAbsolute,
        Self::NetHostInvalid,
        Self::NetRuleInvalid,
        Self::EnvNameWildcard,
        Self::RuleNeverWins,
        Self::ArgPointerSyntax,
        Self::ArgUnresolved,
        Self::MatcherMissing,
        Self::MatcherMultiple,
        Self::MatcherType,
        Self::MatcherValueType,
        Self::PatternInvalid,
        Self::PatternUnsupported,
        Self::RuleShadowed,
        Self::RuleRedundant,
        Self::RuleNeverMatches,
        Self::MissingCatchAll,
        Self::MixedArrayHazard,
        Self::PathUndecided,
        Self::PolicyOverridesRun,
        Self::ParameterTypeUnknown,
        Self::ParameterDefaultType,
        Self::ParameterItemsType,
        Self::SourceInvalid,
        Self::SourceUnknownServer,
        Self::CommandMissing,
        Self::CommandTemplate,
        Self::AliasUnknown,
        Self::AliasCycle,
        Self::ModelIdInvalid,
        Self::ToolChoiceUnknown,
        Self::ExtendsMissing,
        Self::ExtendsCycle,
        Self::ExtendsMatchesDirectory,
        Self::ReleasedJpRejects,
        Self::MergeTrap,
    ];

    /// The stable name that editors and scripts rely on.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TomlSyntax => "toml-syntax",
            Self::UnknownKey => "unknown-key",
            Self::TypeMismatch => "type-mismatch",
            Self::InvalidValue => "invalid-value",
            Self::MissingRequired => "missing-required",
            Self::DuplicateKey => "duplicate-key",
            Self::BareStarKey => "bare-star-key",
            Self::WildcardOnNonMap => "wildcard-on-non-map",
            Self::UnknownConfigPath => "unknown-config-path",
            Self::SensitiveWrite => "sensitive-write",
            Self::PrivilegedWrite => "privileged-write",
            Self::GrantCoversConfig => "grant-covers-config",
            Self::InsecureAllowNoEffect => "insecure-allow-no-effect",
            Self::AccessUnsupportedSource => "access-unsupported-source",
            Self::FsPathEscapes => "fs-path-escapes",
            Self::FsPathAbsolute => "fs-path-absolute",
            Self::NetHostInvalid => "net-host-invalid",
            Self::NetRuleInvalid => "net-rule-invalid",
            Self::EnvNameWildcard => "env-name-wildcard",
            Self::RuleNeverWins => "rule-never-wins",
            Self::ArgPointerSyntax => "arg-pointer-syntax",
            Self::ArgUnresolved => "arg-unresolved",
            Self::MatcherMissing => "matcher-missing",
            Self::MatcherMultiple => "matcher-multiple",
            Self::MatcherType => "matcher-type",
            Self::MatcherValueType => "matcher-value-type",
            Self::PatternInvalid => "pattern-invalid",
            Self::PatternUnsupported => "pattern-unsupported",
            Self::RuleShadowed => "rule-shadowed",
            Self::RuleRedundant => "rule-redundant",
            Self::RuleNeverMatches => "rule-never-matches",
            Self::MissingCatchAll => "missing-catch-all",
            Self::MixedArrayHazard => "mixed-array-hazard",
            Self::PathUndecided => "path-undecided",
            Self::PolicyOverridesRun => "policy-overrides-run",
            Self::ParameterTypeUnknown => "parameter-type-unknown",
            Self::ParameterDefaultType => "parameter-default-type",
            Self::ParameterItemsType => "parameter-items-type",
            Self::SourceInvalid => "source-invalid",
            Self::SourceUnknownServer => "source-unknown-server",
            Self::CommandMissing => "command-missing",
            Self::CommandTemplate => "command-template",
            Self::AliasUnknown => "alias-unknown",
            Self::AliasCycle => "alias-cycle",
            Self::ModelIdInvalid => "model-id-invalid",
            Self::ToolChoiceUnknown => "tool-choice-unknown",
            Self::ExtendsMissing => "extends-missing",
            Self::ExtendsCycle => "extends-cycle",
            Self::ExtendsMatchesDirectory => "extends-matches-directory",
            Self::ReleasedJpRejects => "released-jp-rejects",
            Self::MergeTrap => "merge-trap",
        }
    }

    /// The severity that a finding has unless its rule says otherwise.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::TomlSyntax
            | Self::UnknownKey
            | Self::TypeMismatch
            | Self::InvalidValue
            | Self::MissingRequired
            | Self::DuplicateKey
            | Self::BareStarKey
            | Self::WildcardOnNonMap
            | Self::UnknownConfigPath
            | Self::SensitiveWrite
            | Self::AccessUnsupportedSource
            | Self::FsPathEscapes
            | Self::FsPathAbsolute
            | Self::NetHostInvalid
            | Self::NetRuleInvalid
            | Self::EnvNameWildcard
            | Self::ArgPointerSyntax
            | Self::ArgUnresolved
            | Self::MatcherMissing
            | Self::MatcherMultiple
            | Self::MatcherType
            | Self::MatcherValueType
            | Self::PatternInvalid
            | Self::PatternUnsupported
            | Self::RuleShadowed
            | Self::RuleRedundant
            | Self::RuleNeverMatches
            | Self::ParameterTypeUnknown
            | Self::ParameterDefaultType
            | Self::SourceInvalid
            | Self::AliasCycle
            | Self::ModelIdInvalid
            | Self::ExtendsCycle
            | Self::ExtendsMatchesDirectory => Severity::Error,
            Self::PrivilegedWrite
            | Self::GrantCoversConfig
            | Self::RuleNeverWins
            | Self::MissingCatchAll
            | Self::MixedArrayHazard
            | Self::PolicyOverridesRun
            | Self::ParameterItemsType
            | Self::SourceUnknownServer
            | Self::CommandMissing
            | Self::CommandTemplate
            | Self::AliasUnknown
            | Self::ToolChoiceUnknown
            | Self::ExtendsMissing
            | Self::ReleasedJpRejects
            | Self::MergeTrap => Severity::Warning,
            Self::PathUndecided => Severity::Information,
            Self::InsecureAllowNoEffect => Severity::Hint,
        }
    }

    /// What the code means, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::TomlSyntax => "the text is not valid TOML, JSON or YAML",
            Self::UnknownKey => "a key that the config does not have",
            Self::TypeMismatch => "a value of the wrong type",
            Self::InvalidValue => "a value of the right type that is not allowed",
            Self::MissingRequired => "a required key is absent",
            Self::DuplicateKey => "a key or table is defined twice",
            Self::BareStarKey => "a `*` key without quotes",
            Self::WildcardOnNonMap => "a `*` in a config path where the keys are fixed",
            Self::UnknownConfigPath => "a config path that the config does not have",
            Self::SensitiveWrite => {
                "a grant that lets a tool change access grants, without the acknowledgement it needs"
            }
            Self::PrivilegedWrite => {
                "a grant that lets a tool change what runs or who is asked, without asking"
            }
            Self::GrantCoversConfig => "a tool may write files that are, or would become, config",
            Self::InsecureAllowNoEffect => "`insecure_allow` on a path that is not sensitive",
            Self::AccessUnsupportedSource => "access grants on a tool that is not local",
            Self::FsPathEscapes => "an access path that leaves the workspace",
            Self::FsPathAbsolute => "an absolute access path outside the workspace",
            Self::NetHostInvalid => "a host that no target can have",
            Self::NetRuleInvalid => "a network rule that cannot match as written",
            Self::EnvNameWildcard => "a `*` inside an environment variable name",
            Self::RuleNeverWins => "an access rule that a later rule always overrides",
            Self::ArgPointerSyntax => "an `arg` that is not a JSON Pointer",
            Self::ArgUnresolved => "an `arg` that names no parameter of the tool",
            Self::MatcherMissing => "a rule with `arg` and no matcher",
            Self::MatcherMultiple => "a rule with more than one matcher",
            Self::MatcherType => "a matcher that the parameter's type does not have",
            Self::MatcherValueType => "a matcher value that the parameter can never have",
            Self::PatternInvalid => "a `pattern` that is not a regular expression",
            Self::PatternUnsupported => "a `pattern` that cannot be matched in linear time",
            Self::RuleShadowed => "a rule that earlier rules with another mode always decide first",
            Self::RuleRedundant => {
                "a rule that earlier rules with the same mode always decide first"
            }
            Self::RuleNeverMatches => "a rule that no call can match",
            Self::MissingCatchAll => "a list of rules without a last rule for everything else",
            Self::MixedArrayHazard => {
                "a permissive rule over a list that one harmless element satisfies"
            }
            Self::PathUndecided => "a path that no rule names, beside one that runs unattended",
            Self::PolicyOverridesRun => "a top-level `run` or `result` that `policy` overrides",
            Self::ParameterTypeUnknown => "a parameter type that does not exist",
            Self::ParameterDefaultType => "a default that its parameter's type does not allow",
            Self::ParameterItemsType => "`items` or `properties` on a parameter of another type",
            Self::SourceInvalid => "a tool source that cannot be read",
            Self::SourceUnknownServer => "a tool source that names no declared MCP server",
            Self::CommandMissing => "a local tool without a command",
            Self::CommandTemplate => {
                "a command template that cannot do what it says, or that lets a model write options or code"
            }
            Self::AliasUnknown => "a model alias that no layer defines",
            Self::AliasCycle => "model aliases that lead back to themselves",
            Self::ModelIdInvalid => "a model id that is neither `provider/name` nor an alias",
            Self::ToolChoiceUnknown => "a tool choice that names no configured tool",
            Self::ExtendsMissing => "an `extends` entry that names no file",
            Self::ExtendsCycle => "files that extend each other in a circle",
            Self::ExtendsMatchesDirectory => "an `extends` glob that matches a directory",
            Self::ReleasedJpRejects => "a key that the released `jp` refuses to load",
            Self::MergeTrap => "a merge whose result is rarely meant",
        }
    }

    /// Why no change is on offer that answers the finding; nothing for a code that has one.
    #[must_use]
    pub fn without_fix(self) -> Option<&'static str> {
        match self {
            Self::PatternUnsupported => {
                Some("which rules say the same in order is for a person to find")
            }
            Self::AliasCycle => Some("only a person knows the model that is meant"),
            _ => None,
        }
    }

    /// The code with a stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}
