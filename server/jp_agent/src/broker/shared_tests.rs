use futures::FutureExt as _;
use jp_conversation::{Answerer, ConversationId};
use pretty_assertions::assert_eq;
use serde_json::{Map, json};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

use super::*;
use crate::broker::BrokerConfig;
use crate::ports::Prompts as _;
use crate::prompt::{
    PromptActionId, PromptAnswer, PromptNote, PromptRequest, PromptSubject, PromptTool, Reply,
};
use crate::source_range::SourceRange;

const CONVERSATION: u64 = 17_636_666_521;

fn run(conversation: u64) -> PromptRequest {
    PromptRequest {
        note: Some(PromptNote {
            text: "Runs in a sandbox.\n".to_owned(),
            is_single: false,
        }),
        conversation: ConversationId::from_deciseconds(conversation),
        root: "/work".into(),
        tool: PromptTool {
            name: "grep".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: Some(crate::prompt::PromptRule {
            index: Some(1),
            place: Some(SourceRange {
                file: "/work/.jp/config.toml".into(),
                start: (3, 4),
                end: (3, 9),
            }),
            rules: Vec::new(),
        }),
        subject: PromptSubject::Run {
            arguments: Map::from_iter([("pattern".to_owned(), json!("fn main"))]),
            argv: None,
            rendered: None,
        },
    }
}

fn ask(broker: &Broker, conversation: u64) -> JoinHandle<Reply> {
    let broker = broker.clone();
    let request = run(conversation);
    tokio::spawn(async move { broker.ask_named(request, CancellationToken::new()).await })
}

fn host(broker: &Broker, stream: DuplexStream) -> JoinHandle<io::Result<()>> {
    let broker = broker.clone();
    let id = ConversationId::from_deciseconds(CONVERSATION).to_string();
    tokio::spawn(async move { broker.host(id, stream, CancellationToken::new()).await })
}

/// A queue, and the same as another process has it.
async fn both() -> (Broker, Broker, JoinHandle<io::Result<()>>) {
    let (one, other) = tokio::io::duplex(64);
    let broker = Broker::start(BrokerConfig { deadline: None });
    let hosting = host(&broker, one);
    while !broker.is_available() {
        tokio::task::yield_now().await;
    }
    (broker, Broker::guest(other), hosting)
}

async fn shown(surface: &mut Surface) -> Arc<Prompt> {
    match surface.next().await {
        Some(SurfaceEvent::Show(prompt)) => prompt,
        other => panic!("expected a prompt, got {other:?}"),
    }
}

async fn resolved(surface: &mut Surface) -> &'static str {
    match surface.next().await {
        Some(SurfaceEvent::Resolved { resolution, .. }) => resolution.as_str(),
        other => panic!("expected an end, got {other:?}"),
    }
}

const fn approve() -> PromptAnswer {
    PromptAnswer::new(PromptActionId::Approve)
}

#[tokio::test]
async fn both_ends_show_the_same_prompt_and_the_first_answer_wins() {
    let (broker, guest, _hosting) = both().await;
    let mut here = broker.attach();
    let mut there = guest.attach();
    let asked = ask(&broker, CONVERSATION);
    let (prompt, same) = (shown(&mut here).await, shown(&mut there).await);
    // The arguments of the call stay where its rules can be asked.
    assert!(prompt.waiting.is_some());
    let sent = Prompt {
        waiting: None,
        ..Prompt::clone(&prompt)
    };
    assert_eq!(sent, *same);
    let window = guest.on(Answerer::new("jp/prompt", Some("an editor")));
    let wrong = window.answer(&same.id, "0", approve()).await;
    assert_eq!(
        wrong,
        Err(AnswerError::WrongDigest {
            id: same.id.clone()
        })
    );
    let answered = window.answer(&same.id, &same.digest, approve()).await;
    assert_eq!(answered, Ok(Reception::Decided));
    let late = broker.answer(&prompt.id, &prompt.digest, approve()).await;
    assert_eq!(
        late,
        Err(AnswerError::NotPending {
            id: prompt.id.clone()
        })
    );
    assert_eq!(
        (resolved(&mut here).await, resolved(&mut there).await),
        ("approve", "approve")
    );
    assert_eq!(guest.pending().await, None);
    let reply = asked.await.unwrap();
    assert_eq!(reply.outcome, PromptOutcome::Approved { remember: false });
    assert_eq!(
        reply.answerer,
        Answerer::new("jp/prompt", Some("an editor"))
    );
}

