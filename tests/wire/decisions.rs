//! What `explain policy` says of a call is what a turn does with it: random tools, policies and calls, in a workspace full of links.
//!
//! ```toml
//! [conversation.tools.t0]
//! parameters.path = { type = "path" }
//! policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//! ```
//!
//! The command and the request of the editor explain, a scripted model makes the same calls, and the prompts and results are compared.

#[path = "decisions/calls.rs"]
mod calls;
#[path = "decisions/policies.rs"]
mod policies;
#[path = "decisions/world.rs"]
mod world;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::world::{Answer, Explained, World};
use crate::{random::Random, server::TestServer};

/// How many worlds are tried, where nothing else is said.
const WORLDS: u64 = 4;

/// Names the world in the failure text.
struct Named(u64);

impl Drop for Named {
    #[expect(clippy::print_stdout, reason = "a test that fails says where")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("this was world {}", self.0);
        }
    }
}

#[test]
fn what_is_explained_is_what_a_turn_does() {
    let count = std::env::var("JP_LSP_DECISION_WORLDS")
        .map_or(WORLDS, |count| count.parse().expect("a number of worlds"));
    let mut seen = BTreeMap::new();
    for seed in 0..count {
        let named = Named(seed);
        differ(seed, &mut seen);
        drop(named);
    }
    for word in ["refused", "invalid", "unattended", "ask", "edit", "skip"] {
        assert!(seen.contains_key(word), "no call was {word}: {seen:?}");
    }
}

/// What one call came to in a turn.
#[derive(Debug, Default)]
struct Course {
    prompts: Vec<Value>,
    response: Value,
}

fn differ(seed: u64, seen: &mut BTreeMap<String, usize>) {
    let mut random = Random(seed);
    let mut world = World::random(&mut random);
    while let Some(refused) = world.refused() {
        *seen.entry("refused".to_owned()).or_default() += 1;
        let mut server = world.server();
        let (_, error) = turn(&mut server);
        assert_eq!(
            error.as_deref(),
            Some(in_words(&refused).as_str()),
            "{}",
            world.text()
        );
        world.mend(&refused);
    }
    let explained = world.explain_all();
    let mut server = world.server();
    for (call, said) in world.calls.iter().zip(&explained) {
        for (result, said) in [(false, &said.run), (true, &said.result)] {
            let asked = json!({ "kind": "policy", "tool": call.tool, "input": call.arguments, "result": result });
            let answer = server.call("jp/explain", asked).unwrap();
            assert_eq!(answer, said.said, "{} {}", call.tool, call.arguments);
        }
    }
    let (courses, error) = turn(&mut server);
    assert_eq!(error, None);
    for (number, (call, said)) in world.calls.iter().zip(&explained).enumerate() {
        let course = &courses[&format!("c{number}")];
        let text = format!(
            "{} {}\nrun {}\nresult {}\n{course:?}\n{}",
            call.tool,
            call.arguments,
            said.run.said,
            said.result.said,
            world.text()
        );
        let word = said.run.said["mode"].as_str().unwrap_or("invalid");
        *seen.entry(word.to_owned()).or_default() += 1;
        assert_eq!(expected(said, course), found(said, course), "{text}");
    }
}

/// A refusal as the turn says it.
fn in_words(refused: &Value) -> String {
    let tool = match refused["tool"].as_str().unwrap() {
        "*" => "tool defaults `'*'`".to_owned(),
        tool => format!("tool `{tool}`"),
    };
    let rule = &refused["rule"];
    let (list, index) = (
        rule["list"].as_str().unwrap(),
        rule["index"].as_u64().unwrap(),
    );
    let (path, line) = (refused["path"].as_str().unwrap(), &refused["line"]);
    let message = refused["message"].as_str().unwrap();
    format!(
        "{tool}, rule {} of {list}, {path}:{line}: {message}",
        index + 1
    )
}

