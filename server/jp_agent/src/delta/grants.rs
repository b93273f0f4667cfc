//! Who may change what.
//!
//! ```toml
//! [[conversation.tools.change_model.access.config]]
//! path = "assistant.model"
//! write = true
//! apply = "unattended"
//! ```

use jp_tool::{
    AccessRuleError, AccessRuleProblem, ApplyMode, ConfigCapability, ConfigPath, ConfigPolicy,
    ConfigRule, ConfigSegment, Reason, Resource,
};

use super::{LeafPath, LeafSet, Operation};

/// The `access.config` rules of one tool, compiled.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    policy: ConfigPolicy,
    rules: Vec<(ConfigPath, ConfigRule)>,
}

/// What the rules say about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantDecision {
    /// Whether the capability is granted.
    pub allowed: bool,
    /// The position of the deciding rule; `None` where no rule matches.
    pub rule: Option<usize>,
    /// Whether a person confirms.
    pub asks: bool,
    /// The rule that says so.
    pub asking_rule: Option<usize>,
    /// Why.
    pub reason: Reason,
}

impl Grants {
    /// Compiles the merged rules of a tool; no rule grants nothing.
    ///
    /// # Errors
    ///
    /// The first rule whose path cannot be read.
    pub fn compile(rules: &[ConfigRule]) -> Result<Self, AccessRuleError> {
        let policy = ConfigPolicy::compile(rules)?;
        let rules = rules.iter().enumerate().map(|(index, rule)| {
            let path = ConfigPath::parse(&rule.path).map_err(|error| AccessRuleError {
                resource: Resource::Config,
                index,
                problem: AccessRuleProblem::from(error),
            })?;
            Ok((path, rule.clone()))
        });
        Ok(Self {
            policy,
            rules: rules.collect::<Result<_, AccessRuleError>>()?,
        })
    }

    /// Whether some rule grants the capability somewhere.
    #[must_use]
    pub fn grants_any(&self, capability: ConfigCapability) -> bool {
        self.rules.iter().any(|(_, rule)| rule.grants(capability))
    }

    /// Decides about the value at `path` as a whole.
    ///
    /// The most specific matching rule decides.
    /// A value that rules look into is touched only if each of those rules grants it too, so that no deny rule below is
    /// walked past.
    #[must_use]
    pub fn decide(&self, capability: ConfigCapability, path: &LeafPath) -> GrantDecision {
        let Some(target) = path.to_config_path() else {
            return GrantDecision {
                allowed: false,
                rule: None,
                asks: true,
                asking_rule: None,
                reason: Reason::NoRule,
            };
        };
        let mut decision = self.decide_path(capability, &target);
        for (rule_path, _) in &self.rules {
            if !decision.allowed {
                break;
            }
            if lies_below(rule_path, &target) {
                let below = self.decide_path(capability, rule_path);
                let asks = decision.asks || below.asks;
                let asking_rule = decision.asking_rule.or(below.asking_rule);
                if !below.allowed {
                    decision = below;
                }
                decision.asks = asks;
                decision.asking_rule = asking_rule;
            }
        }
        decision
    }

    fn decide_path(&self, capability: ConfigCapability, target: &ConfigPath) -> GrantDecision {
        let decision = self.policy.decide(capability, target);
        let rule = decision.rule.and_then(|index| self.rules.get(index));
        let asks = rule.is_none_or(|(_, rule)| rule.apply == ApplyMode::Ask);
        GrantDecision {
            allowed: decision.allowed,
            rule: decision.rule,
            asks,
            asking_rule: decision.rule.filter(|_| asks),
            reason: decision.reason,
        }
    }
}

/// Whether some path that `rule` covers lies below `target`.
fn lies_below(rule: &ConfigPath, target: &ConfigPath) -> bool {
    let (rule, target) = (rule.segments(), target.segments());
    rule.len() > target.len()
        && rule
            .iter()
            .zip(target)
            .all(|(rule, target)| *rule == ConfigSegment::Any || rule == target)
}

/// What the rules say about a whole proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The leaves outside the grants; the proposal stands or falls as a whole, so one is enough to refuse it.
    pub unauthorized: Vec<Unauthorized>,
    /// Whether a person confirms: some deciding rule says `apply = "ask"`.
    pub needs_ask: bool,
    /// The first deciding rule that says so.
    pub asking_rule: Option<usize>,
    /// The deciding rule of each leaf, in the order of the leaf set.
    pub rules: Vec<Option<usize>>,
}

impl Authorization {
    /// Whether every leaf is granted.
    #[must_use]
    pub const fn is_granted(&self) -> bool {
        self.unauthorized.is_empty()
    }
}

/// A leaf outside the grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unauthorized {
    /// The leaf as the tool would name it.
    pub path: String,
    /// What it lacks.
    pub capability: ConfigCapability,
    /// Why.
    pub reason: Reason,
}

/// Decides about a proposal leaf by leaf (RFD 078, "Authorization check").
///
/// A set leaf needs `write`, an unset one `delete`, and a set leaf that makes an element of a list or an entry of a map
/// disappear needs both.
#[must_use]
pub fn authorize(leaves: &LeafSet, grants: &Grants) -> Authorization {
    let mut authorization = Authorization {
        unauthorized: Vec::new(),
        needs_ask: false,
        asking_rule: None,
        rules: Vec::new(),
    };
    for change in leaves.changes() {
        let capabilities: &[ConfigCapability] = match &change.operation {
            Operation::Set { .. } if change.drops => {
                &[ConfigCapability::Write, ConfigCapability::Delete]
            }
            Operation::Set { .. } => &[ConfigCapability::Write],
            Operation::Unset { .. } => &[ConfigCapability::Delete],
        };
        let mut rule = None;
        for capability in capabilities {
            let decision = grants.decide(*capability, &change.path);
            rule = decision.rule;
            if decision.asks {
                authorization.needs_ask = true;
                authorization.asking_rule = authorization.asking_rule.or(decision.asking_rule);
            }
            if !decision.allowed {
                authorization.unauthorized.push(Unauthorized {
                    path: change.name(),
                    capability: *capability,
                    reason: decision.reason,
                });
                break;
            }
        }
        authorization.rules.push(rule);
    }
    authorization
}
