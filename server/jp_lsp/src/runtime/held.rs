//! What the kernel holds of one access rule, for a person who looks at it.
//!
//! ```text
//! By the kernel of this machine: held, less than granted: making files directly in `src`. A `/tmp` of its own: held.
//! ```

use jp_agent::Sandbox;
use jp_analysis::{
    explain::{AccessExplainer, view_of_tool},
    hover::AccessRule,
    text::markup::{code, one_line},
};
use jp_config::view::View;
use jp_sandbox::{Mechanisms, SandboxMode};
use jp_tool::Resource;

use crate::disk::paths::DiskPaths;

/// One sentence about a rule: the worst that is said of it in the account of its tool.
///
/// With no `mechanisms`, what no machine can change; nothing where the rule cannot be decided with, or only a person's approval would give
/// it an effect. Reads the disk.
pub(crate) fn held_in_words(
    view: &View,
    rule: &AccessRule,
    sandbox: &Sandbox,
    mechanisms: Option<Mechanisms>,
) -> Option<String> {
    if rule.resource == Resource::Config {
        return Some("By this program, not by the kernel: held.".to_owned());
    }
    if sandbox.mode == SandboxMode::Off {
        return Some("By the kernel: not held: your setting `sandbox` is `off`.".to_owned());
    }
    let graph = view.graph();
    let paths = DiskPaths::new(graph.workspace.clone());
    let of_tool = view_of_tool(graph, &rule.tool).ok()?;
    let explainer = AccessExplainer::new(&of_tool, &rule.tool, &paths).ok()?;
    let command = of_tool.effective(&["conversation", "tools", &rule.tool, "command"]);
    let command = command.map(|command| command.to_json());
    let account = sandbox
        .account(
            mechanisms.unwrap_or(Mechanisms::of_this_system()),
            paths.root(),
            explainer.policy(),
            explainer.protected(),
            command.as_ref(),
        )
        .ok()?;
    let grant = account
        .grants
        .iter()
        .filter(|grant| {
            grant.resource == rule.resource
                && explainer.declared(grant.resource, grant.index) == Some(rule.index)
        })
        .max_by_key(|grant| grant.held)?;
    let whose = match mechanisms {
        Some(_) => "the kernel of this machine",
        None if cfg!(target_os = "macos") => "a Mac whose `sandbox-exec` works",
        None => "a kernel that has all of Landlock and namespaces",
    };
    let of_rule = format!("By {whose}: {}.", shown(&grant.in_words(), rule));
    let private_tmp = account
        .private_tmp
        .filter(|_| rule.resource == Resource::Fs);
    Some(match private_tmp {
        None => of_rule,
        Some((held, reason)) => {
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            format!("{of_rule} A `/tmp` of its own: {held}{reason}.")
        }
    })
}

/// Words in which names from the config stand between backticks.
fn shown(words: &str, rule: &AccessRule) -> String {
    match rule.target.contains('`') {
        // A name with backticks would leave its own.
        true => code(words),
        false => one_line(words),
    }
}