#[tokio::test]
async fn who_comes_later_sees_what_waits_and_who_leaves_decides_nothing() {
    let (broker, guest, hosting) = both().await;
    let mut there = guest.attach();
    let asked = ask(&broker, CONVERSATION);
    shown(&mut there).await;
    let mut late = guest.attach();
    shown(&mut late).await;
    drop((there, late, guest));
    hosting.await.unwrap().unwrap();
    let PromptOutcome::Unavailable { .. } = asked.await.unwrap().outcome else {
        panic!("somebody has decided");
    };
}

#[tokio::test]
async fn prompts_of_other_conversations_stay_where_they_are() {
    let (broker, guest, _hosting) = both().await;
    let mut there = guest.attach();
    // With nobody else to ask, a prompt that the other end may not see is nobody's.
    let unseen = ask(&broker, CONVERSATION + 1).await.unwrap().outcome;
    let reason = "no prompt surface can decide it".to_owned();
    assert_eq!(unseen, PromptOutcome::Unavailable { reason });
    let mut here = broker.attach();
    let _asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut there).await;
    assert_eq!(prompt.conversation, shown(&mut here).await.conversation);
    there.pass(&prompt.id);
    assert_eq!(
        guest.pending().await.map(|it| it.id.clone()),
        Some(prompt.id.clone())
    );
}

/// What an answer with the wrong digest hears once the host has heard all that was said before: whether the prompt waits.
async fn waits(guest: &Broker, prompt: &Prompt) -> bool {
    match guest.answer(&prompt.id, "0", approve()).await {
        Err(AnswerError::WrongDigest { .. }) => true,
        Err(AnswerError::NotPending { .. }) => false,
        other => panic!("an answer with the wrong digest is {other:?}"),
    }
}

#[tokio::test]
async fn a_prompt_that_nobody_there_can_decide_waits_no_more() {
    let (broker, guest, _hosting) = both().await;
    let (mut one, mut other) = (guest.attach(), guest.attach());
    let asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut one).await;
    shown(&mut other).await;
    one.pass(&prompt.id);
    assert!(waits(&guest, &prompt).await, "another window can decide it");
    other.pass("17636666521-9");
    assert!(waits(&guest, &prompt).await, "another prompt was passed");
    other.pass(&prompt.id);
    assert!(!waits(&guest, &prompt).await);
    let reason = "no prompt surface can decide it".to_owned();
    assert_eq!(
        asked.await.unwrap().outcome,
        PromptOutcome::Unavailable { reason }
    );
}

#[tokio::test]
async fn the_last_window_that_closes_leaves_the_prompt_to_nobody() {
    let (broker, guest, _hosting) = both().await;
    let (mut one, mut other) = (guest.attach(), guest.attach());
    let asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut one).await;
    shown(&mut other).await;
    drop(one);
    assert!(waits(&guest, &prompt).await, "another window can decide it");
    drop(other);
    assert!(!waits(&guest, &prompt).await);
    let reason = "no prompt surface can decide it".to_owned();
    assert_eq!(
        asked.await.unwrap().outcome,
        PromptOutcome::Unavailable { reason }
    );
}

#[tokio::test]
async fn answers_on_their_way_at_once_each_hear_what_became_of_them() {
    let (broker, guest, _hosting) = both().await;
    let mut there = guest.attach();
    let asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut there).await;
    let answer = |answer| guest.answer(&prompt.id, &prompt.digest, answer);
    let unfit = answer(PromptAnswer::new(PromptActionId::Answer)).await;
    let here = broker.answer(
        &prompt.id,
        &prompt.digest,
        PromptAnswer::new(PromptActionId::Answer),
    );
    assert_eq!(
        unfit.unwrap_err().to_string(),
        here.await.unwrap_err().to_string()
    );
    let (details, approved, late) = tokio::join!(
        answer(PromptAnswer::new(PromptActionId::Details)),
        answer(approve()),
        answer(approve()),
    );
    assert_eq!(details, Ok(Reception::Undecided));
    assert_eq!(approved, Ok(Reception::Decided));
    let id = prompt.id.clone();
    assert_eq!(late, Err(AnswerError::NotPending { id }));
    let approved = PromptOutcome::Approved { remember: false };
    assert_eq!(asked.await.unwrap().outcome, approved);
}

