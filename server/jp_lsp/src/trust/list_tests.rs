use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use pretty_assertions::assert_eq;

use super::*;
use crate::trust::{TrustedBy, TrustedContent};

fn list(config: &str) -> TrustList {
    let files = MemoryFiles::from_fixture(&format!("//- /w/.jp/config.toml\n{config}"));
    let view = View::new(Graph::load(&Roots::workspace_only("/w"), &files).into());
    let effective = view.effective(&[]).unwrap().to_json();
    TrustList::of(&view, &effective)
}

fn record(list: &TrustList) -> TrustRecord {
    TrustRecord {
        root: "/w".into(),
        trusted: vec![TrustedContent {
            digest: list.digest(),
            by: TrustedBy::Person,
        }],
        settings: list.lines(),
    }
}

const SERVER: &str =
    "[providers.mcp.a]\ntype = \"stdio\"\ncommand = \"run\"\nvariables = [\"HOME\", \"TOKEN\"]\n";

#[test]
fn places_and_order_are_no_content() {
    let one = list("editor.cmd = \"vi\"\n[providers.mcp.a]\ntype = \"stdio\"\ncommand = \"a\"\n");
    let other = list(
        "# moved\n\nproviders.mcp.a = { command = \"a\", type = \"stdio\" }\n[editor]\ncmd = \"vi\"\n",
    );
    assert_eq!(one.digest(), other.digest());
    let longer =
        list("editor.cmd = \"vim\"\n[providers.mcp.a]\ntype = \"stdio\"\ncommand = \"a\"\n");
    assert_ne!(one.digest(), longer.digest());
    // A value cannot pass for another one's path.
    let renamed =
        list("editor.cmd = \"vi\"\n[providers.mcp.b]\ntype = \"stdio\"\ncommand = \"a\"\n");
    assert_ne!(one.digest(), renamed.digest());
}

#[test]
fn what_changed_is_marked() {
    let before = record(&list(&format!("editor.cmd = \"vi\"\n{SERVER}")));
    let after = list(&format!(
        "plugins.command.p.run = \"ask\"\n{}",
        SERVER.replace("run", "walk")
    ));
    assert_eq!(
        after.text(Some(&before), false),
        "+ plugins.command.p: lets `jp` start a plugin, {\"run\":\"ask\"} (.jp/config.toml:1)\n\
         ~ providers.mcp.a: starts `walk`, which sees `HOME`, `TOKEN`, before: starts `run`, which sees `HOME`, `TOKEN` \
         (.jp/config.toml:2)\n\
         - editor.cmd: starts `vi`"
    );
}

#[test]
fn a_long_command_says_how_much_is_not_shown() {
    let long = "x".repeat(1000);
    let shown = list(&format!("editor.cmd = \"{long}\"\n")).lines();
    let (_, words) = shown.first().unwrap();
    assert!(
        words.ends_with("\u{2026} (and 600 characters more)`"),
        "{words}"
    );
}

#[test]
fn only_a_key_that_leaves_home_is_named() {
    let keys = |config: &str| {
        let keys = list(config).keys().to_vec();
        let keys = keys
            .into_iter()
            .map(|key| format!("{} {}", key.variable, key.origin));
        keys.collect::<Vec<_>>()
    };
    assert_eq!(
        keys("providers.llm.anthropic.api_key_env = \"X\"\n"),
        [""; 0]
    );
    assert_eq!(
        keys(
            "providers.llm.anthropic = { api_key_env = \"X\", base_url = \"http://127.0.0.1:9/a\" }\n"
        ),
        ["X http://127.0.0.1:9"]
    );
    assert_eq!(
        keys("providers.llm.xai.base_url = \"https://gate.example\"\n"),
        ["XAI_API_KEY https://gate.example"]
    );
    // What is never sent needs nobody's word, and a model on this machine has no key.
    assert_eq!(
        keys("providers.llm.xai.base_url = \"http://gate.example\"\n"),
        [""; 0]
    );
    assert_eq!(
        keys("providers.llm.ollama.base_url = \"http://127.0.0.1:9\"\n"),
        [""; 0]
    );
}

#[test]
fn a_server_over_http_says_where_calls_and_the_token_go() {
    let server = "[providers.mcp.a]\ntype = \"http\"\nurl = \"https://a.example/mcp\"\n";
    let token = format!("{server}bearer_token_env = \"TOKEN\"\n");
    assert_eq!(
        list(server).text(None, false),
        "  providers.mcp.a: sends calls of its tools to `https://a.example/mcp` (.jp/config.toml:1)"
    );
    assert_eq!(
        list(&token).text(None, false),
        "  providers.mcp.a: sends calls of its tools to `https://a.example/mcp`, with the value of the variable `TOKEN` as \
         the token (.jp/config.toml:1)"
    );
    assert_ne!(list(server).digest(), list(&token).digest());
}
