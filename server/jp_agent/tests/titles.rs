//! A conversation gets its title from a model, where the config asks for that.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use harness::{World, request};
use jp_agent::{
    EventSink, FinishedTurn, Providers, RuntimeParts, TurnControl, config::ModelConfig,
};
use jp_llm::{LlmError, Provider, Script, ScriptedProvider};
use serde_json::{Value, json};

const ANSWERS: &str = r#"
[[cycles]]
batches = [[{ text = "It has none." }]]
[[cycles]]
batches = [[{ text = "Still none." }]]
"#;

const TITLE: &str = r#"
[[cycles]]
batches = [[{ text = "\"Version without a date.\"\n" }]]
"#;

/// What is left without a title of the model's.
const UNNAMED: &str = "Some(\"Why is there\")\nSome(\"Why is there\")\ntest/main, test/main\n";

/// Two models: one answers, the other gives titles.
#[derive(Debug)]
struct Two {
    main: Arc<ScriptedProvider>,
    title: Result<Arc<ScriptedProvider>, LlmError>,
    asked: Mutex<Vec<String>>,
}

impl Providers for Two {
    fn provider(&self, model: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError> {
        self.asked.lock().unwrap().push(model.id.to_string());
        let asked = match model.id.name.as_str() {
            "main" => Arc::clone(&self.main),
            _ => self.title.clone()?,
        };
        Ok(asked as Arc<dyn Provider>)
    }
}

/// The titles of a conversation after each of two turns, and what the title's model was asked.
async fn titles(generate: Value, title: Result<&str, LlmError>) -> String {
    let world = World::new(&json!({}), "cycles = []");
    world.config.lock().unwrap()["conversation"]["title"]["generate"] = generate;
    let scripted = |script| {
        Arc::new(ScriptedProvider::new(
            Script::from_toml("script", script).unwrap(),
        ))
    };
    let providers = Arc::new(Two {
        main: scripted(ANSWERS),
        title: title.map(scripted),
        asked: Mutex::default(),
    });
    let runtime = world.runtime_of(RuntimeParts {
        providers: Arc::clone(&providers) as Arc<dyn Providers>,
        ..world.parts(Arc::clone(&world.log) as Arc<dyn EventSink>)
    });
    let mut writer = world.conversation();
    writer
        .update_metadata(|metadata| metadata.title = Some("Why is there".to_owned()))
        .unwrap();
    let mut said = String::new();
    for question in ["Why is there no date?", "And now?"] {
        let (_handle, control) = TurnControl::new();
        let turn = runtime.turn(writer, request(question), control);
        let FinishedTurn { writer: back, .. } = turn.await;
        writer = back.expect("nothing else holds the conversation");
        let title = &writer.conversation().metadata.title;
        said.push_str(&format!("{title:?}\n"));
    }
    if let Ok(title) = &providers.title {
        for request in title.requests() {
            let system = request.system.as_deref().unwrap_or_default();
            let begin = system.split('.').next().unwrap_or_default();
            said.push_str(&format!("{begin}: {:?}\n", request.messages));
        }
    }
    let asked = providers.asked.lock().unwrap().join(", ");
    format!("{said}{asked}\n")
}

async fn check(generate: Value, title: Result<&str, LlmError>, expected: Expect) {
    expected.assert_eq(&titles(generate, title).await);
}

#[tokio::test]
async fn the_model_that_is_named_is_asked_once() {
    check(
        json!({"auto": true, "model": {"id": "test/titles"}}),
        Ok(TITLE),
        expect![[r#"
            Some("Version without a date")
            Some("Version without a date")
            You give titles to conversations: [User("Why is there no date?")]
            test/main, test/titles, test/main
        "#]],
    )
    .await;
}

#[tokio::test]
async fn no_model_is_asked_that_nobody_asked_for() {
    let model = json!({"id": "test/titles"});
    for generate in [
        json!({}),
        json!({"auto": false, "model": model}),
        json!(null),
    ] {
        assert_eq!(titles(generate, Ok(TITLE)).await, UNNAMED);
    }
}

#[tokio::test]
async fn whatever_goes_wrong_leaves_the_first_words() {
    let generate = json!({"model": {"id": "test/titles"}});
    let missing = LlmError::Incomplete { provider: "test" };
    let said = titles(generate.clone(), Err(missing)).await;
    assert_eq!(said, UNNAMED.replace("main, ", "main, test/titles, "));
    assert_eq!(
        titles(json!({"model": {"id": "nobody"}}), Ok(TITLE)).await,
        UNNAMED
    );
    let failing = "[[cycles]]\nerror = { message = \"Overloaded\" }\n";
    let wordless = "[[cycles]]\nbatches = [[{ text = \"\\n\" }]]\n";
    for script in [failing, wordless, "cycles = []"] {
        check(
            generate.clone(),
            Ok(script),
            expect![[r#"
                Some("Why is there")
                Some("Why is there")
                You give titles to conversations: [User("Why is there no date?")]
                test/main, test/titles, test/main
            "#]],
        )
        .await;
    }
}
