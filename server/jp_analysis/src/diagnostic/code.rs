//! The codes under which findings are known: each is one entry of one table.
//!
//! ```text
//! RuleShadowed = "rule-shadowed", Error: "a rule that earlier rules with another mode always decide first";
//! ```

use super::Severity;

/// Makes all that is known of codes from their table.
macro_rules! codes {
    ($($variant:ident = $name:literal, $severity:ident: $summary:literal $(, without a fix: $why:literal)?;)+) => {
        /// The kinds of findings; each has a page in `docs/diagnostics/`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("`", $name, "`: ", $summary, ".")]
                $variant,
            )+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable name that editors and scripts rely on.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The severity that a finding has unless its rule says otherwise.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }

            /// What the code means, in one line.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary,)+
                }
            }

            /// The code with a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The page about it, as Markdown: why it is found, wrong and right examples, exceptions.
            #[must_use]
            pub fn page(self) -> &'static str {
                match self {
                    $(Self::$variant => include_str!(concat!("../../../../docs/diagnostics/", $name, ".md")),)+
                }
            }

            /// Why no change is on offer that answers the finding; nothing for a code that has one.
            #[must_use]
            pub fn without_fix(self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => None$(.or(Some($why)))?,)+
                }
            }
        }
    };
}

codes! {
    TomlSyntax = "toml-syntax", Error:
        "the text is not valid TOML, JSON or YAML";
    UnknownKey = "unknown-key", Error:
        "a key that the config does not have";
    TypeMismatch = "type-mismatch", Error:
        "a value of the wrong type";
    InvalidValue = "invalid-value", Error:
        "a value of the right type that is not allowed";
    MissingRequired = "missing-required", Error:
        "a required key is absent";
    DuplicateKey = "duplicate-key", Error:
        "a key or table is defined twice";
    BareStarKey = "bare-star-key", Error:
        "a `*` key without quotes";
    WildcardOnNonMap = "wildcard-on-non-map", Error:
        "a `*` in a config path where the keys are fixed";
    UnknownConfigPath = "unknown-config-path", Error:
        "a config path that the config does not have";
    SensitiveWrite = "sensitive-write", Error:
        "a grant that lets a tool change access grants, without the acknowledgement it needs";
    PrivilegedWrite = "privileged-write", Warning:
        "a grant that lets a tool change what runs or who is asked, without asking";
    GrantCoversConfig = "grant-covers-config", Warning:
        "a tool may write files that are, or would become, config";
    SelfEscalation = "self-escalation", Warning:
        "a tool may decide what runs, without a question on the way";
    InsecureAllowNoEffect = "insecure-allow-no-effect", Hint:
        "`insecure_allow` on a path that is not sensitive";
    AccessUnsupportedSource = "access-unsupported-source", Error:
        "access grants on a tool that is not local";
    FsPathEscapes = "fs-path-escapes", Error:
        "an access path that leaves the workspace";
    FsPathAbsolute = "fs-path-absolute", Error:
        "an absolute access path outside the workspace";
    NetHostInvalid = "net-host-invalid", Error:
        "a host that no target can have";
    NetRuleInvalid = "net-rule-invalid", Error:
        "a network rule that cannot match as written";
    EnvNameWildcard = "env-name-wildcard", Error:
        "a `*` inside an environment variable name";
    RuleNeverWins = "rule-never-wins", Warning:
        "an access rule that a later rule always overrides";
    ArgPointerSyntax = "arg-pointer-syntax", Error:
        "an `arg` that is not a JSON Pointer";
    ArgUnresolved = "arg-unresolved", Error:
        "an `arg` that names no parameter of the tool";
    MatcherMissing = "matcher-missing", Error:
        "a rule with `arg` and no matcher";
    MatcherMultiple = "matcher-multiple", Error:
        "a rule with more than one matcher";
    MatcherType = "matcher-type", Error:
        "a matcher that the parameter's type does not have";
    MatcherValueType = "matcher-value-type", Error:
        "a matcher value that the parameter can never have";
    PatternInvalid = "pattern-invalid", Error:
        "a `pattern` that is not a regular expression";
    PatternUnsupported = "pattern-unsupported", Error:
        "a `pattern` that cannot be matched in linear time",
        without a fix: "which rules say the same in order is for a person to find";
    RuleShadowed = "rule-shadowed", Error:
        "a rule that earlier rules with another mode always decide first";
    RuleRedundant = "rule-redundant", Error:
        "a rule that earlier rules with the same mode always decide first";
    RuleNeverMatches = "rule-never-matches", Error:
        "a rule that no call can match";
    MissingCatchAll = "missing-catch-all", Warning:
        "a list of rules without a last rule for everything else";
    MixedArrayHazard = "mixed-array-hazard", Warning:
        "a permissive rule over a list that one harmless element satisfies";
    PathUndecided = "path-undecided", Information:
        "a path that no rule names, beside one that runs unattended";
    PolicyOverridesRun = "policy-overrides-run", Warning:
        "a top-level `run` or `result` that `policy` overrides";
    ParameterTypeUnknown = "parameter-type-unknown", Error:
        "a parameter type that does not exist";
    ParameterDefaultType = "parameter-default-type", Error:
        "a default that its parameter's type does not allow";
    ParameterItemsType = "parameter-items-type", Warning:
        "`items` or `properties` on a parameter of another type";
    SourceInvalid = "source-invalid", Error:
        "a tool source that cannot be read";
    SourceUnknownServer = "source-unknown-server", Warning:
        "a tool source that names no declared MCP server";
    CommandMissing = "command-missing", Warning:
        "a local tool without a command";
    CommandTemplate = "command-template", Warning:
        "a command template that cannot do what it says, or that lets a model write options or code";
    AliasUnknown = "alias-unknown", Warning:
        "a model alias that no layer defines";
    AliasCycle = "alias-cycle", Error:
        "model aliases that lead back to themselves",
        without a fix: "only a person knows the model that is meant";
    ModelIdInvalid = "model-id-invalid", Error:
        "a model id that is neither `provider/name` nor an alias";
    ToolChoiceUnknown = "tool-choice-unknown", Warning:
        "a tool choice that names no configured tool";
    ExtendsMissing = "extends-missing", Warning:
        "an `extends` entry that names no file";
    ExtendsCycle = "extends-cycle", Error:
        "files that extend each other in a circle";
    ExtendsMatchesDirectory = "extends-matches-directory", Error:
        "an `extends` glob that matches a directory";
    ReleasedJpRejects = "released-jp-rejects", Warning:
        "a key that the released `jp` refuses to load";
    MergeTrap = "merge-trap", Warning:
        "a merge whose result is rarely meant";
    AllowUnused = "allow-unused", Warning:
        "a comment that allows what is not found there";
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}
