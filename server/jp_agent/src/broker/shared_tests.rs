use jp_conversation::{Answerer, ConversationId};
use pretty_assertions::assert_eq;
use serde_json::{Map, json};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

use super::*;
use crate::broker::BrokerConfig;
use crate::ports::Prompts as _;
use crate::prompt::{
    PromptActionId, PromptAnswer, PromptRequest, PromptSubject, PromptTool, Reply,
};
use crate::source_range::SourceRange;

const CONVERSATION: u64 = 17_636_666_521;

fn run(conversation: u64) -> PromptRequest {
    PromptRequest {
        note: None,
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

#[tokio::test]
async fn a_host_that_is_gone_takes_its_prompt_away() {
    let (broker, guest, hosting) = both().await;
    let mut there = guest.attach();
    let _asked = ask(&broker, CONVERSATION);
    let prompt = shown(&mut there).await;
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
