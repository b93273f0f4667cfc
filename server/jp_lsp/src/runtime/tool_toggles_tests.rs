use clap::Parser;
use pretty_assertions::assert_eq;

use super::*;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    toggles: ToolToggles,
    text: String,
}

fn config() -> Value {
    let tool = |enable: Value| json!({ "source": "local", "command": "x", "enable": enable });
    json!({
        "assistant": { "model": { "id": "test/model" } },
        "conversation": { "tools": {
            "any": tool(json!({ "state": true })),
            "named": tool(json!({ "state": false, "allow_toggle": "if_named" })),
            "locked_on": tool(json!({ "state": true, "allow_toggle": "never" })),
            "locked_off": tool(json!({ "state": false, "allow_toggle": "never" })),
        } },
    })
}

/// The tools that are on after these options.
fn on(options: &[&str]) -> Result<Vec<String>, String> {
    let words = ["query"]
        .into_iter()
        .chain(options.iter().copied())
        .chain(["Go."]);
    let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
    assert_eq!(line.text, "Go.");
    let builtins = IndexMap::new();
    let effective = line.toggles.apply(config(), &builtins);
    let effective = effective.map_err(|error| error.to_string())?;
    let resolved = TurnConfig::resolve(&effective, &builtins).unwrap();
    Ok(resolved
        .enabled_tools()
        .map(|tool| tool.name.clone())
        .collect())
}

#[test]
fn toggles_apply_from_left_to_right() {
    let on = |options: &[&str]| on(options).unwrap();
    assert_eq!(on(&[]), ["any", "locked_on"]);
    assert_eq!(on(&["-T"]), ["locked_on"]);
    assert_eq!(on(&["-t"]), ["any", "locked_on"]);
    assert_eq!(on(&["-T", "-t=named"]), ["named", "locked_on"]);
    assert_eq!(
        on(&["--tool=named", "--no-tool=named"]),
        ["any", "locked_on"]
    );
    assert_eq!(on(&["--no-tool=any", "--tool"]), ["any", "locked_on"]);
    assert_eq!(on(&["-t=locked_on", "-T=locked_off"]), ["any", "locked_on"]);
}

#[test]
fn what_cannot_be_switched_says_so() {
    let refused = |option: &str| on(&[option]).unwrap_err();
    assert!(
        refused("-T=locked_on")
            .contains("cannot disable `locked_on`: this tool is configured as locked-on")
    );
    assert!(
        refused("-t=locked_off")
            .contains("cannot enable `locked_off`: this tool is configured as locked-off")
    );
    assert!(
        refused("-t=nope")
            .contains("`nope` is no tool, write one of `any`, `named`, `locked_on`, `locked_off`")
    );
}