/// Makes all the calls, and says yes to every second prompt; also the error with which it ends.
fn turn(server: &mut TestServer) -> (BTreeMap<String, Course>, Option<String>) {
    let query = json!({ "text": "Go.", "conversation": "new" });
    server.call("jp/query/start", query).unwrap();
    let mut courses: BTreeMap<String, Course> = BTreeMap::new();
    let mut is_yes = false;
    loop {
        let message = server.message("a prompt or an event", |message| {
            message["method"] == "jp/prompt" || message["method"] == "jp/conversation/event"
        });
        let params = &message["params"];
        if message["method"] == "jp/prompt" {
            let id = params["tool"]["callId"].as_str().unwrap().to_owned();
            is_yes = !is_yes;
            let is_run = params["kind"] == "run";
            let action = if is_yes && is_run {
                "approve"
            } else {
                "reject"
            };
            let mut prompt = params.clone();
            prompt["answer"] = action.into();
            courses.entry(id).or_default().prompts.push(prompt);
            server.respond(&message["id"], json!({ "action": action }));
            continue;
        }
        let event = &params["event"];
        match event["type"].as_str().unwrap() {
            "tool_call_response" => {
                let id = event["id"].as_str().unwrap().to_owned();
                courses.entry(id).or_default().response = event.clone();
            }
            "turn_end" => {
                let error = event["error"].as_str().map(str::to_owned);
                assert_eq!(event["outcome"] == "completed", error.is_none(), "{event}");
                return (courses, error);
            }
            _ => {}
        }
    }
}

/// What happened to a call: the kind and the rule of each prompt, and the result.
fn found(said: &Explained, course: &Course) -> Vec<String> {
    let prompts = course.prompts.iter().map(|prompt| {
        let kind = prompt["kind"].as_str().unwrap();
        let rule = &prompt["rule"];
        let index = rule["index"].as_u64();
        let answer = if kind == "result" {
            &said.result
        } else {
            &said.run
        };
        // What follows the last rule has no place of its own; the prompt leads to the policy as a whole.
        if index.is_none() && answer.said["rule"].is_null() {
            return format!("{kind} by no rule");
        }
        let line = rule["range"]["start"]["line"].as_u64().map(|line| line + 1);
        let uri = rule["uri"].as_str().unwrap_or_default();
        let file = uri.rsplit_once("/w/").map(|(_, file)| file);
        format!("{kind} by {index:?} {file:?} {line:?}")
    });
    let content = course.response["content"].as_str().unwrap();
    prompts.chain([content.trim_end().to_owned()]).collect()
}

/// The same, as the explanation says it; the answers of the person are those of the course.
fn expected(said: &Explained, course: &Course) -> Vec<String> {
    if let Some(error) = said.run.said["error"].as_str() {
        let problem = error.strip_prefix("invalid arguments: ").unwrap();
        let advice = "Call `describe_tools(tools:";
        let content = course.response["content"].as_str().unwrap();
        let (before, after) = content.split_once(advice).unwrap();
        assert_eq!(before, format!("Invalid arguments: {problem}. "));
        return vec![format!("{before}{advice}{}", after.trim_end())];
    }
    let prompt = |kind: &str, answer: &Answer| match &answer.said["rule"] {
        Value::Null => format!("{kind} by no rule"),
        rule => {
            // A single mode is no list, so its rule has no number.
            let index = rule["index"].as_u64().filter(|_| answer.is_list);
            let (file, line) = (rule["path"].as_str(), rule["line"].as_u64());
            format!("{kind} by {index:?} {file:?} {line:?}")
        }
    };
    let mut all = Vec::new();
    match said.run.said["mode"].as_str().unwrap() {
        "skip" => return vec!["Tool skipped by user.".to_owned()],
        "unattended" => {}
        mode => {
            all.push(prompt(if mode == "ask" { "run" } else { mode }, &said.run));
            if course
                .prompts
                .first()
                .is_none_or(|prompt| prompt["answer"] != "approve")
            {
                all.push("Tool skipped by user.".to_owned());
                return all;
            }
        }
    }
    match said.result.said["mode"].as_str().unwrap() {
        "unattended" => all.push("ran".to_owned()),
        "skip" => all.push("Result delivery skipped by configuration.".to_owned()),
        _ => {
            all.push(prompt("result", &said.result));
            all.push("Result delivery skipped by user.".to_owned());
        }
    }
    all
}
