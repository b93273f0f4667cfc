//! What a tool's access rules decide about one target (RFD 076, RFD 078).
//!
//! ```json
//! {"fs":{"capability":"read","path":"src/lib.rs"}}
//! {"allowed":true,"rule":{"index":0,"path":".jp/config.toml","line":3},"target":"src/lib.rs","reason":"the rule grants it"}
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{graph::Graph, view::View};
use jp_tool::{
    AccessPolicy, ApplyMode, CompiledAccess, ConfigCapability, Decision, FsAccessError,
    FsCapability, Reason, Resource,
};
use serde_json::{Value, json};

use super::{
    config_path::known_path, error::ExplainError, resolver::PathResolver, rule_place::RulePlace,
    tool::context,
};
use crate::{place::Place, tool::ToolContext};

/// Explains what one tool may reach.
#[derive(Debug)]
pub struct AccessExplainer<'a> {
    graph: &'a Graph,
    compiled: CompiledAccess,
    /// What is config or would be, which is protected.
    protected: Vec<Utf8PathBuf>,
    fs: Vec<Option<Place>>,
    net: Vec<Option<Place>>,
    env: Vec<Option<Place>>,
    config: Vec<Option<Place>>,
    is_local: bool,
}

/// The declared access rules of a tool.
pub(crate) fn declared(context: &ToolContext<'_>) -> Result<AccessPolicy, ExplainError> {
    let Some(access) = context.tool.get("access") else {
        return Ok(AccessPolicy::default());
    };
    serde_json::from_value(access.to_json()).map_err(|error| ExplainError::UnreadableAccess {
        tool: context.name.to_owned(),
        message: error.to_string(),
    })
}

impl<'a> AccessExplainer<'a> {
    /// Compiles the access rules of a tool.
    ///
    /// # Errors
    ///
    /// No such tool, or rules with which the config does not load.
    pub fn new(
        view: &'a View,
        tool: &'a str,
        paths: &dyn PathResolver,
    ) -> Result<Self, ExplainError> {
        let context = context(view, tool)?;
        if let Some(source) = context.source()
            && !source.is_local()
            && context.tool.get("access").is_some()
        {
            return Err(ExplainError::AccessUnsupported {
                tool: tool.to_owned(),
                kind: source.kind(),
            });
        }
        let declared = declared(&context)?;
        let compiled =
            paths
                .compile_access(&declared)
                .map_err(|error| ExplainError::InvalidAccess {
                    tool: tool.to_owned(),
                    error: Box::new(error),
                })?;
        let places = |resource: &str| -> Vec<Option<Place>> {
            let rules = context.tool.at(&["access", resource]);
            rules
                .and_then(|rules| rules.value.as_list())
                .unwrap_or_default()
                .iter()
                .map(|rule| context.place(rule))
                .collect()
        };
        let decisive = view.graph().decisive_paths();
        Ok(Self {
            graph: view.graph(),
            protected: decisive
                .iter()
                .flat_map(|path| paths.spellings(path))
                .collect(),
            fs: places("fs"),
            net: places("net"),
            env: places("env"),
            config: places("config"),
            is_local: context.source().is_some_and(|source| source.is_local()),
            compiled,
        })
    }