#[tokio::test]
async fn nothing_is_asked_through_the_queue_of_another_process() {
    let (_broker, guest, _hosting) = both().await;
    let _there = guest.attach();
    let reason = "prompts of another process are shown, and not asked".to_owned();
    assert_eq!(
        ask(&guest, CONVERSATION).await.unwrap().outcome,
        PromptOutcome::Unavailable { reason }
    );
}

#[tokio::test]
async fn a_host_that_is_gone_takes_its_prompt_away() {
    let (broker, guest, hosting) = both().await;
    let mut there = guest.attach();
    let _asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut there).await;
    assert_eq!(guest.ended().now_or_never(), None);
    hosting.abort();
    assert_eq!(resolved(&mut there).await, "unavailable");
    assert_eq!(there.next().await, None);
    guest.ended().await;
    let late = guest.answer(&prompt.id, &prompt.digest, approve()).await;
    assert_eq!(
        late,
        Err(AnswerError::NotPending {
            id: prompt.id.clone()
        })
    );
}

#[tokio::test]
async fn what_cannot_be_read_ends_the_connection_and_decides_nothing() {
    let broker = Broker::start(BrokerConfig { deadline: None });
    let mut here = broker.attach();
    let asked = ask(&broker, CONVERSATION);
    shown(&mut here).await;
    for said in ["no JSON\n", "{\"approve\": true}\n"] {
        let (one, mut other) = tokio::io::duplex(1 << 16);
        let hosting = host(&broker, one);
        other.write_all(said.as_bytes()).await.unwrap();
        assert!(hosting.await.unwrap().is_err());
    }
    assert!(broker.pending().await.is_some());
    drop(here);
    assert!(matches!(
        asked.await.unwrap().outcome,
        PromptOutcome::Unavailable { .. }
    ));
}

#[tokio::test]
async fn a_line_has_an_end_and_a_length() {
    let broker = Broker::start(BrokerConfig { deadline: None });
    let said = async |said: String| {
        let (one, mut other) = tokio::io::duplex(1 << 16);
        let hosting = host(&broker, one);
        // The host hangs up on what is too long.
        let _ = other.write_all(said.as_bytes()).await;
        drop(other);
        hosting.await.unwrap().map_err(|error| error.to_string())
    };
    let pass = |length| format!("{{\"pass\": {{\"id\": \"{}\"}}}}\n", "1".repeat(length));
    let refused = Err("a line has no end, or is too long".to_owned());
    assert_eq!(said(String::new()).await, Ok(()));
    assert_eq!(said(pass(1) + &pass(1)).await, Ok(()));
    assert_eq!(said("{\"pass\": {".to_owned()).await, refused);
    // The length is that of each line, and not of all.
    assert_eq!(said(pass(9 << 20) + &pass(9 << 20)).await, Ok(()));
    assert_eq!(said(pass(17 << 20)).await, refused);
}

#[tokio::test]
async fn a_line_that_breaks_off_is_no_end_whatever_is_said_meanwhile() {
    let broker = Broker::start(BrokerConfig { deadline: None });
    let (one, mut other) = tokio::io::duplex(1 << 16);
    let hosting = host(&broker, one);
    other.write_all(b"{\"pass\": {").await.unwrap();
    while !broker.is_available() {
        tokio::task::yield_now().await;
    }
    let asked = ask(&broker, CONVERSATION);
    let mut shown = Lines::new(other);
    let said: Option<FromHost> = shown.next().await.unwrap();
    assert!(matches!(said, Some(FromHost::Show(_))));
    drop(shown);
    assert_eq!(
        hosting.await.unwrap().unwrap_err().to_string(),
        "a line has no end, or is too long"
    );
    let reason = "the last prompt surface was lost".to_owned();
    assert_eq!(
        asked.await.unwrap().outcome,
        PromptOutcome::Unavailable { reason }
    );
}
