//! Turns that a person interrupts.

use pretty_assertions::assert_eq;

use super::*;

const TWO_TOOLS: &str = r#"
[[cycles]]
batches = [[
    { tool_call = { id = "c1", name = "quick", arguments = {} } },
    { tool_call = { id = "c2", name = "slow", arguments = {} } },
]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

fn quick_and_slow() -> Value {
    json!({
        "quick": shell("echo quick"),
        "slow": shell("[ -e again ] && echo again && exit; touch slow; while :; do sleep 1; done"),
    })
}

/// Does something to the turn when the quick tool has finished and the slow one runs.
async fn interrupted(act: impl FnOnce(&World, jp_agent::TurnHandle)) -> (World, String) {
    let world = World::new(&quick_and_slow(), TWO_TOOLS);
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.log.hears("event tool_call_response").await;
                while !world.root.join("slow").exists() {
                    tokio::task::yield_now().await;
                }
                act(world, handle);
            })
            .await
    };
    let recorded = recorded.lines().skip(4).collect::<Vec<_>>().join("\n");
    (world, recorded)
}

#[tokio::test]
async fn stop_and_reply_tells_the_model_and_goes_on() {
    let (_, recorded) = interrupted(|_, handle| {
        handle.interrupt(Interrupt::Continue);
        handle.interrupt(Interrupt::StopAndReply {
            text: Some("Too slow.".to_owned()),
        });
    })
    .await;
    expect![[r#"
        tool_call_response {"id":"c1","content":"quick\n","is_error":false}
        tool_call_response {"id":"c2","content":"Tool run cancelled by user with a custom message:\n\nToo slow.","is_error":false}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&recorded);
}

#[tokio::test]
async fn stop_and_reply_without_a_text_has_the_tools_own() {
    let (_, recorded) =
        interrupted(|_, handle| handle.interrupt(Interrupt::StopAndReply { text: None })).await;
    expect![[r#"
        tool_call_response {"id":"c1","content":"quick\n","is_error":false}
        tool_call_response {"id":"c2","content":"This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was rejected, or infer the reason by looking at the historical messages in the conversation.","is_error":false}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&recorded);
}

#[tokio::test]
async fn restart_runs_unanswered_calls_again() {
    let (_, recorded) = interrupted(|world, handle| {
        std::fs::write(world.root.join("again"), "").unwrap();
        handle.interrupt(Interrupt::Restart);
    })
    .await;
    expect![[r#"
        tool_call_response {"id":"c1","content":"quick\n","is_error":false}
        tool_call_response {"id":"c2","content":"again\n","is_error":false}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&recorded);
}

#[tokio::test]
async fn stop_and_cancel_end_the_turn_with_every_call_answered() {
    let ended = expect![[r#"
        tool_call_response {"id":"c1","content":"quick\n","is_error":false}
        tool_call_response {"id":"c2","content":"Tool execution cancelled by user.","is_error":false}"#]];
    let (world, recorded) = interrupted(|_, handle| handle.interrupt(Interrupt::Stop)).await;
    ended.assert_eq(&recorded);
    assert_eq!(world.log.text().lines().last(), Some("end completed"));
    let (world, recorded) = interrupted(|_, handle| handle.cancel()).await;
    ended.assert_eq(&recorded);
    assert_eq!(world.log.text().lines().last(), Some("end cancelled"));
}

#[tokio::test]
async fn a_waiting_prompt_is_withdrawn_by_a_cancelled_turn() {
    let world = World::new(&json!({"t": asking()}), ONE_CALL).with_people([]);
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.log.hears("event tool_call_request").await;
                handle.cancel();
            })
            .await
    };
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"message":"I look."}
        tool_call_request {"id":"c1","name":"t","arguments":{}}
        tool_call_response {"id":"c1","content":"Tool execution cancelled by user.","is_error":false}
    "#]]
    .assert_eq(&recorded);
    assert!(!world.root.join("ran").exists());
}

/// A tool that asks a person, who leaves the question when `act` says so.
async fn asked(people: Vec<PromptOutcome>, act: impl FnOnce(jp_agent::TurnHandle)) -> String {
    let question = r#"{"type":"needs_input","question":{"id":"q","text":"?","answer_type":"Boolean","exclusive":true}}"#;
    let tool = shell(&format!("echo '{question}'"));
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people(people);
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.people.are_asked(1).await;
                act(handle);
            })
            .await
    };
    responses(&recorded)
}

#[tokio::test]
async fn a_question_that_a_person_leaves_is_told_from_one_that_the_end_withdraws() {
    let left = asked(vec![PromptOutcome::Cancelled], |_| {}).await;
    expect![[r#"{"id":"c1","content":"Tool input cancelled by user.","is_error":false}"#]]
        .assert_eq(&left);
    let withdrawn = asked(vec![], |handle| {
        handle.interrupt(Interrupt::StopAndReply {
            text: Some("Later.".to_owned()),
        });
    })
    .await;
    expect![[r#"{"id":"c1","content":"Tool run cancelled by user with a custom message:\n\nLater.","is_error":false}"#]].assert_eq(&withdrawn);
    let unavailable = PromptOutcome::Unavailable {
        reason: "nobody".to_owned(),
    };
    expect![[r#"{"id":"c1","content":"t cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue without user input or explain what information is missing.","is_error":true}"#]].assert_eq(&asked(vec![unavailable], |_| {}).await);
}

#[tokio::test]
async fn a_reply_in_the_middle_of_an_answer_keeps_what_was_said() {
    let world = World::new(
        &json!({}),
        r#"
        [[cycles]]
        batches = [[{ text = "I think" }], [{ text = " for ever" }]]
        delay_ms = 100000
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.log.hears("text I think").await;
                handle.interrupt(Interrupt::StopAndReply {
                    text: Some("Hurry.".to_owned()),
                });
            })
            .await
    };
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"message":"I think"}
        chat_request {"content":"Hurry."}
        chat_response {"message":"Done."}
    "#]]
    .assert_eq(&recorded);
}