    /// Whether the tool is a process of its own, and no part of a server or of this program.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        self.is_local
    }

    /// The rules as they are decided with.
    #[must_use]
    pub fn policy(&self) -> &AccessPolicy {
        &self.compiled.policy
    }

    /// The absolute paths of the files that are config, or would be.
    #[must_use]
    pub fn protected(&self) -> &[Utf8PathBuf] {
        &self.protected
    }

    /// Where the rule at a position of [`AccessExplainer::policy`] was written; none for one that nobody wrote.
    #[must_use]
    pub fn rule(&self, resource: Resource, index: usize) -> Option<Value> {
        self.written(resource, self.declared(resource, index)?)
    }

    /// The position in the effective list of the rule at a position of [`AccessExplainer::policy`]; none for one that nobody
    /// wrote.
    #[must_use]
    pub fn declared(&self, resource: Resource, index: usize) -> Option<usize> {
        match resource {
            Resource::Fs => self.compiled.fs_declared.get(index).copied().flatten(),
            Resource::Net | Resource::Env | Resource::Config => Some(index),
        }
    }

    /// Decides about one target.
    ///
    /// # Errors
    ///
    /// A question of another shape, and a target that has no canonical form.
    pub fn explain(
        &self,
        question: &Value,
        paths: &dyn PathResolver,
    ) -> Result<Value, ExplainError> {
        let Some((kind, target)) = question
            .as_object()
            .filter(|question| question.len() == 1)
            .and_then(|question| question.iter().next())
        else {
            return Err(ExplainError::Question(
                "a question about access is an object with one key".to_owned(),
            ));
        };
        match kind.as_str() {
            "fs" => self.fs(target, paths),
            "net" => self.net(text(target, "net")?),
            "env" => self.env(text(target, "env")?),
            "config" => self.config(target),
            other => Err(ExplainError::Question(format!(
                "there is no kind of access `{other}`"
            ))),
        }
    }

    fn fs(&self, target: &Value, paths: &dyn PathResolver) -> Result<Value, ExplainError> {
        let path = member(target, "path")?;
        let word = member(target, "capability")?;
        let capability = fs_capability(word)?;
        let policy = self
            .compiled
            .policy
            .fs
            .compiled()
            .map_err(|error| unusable(&error))?;
        let located = paths.locate(policy, capability, Utf8Path::new(path), &self.protected);
        let (canonical, place) = match located {
            Ok(located) => located,
            Err(error @ (FsAccessError::Escape(_) | FsAccessError::Outside(_))) => {
                return Ok(json!({
                    "allowed": false,
                    "rule": null,
                    "target": path,
                    "reason": error.to_string(),
                }));
            }
            Err(error) => return Err(ExplainError::Target(error.to_string())),
        };
        let decision = policy.decide_within(capability, &canonical.relative, place.as_deref());
        let declared = decision
            .rule
            .and_then(|index| self.compiled.fs_declared.get(index).copied().flatten());
        let mut answer = self.answer(&decision, declared, Resource::Fs);
        if let Some(place) = place.filter(|_| decision.reason == Reason::Protected)
            && let Some(answer) = answer.as_object_mut()
        {
            let reason = format!(
                "`{place}` is protected, and only a rule whose `path` lies at or below it grants that: \
                 `{{ path = \"{place}\", {capability} = true }}`"
            );
            answer.insert("reason".to_owned(), reason.into());
        }
        Ok(answer)
    }

    fn net(&self, target: &str) -> Result<Value, ExplainError> {
        let policy = self
            .compiled
            .policy
            .net
            .compiled()
            .map_err(|error| unusable(&error))?;
        let decision = policy
            .decide(target)
            .map_err(|error| ExplainError::Target(error.to_string()))?;
        Ok(self.answer(&decision, decision.rule, Resource::Net))
    }

    fn env(&self, name: &str) -> Result<Value, ExplainError> {
        let policy = self
            .compiled
            .policy
            .env
            .compiled()
            .map_err(|error| unusable(&error))?;
        let decision = policy.decide(name);
        Ok(self.answer(&decision, decision.rule, Resource::Env))
    }

    fn config(&self, target: &Value) -> Result<Value, ExplainError> {
        let path = member(target, "path")?;
        let word = member(target, "capability")?;
        let capability = config_capability(word)?;
        let path = known_path(path)?;
        let policy = self
            .compiled
            .policy
            .config
            .compiled()
            .map_err(|error| unusable(&error))?;
        let decision = policy.decide(capability, &path);
        let mut answer = self.answer(&decision, decision.rule, Resource::Config);
        if let Some(rule) = decision
            .rule
            .filter(|_| capability != ConfigCapability::Read && decision.allowed)
            .and_then(|index| self.compiled.policy.config.get(index))
            && let Some(answer) = answer.as_object_mut()
        {
            let apply = match rule.apply {
                ApplyMode::Ask => "ask",
                ApplyMode::Unattended => "unattended",
            };
            answer.insert("apply".to_owned(), apply.into());
        }
        Ok(answer)
    }

    fn answer(&self, decision: &Decision, declared: Option<usize>, resource: Resource) -> Value {
        let rule = declared.and_then(|index| self.written(resource, index));
        json!({
            "allowed": decision.allowed,
            "rule": rule,
            "target": decision.target,
            "reason": decision.reason.as_str(),
        })
    }
}

impl AccessExplainer<'_> {
    fn written(&self, resource: Resource, index: usize) -> Option<Value> {
        let places = match resource {
            Resource::Fs => &self.fs,
            Resource::Net => &self.net,
            Resource::Env => &self.env,
            Resource::Config => &self.config,
        };
        let place = places.get(index).copied().flatten()?;
        Some(RulePlace::new(self.graph, index, place).to_json())
    }
}

fn unusable(error: &jp_tool::AccessRuleError) -> ExplainError {
    ExplainError::Target(error.to_string())
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, ExplainError> {
    value
        .as_str()
        .ok_or_else(|| ExplainError::Question(format!("`{key}` is a text")))
}

fn member<'a>(value: &'a Value, key: &str) -> Result<&'a str, ExplainError> {
    value
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| ExplainError::Question(format!("`{key}` is missing or no text")))
}

/// What of files a word asks for.
pub(crate) fn fs_capability(word: &str) -> Result<FsCapability, ExplainError> {
    let mut all = FsCapability::ALL.into_iter();
    let known = FsCapability::ALL.map(FsCapability::as_str);
    all.find(|capability| capability.as_str() == word)
        .ok_or_else(|| capability_error(word, &known))
}

/// What of the config a word asks for.
pub(crate) fn config_capability(word: &str) -> Result<ConfigCapability, ExplainError> {
    match word {
        "read" => Ok(ConfigCapability::Read),
        "write" => Ok(ConfigCapability::Write),
        "delete" => Ok(ConfigCapability::Delete),
        other => Err(capability_error(other, &["read", "write", "delete"])),
    }
}

fn capability_error(word: &str, known: &[&str]) -> ExplainError {
    let known = known.join("`, `");
    let hint = if word == "write" {
        "; in a rule `write` stands for `create`, `update` and `delete`: ask about one of them"
    } else {
        ""
    };
    ExplainError::Target(format!(
        "unknown capability `{word}`, expected one of `{known}`{hint}"
    ))
}
