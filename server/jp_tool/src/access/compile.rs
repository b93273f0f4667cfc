//! From the rules in a config to the policy that a tool gets; the host's side of RFD 076.
//!
//! ```toml
//! access.fs = [
//!   { path = "./src/", read = true },                       # compiled to `src`
//!   { path = "shared", external = true, read = true },      # a link out of the workspace, if it is approved
//! ]
//! access.net = [{ host = "MÜNCHEN.de.", allow = true }]      # compiled to `xn--mnchen-3ya.de`
//! ```

use std::{collections::BTreeMap, fmt};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    AccessPolicy, AccessRuleError, AccessRuleProblem, ConfigPolicy, ConfigRule, EnvPolicy, EnvRule,
    FsRule, NetRule, Resource, canonicalize, path::resolve,
};

/// Where a person has allowed external rules to lead: the rule's path as written, and the resolved target.
pub type ApprovedTargets = BTreeMap<Utf8PathBuf, Utf8PathBuf>;

/// A policy ready for the wire, and how its fs rules relate to the declared ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompiledAccess {
    /// The policy.
    pub policy: AccessPolicy,

    /// For each fs rule of the policy, its position in the declaration; `None` for the rule that denies everything
    /// because no declared rule was left.
    pub fs_declared: Vec<Option<usize>>,

    /// Declared rules that are not part of the policy.
    pub warnings: Vec<AccessWarning>,
}

/// A declared rule that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessWarning {
    /// The position of the rule in `access.fs`, from 0.
    pub index: usize,

    /// The path of the rule as written.
    pub path: Utf8PathBuf,

    /// Where it leads, if it leads somewhere.
    pub target: Option<Utf8PathBuf>,
}

impl fmt::Display for AccessWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, .. } = self;
        match &self.target {
            Some(target) => write!(
                formatter,
                "external rule `{path}` leads to `{target}`, which is not approved; the rule is left out"
            ),
            None => write!(
                formatter,
                "external rule `{path}` leads nowhere; the rule is left out"
            ),
        }
    }
}

impl AccessPolicy {
    /// Compiles `declared`, the merged rules as written in the config, for the workspace at `root`.
    ///
    /// Rule paths become canonical, hosts normalized.
    /// An external rule stays if its path leads to the target approved for it, and is left out with a warning
    /// otherwise.
    /// If no declared fs rule is left, one rule denies everything: an emptied list is not an absent one.
    ///
    /// # Errors
    ///
    /// The first rule that leads out of the workspace or cannot match what it says.
    pub fn compile_rules(
        root: &Utf8Path,
        declared: &Self,
        approved: &ApprovedTargets,
    ) -> Result<CompiledAccess, AccessRuleError> {
        let mut rules = Vec::with_capacity(declared.fs.len());
        let mut fs_declared = Vec::with_capacity(declared.fs.len());
        let mut warnings = Vec::new();
        for (index, rule) in declared.fs.iter().enumerate() {
            let compiled = compile_fs_rule(root, index, rule, approved).map_err(|problem| {
                AccessRuleError {
                    resource: Resource::Fs,
                    index,
                    problem,
                }
            })?;
            match compiled {
                Ok(rule) => {
                    rules.push(rule);
                    fs_declared.push(Some(index));
                }
                Err(warning) => warnings.push(warning),
            }
        }
        if rules.is_empty() && !declared.fs.is_empty() {
            rules.push(FsRule::new("."));
            fs_declared.push(None);
        }

        let mut net = Vec::with_capacity(declared.net.len());
        for (index, rule) in declared.net.iter().enumerate() {
            net.push(normalized_net_rule(index, rule)?);
        }
        // Names and paths stay as written; compiling them finds the ones that cannot be evaluated.
        EnvPolicy::compile(&declared.env)?;
        ConfigPolicy::compile(&declared.config)?;

        let env: Vec<EnvRule> = declared.env.to_vec();
        let config: Vec<ConfigRule> = declared.config.to_vec();
        Ok(CompiledAccess {
            policy: Self {
                fs: rules.into(),
                net: net.into(),
                env: env.into(),
                config: config.into(),
            },
            fs_declared,
            warnings,
        })
    }
}

fn compile_fs_rule(
    root: &Utf8Path,
    index: usize,
    rule: &FsRule,
    approved: &ApprovedTargets,
) -> Result<Result<FsRule, AccessWarning>, AccessRuleProblem> {
    if rule.path().as_str().is_empty() {
        return Err(AccessRuleProblem::FsPathEmpty);
    }
    if rule.external() {
        return compile_external(root, index, rule, approved);
    }
    let canonical =
        canonicalize(root, rule.path()).map_err(|error| AccessRuleProblem::FsPathRejected {
            reason: error.to_string(),
        })?;
    Ok(Ok(rule.at(canonical.relative).with_approved_target(None)))
}

fn compile_external(
    root: &Utf8Path,
    index: usize,
    rule: &FsRule,
    approved: &ApprovedTargets,
) -> Result<Result<FsRule, AccessWarning>, AccessRuleProblem> {
    let path = lexical(rule.path()).ok_or_else(|| AccessRuleProblem::FsPathNotRelative {
        path: rule.path().to_string(),
    })?;
    let left_out = |target| AccessWarning {
        index,
        path: rule.path().to_owned(),
        target,
    };
    let Ok(resolved) = resolve(root, &path) else {
        return Ok(Err(left_out(None)));
    };
    if resolved.inside().is_some() {
        return Err(AccessRuleProblem::ExternalInside {
            path: rule.path().to_string(),
        });
    }
    if !resolved.absolute.exists() {
        return Ok(Err(left_out(None)));
    }
    let known = [rule.path(), &path]
        .into_iter()
        .find_map(|path| approved.get(path));
    if known == Some(&resolved.absolute) {
        Ok(Ok(rule
            .at(path)
            .with_approved_target(Some(resolved.absolute))))
    } else {
        Ok(Err(left_out(Some(resolved.absolute))))
    }
}

/// A relative path without `.`, `..` and doubled separators; `None` if it is absolute or leaves its start.
pub(super) fn lexical(path: &Utf8Path) -> Option<Utf8PathBuf> {
    use camino::Utf8Component::{CurDir, Normal, ParentDir, Prefix, RootDir};

    let mut clean = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Prefix(_) | RootDir => return None,
            CurDir => {}
            ParentDir => {
                if !clean.pop() {
                    return None;
                }
            }
            Normal(name) => clean.push(name),
        }
    }
    Some(clean)
}

fn normalized_net_rule(index: usize, rule: &NetRule) -> Result<NetRule, AccessRuleError> {
    rule.normalized().map_err(|problem| AccessRuleError {
        resource: Resource::Net,
        index,
        problem,
    })
}

#[cfg(test)]
#[cfg(unix)]
#[path = "compile_tests.rs"]
mod tests;
