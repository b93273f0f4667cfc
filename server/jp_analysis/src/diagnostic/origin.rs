//! The code of what other crates find: every kind has one, so that no finding gets lost on its way.

use jp_config::{
    code,
    document::SyntaxErrorKind,
    graph::{GraphProblemKind, ReadProblem},
};
use jp_policy::{CoverageFinding, PatternErrorKind, RuleProblemKind};

use super::{Code, Severity};

impl From<SyntaxErrorKind> for Code {
    fn from(kind: SyntaxErrorKind) -> Self {
        match kind {
            SyntaxErrorKind::Syntax => Self::TomlSyntax,
            SyntaxErrorKind::DuplicateKey => Self::DuplicateKey,
            SyntaxErrorKind::BareStar => Self::BareStarKey,
        }
    }
}

impl From<code::Code> for Code {
    fn from(code: code::Code) -> Self {
        match code {
            code::Code::UnknownKey => Self::UnknownKey,
            code::Code::TypeMismatch => Self::TypeMismatch,
            code::Code::InvalidValue => Self::InvalidValue,
            code::Code::MissingRequired => Self::MissingRequired,
            code::Code::SourceInvalid => Self::SourceInvalid,
            code::Code::ModelIdInvalid => Self::ModelIdInvalid,
            code::Code::ParameterTypeUnknown => Self::ParameterTypeUnknown,
            code::Code::ReleasedJpRejects => Self::ReleasedJpRejects,
        }
    }
}

impl From<code::Severity> for Severity {
    fn from(severity: code::Severity) -> Self {
        match severity {
            code::Severity::Error => Self::Error,
            code::Severity::Warning => Self::Warning,
        }
    }
}

impl From<&GraphProblemKind> for Code {
    fn from(kind: &GraphProblemKind) -> Self {
        match kind {
            GraphProblemKind::ExtendsMissing { .. }
            | GraphProblemKind::LinkOutside { .. }
            | GraphProblemKind::Outside { .. } => Self::ExtendsMissing,
            GraphProblemKind::ExtendsCycle { .. } | GraphProblemKind::ExtendsTooDeep => {
                Self::ExtendsCycle
            }
            GraphProblemKind::ExtendsMatchesDirectory { .. } => Self::ExtendsMatchesDirectory,
            GraphProblemKind::ExtendsUnsupported { .. }
            | GraphProblemKind::ExtendsTooMany { .. }
            | GraphProblemKind::LoadCut { .. } => Self::InvalidValue,
            GraphProblemKind::Unreadable(ReadProblem::NotUtf8(_)) => Self::TomlSyntax,
            GraphProblemKind::Unreadable(_) => Self::ExtendsMissing,
        }
    }
}

impl From<&RuleProblemKind> for Code {
    fn from(kind: &RuleProblemKind) -> Self {
        match kind {
            RuleProblemKind::PointerSyntax { .. } => Self::ArgPointerSyntax,
            RuleProblemKind::Unresolved { .. } => Self::ArgUnresolved,
            RuleProblemKind::MatcherMissing { .. } => Self::MatcherMissing,
            RuleProblemKind::ArgMissing { .. } => Self::MissingRequired,
            RuleProblemKind::MatcherMultiple { .. } => Self::MatcherMultiple,
            RuleProblemKind::MatcherType { .. } => Self::MatcherType,
            RuleProblemKind::MatcherValueType { .. } => Self::MatcherValueType,
            RuleProblemKind::Pattern(error) => match error.kind {
                PatternErrorKind::Invalid => Self::PatternInvalid,
                PatternErrorKind::Unsupported | PatternErrorKind::TooLarge => {
                    Self::PatternUnsupported
                }
            },
        }
    }
}

impl<M> From<&CoverageFinding<M>> for Code {
    fn from(finding: &CoverageFinding<M>) -> Self {
        match finding {
            CoverageFinding::Shadowed { .. } => Self::RuleShadowed,
            CoverageFinding::Redundant { .. } => Self::RuleRedundant,
            CoverageFinding::NeverMatches { .. } => Self::RuleNeverMatches,
            CoverageFinding::MissingCatchAll => Self::MissingCatchAll,
            CoverageFinding::MixedArrayHazard { .. } => Self::MixedArrayHazard,
        }
    }
}
