//! What the kernel holds of an access rule, where a person points at it.

use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{desk::Desk, program::program};

const CONFIG: &str = "assistant.model.id = \"test/model\"
conversation.tools.'*'.run = \"ask\"

[conversation.tools.t]
source = \"local\"
command = \"true\"

[conversation.tools.t.access]
fs = [
  { path = \"src\", read = true },
  { path = \"out\", create = true },
  { path = \"o`<b>`\", read = true },
]
net = [{ host = \"docs.rs\", allow = true }]
env = [{ name = \"LANG\", read = true }]
config = [{ path = \"style\", read = true }]
";

/// The rules by what stands in them, as `explain sandbox` names them.
const RULES: [(&str, &str); 6] = [
    ("\"src\"", "access.fs, rule 1"),
    ("\"out\"", "access.fs, rule 2"),
    ("\"o`<b>`\"", "access.fs, rule 3"),
    ("\"docs.rs\"", "access.net, rule 1"),
    ("\"LANG\"", "access.env, rule 1"),
    ("\"style\"", "access.config, rule 1"),
];

fn desk(trusted: bool, sandbox: &str) -> Desk {
    let mut desk = Desk::with(
        &format!("//- .jp/config.toml\n{CONFIG}//- src/a\n//- out/a\n"),
        json!({
            "capabilities": { "textDocument": { "hover": { "contentFormat": ["markdown"] } } },
            "initializationOptions": { "trusted": trusted, "agent": { "sandbox": sandbox } },
        }),
    );
    desk.open(".jp/config.toml");
    desk
}

/// What the hover of the rule in which `text` stands says of the kernel.
fn kernel(desk: &mut Desk, text: &str) -> String {
    let offset = CONFIG.find(text).unwrap() + 1;
    let head = CONFIG.get(..offset).unwrap();
    let line = head.matches('\n').count();
    let character = offset - head.rfind('\n').map_or(0, |end| end + 1);
    let hover = desk.server.call(
        "textDocument/hover",
        json!({
            "textDocument": { "uri": desk.uri(".jp/config.toml") },
            "position": { "line": line, "character": character },
        }),
    );
    let hover = hover.unwrap();
    let said = hover.pointer("/contents/value").and_then(Value::as_str);
    let said = said.unwrap().lines();
    let said: Vec<&str> = said.filter_map(|line| line.strip_prefix("- By ")).collect();
    said.join("\n")
}

#[test]
fn a_rule_tells_what_this_machine_holds_of_it() {
    let mut desk = desk(true, "on");
    let told = Command::new(program())
        .args(["explain", "sandbox", "--tool", "t", "--workspace"])
        .arg(desk.path(""))
        .env("HOME", desk.home(""))
        .output()
        .unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    for (text, name) in RULES {
        let line = told.lines().find(|line| line.trim().starts_with(name));
        let (_, held) = line.unwrap().split_once("): ").unwrap();
        let whose = match name.starts_with("access.config") {
            true => "this program, not by the kernel",
            false => "the kernel of this machine",
        };
        let held = match text.contains('`') {
            true => format!("```{held}```"),
            false => held.to_owned(),
        };
        assert_eq!(kernel(&mut desk, text), format!("{whose}: {held}."));
    }
}

#[test]
fn nothing_is_tried_in_a_workspace_that_nobody_trusts() {
    let mut desk = desk(false, "on");
    let whose = "a kernel that has all of Landlock and namespaces";
    for (text, held) in RULES.map(|(text, _)| text).into_iter().zip([
        "held",
        "held, less than granted: writing into what it makes in `out`, which takes `update`",
        "```held, less than granted: everything: `o`<b>`` does not exist, make it first```",
        "not held: the kernel knows ports and no hosts: every host can be reached on TCP port 80 and 443",
        "held",
    ]) {
        assert_eq!(kernel(&mut desk, text), format!("{whose}: {held}."));
    }
    let mut off = self::desk(false, "off");
    assert_eq!(
        kernel(&mut off, "\"src\""),
        "the kernel: not held: your setting `sandbox` is `off`."
    );
}
