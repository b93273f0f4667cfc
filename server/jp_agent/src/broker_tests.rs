#[path = "broker_tests/standing.rs"]
mod standing;

use std::collections::BTreeMap;
use std::time::Duration;

use jp_conversation::ConversationId;
use jp_tool::Question;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, json};
use tokio::task::JoinHandle;

use super::*;
use crate::prompt::{PromptActionId, PromptSubject, PromptTool, Remember, digest};

fn request(call: &str, subject: PromptSubject) -> PromptRequest {
    PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: "/work".into(),
        tool: PromptTool {
            name: "grep".to_owned(),
            call_id: call.to_owned(),
            source: "local".to_owned(),
        },
        rule: None,
        subject,
    }
}

fn run(call: &str) -> PromptRequest {
    let mut arguments = Map::new();
    arguments.insert("pattern".to_owned(), json!("fn main"));
    request(
        call,
        PromptSubject::Run {
            arguments,
            argv: None,
            rendered: None,
        },
    )
}

fn question(question: Question) -> PromptRequest {
    request(
        "call_1",
        PromptSubject::Question {
            question: Box::new(question),
            label: None,
        },
    )
}

fn broker() -> Broker {
    Broker::start(BrokerConfig { deadline: None })
}

fn ask(broker: &Broker, request: PromptRequest) -> (JoinHandle<PromptOutcome>, CancellationToken) {
    let (broker, cancel) = (broker.clone(), CancellationToken::new());
    let token = cancel.clone();
    let asked = tokio::spawn(async move { broker.ask(request, token).await });
    (asked, cancel)
}

async fn shown(surface: &mut Surface) -> Arc<Prompt> {
    match surface.next().await {
        Some(SurfaceEvent::Show(prompt)) => prompt,
        other => panic!("expected a prompt, got {other:?}"),
    }
}

async fn resolved(surface: &mut Surface) -> (String, &'static str) {
    match surface.next().await {
        Some(SurfaceEvent::Resolved { id, resolution }) => (id, resolution.as_str()),
        other => panic!("expected an end, got {other:?}"),
    }
}

fn unavailable(reason: &str) -> PromptOutcome {
    PromptOutcome::Unavailable {
        reason: reason.to_owned(),
    }
}

const fn approve() -> PromptAnswer {
    PromptAnswer::new(PromptActionId::Approve)
}

#[tokio::test]
async fn an_approval_with_the_right_digest_reaches_the_asking_side() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    assert_eq!(prompt.digest, digest(&run("call_1")));
    let received = broker.answer(&prompt.id, &prompt.digest, approve()).await;
    assert_eq!(received, Ok(Reception::Decided));
    assert_eq!(
        asked.await.unwrap(),
        PromptOutcome::Approved { remember: false }
    );
    assert_eq!(
        resolved(&mut surface).await,
        ("17636666521-1".to_owned(), "approve")
    );
    assert_eq!(broker.pending().await, None);
}

#[tokio::test]
async fn a_wrong_digest_and_an_unknown_id_are_discarded_and_the_prompt_waits_on() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    let other = digest(&run("call_2"));
    assert_ne!(other, prompt.digest);
    assert_eq!(
        broker.answer(&prompt.id, &other, approve()).await,
        Err(AnswerError::WrongDigest {
            id: "17636666521-1".to_owned()
        })
    );
    assert_eq!(
        broker.answer("7", &prompt.digest, approve()).await,
        Err(AnswerError::NotPending { id: "7".to_owned() })
    );
    assert_eq!(broker.pending().await, Some(Arc::clone(&prompt)));
    let rejected = PromptAnswer {
        reason: Some("not now".to_owned()),
        remember: Some(Remember::Turn),
        ..PromptAnswer::new(PromptActionId::Reject)
    };
    assert_eq!(
        broker.answer(&prompt.id, &prompt.digest, rejected).await,
        Ok(Reception::Decided)
    );
    assert_eq!(
        asked.await.unwrap(),
        PromptOutcome::Rejected {
            reason: Some("not now".to_owned()),
            remember: true
        }
    );
}

#[tokio::test]
async fn the_second_of_two_answers_is_discarded() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    let reject = PromptAnswer::new(PromptActionId::Reject);
    let (first, second) = tokio::join!(
        broker.answer(&prompt.id, &prompt.digest, reject),
        broker.answer(&prompt.id, &prompt.digest, approve()),
    );
    assert_eq!(first, Ok(Reception::Decided));
    assert_eq!(
        second,
        Err(AnswerError::NotPending {
            id: "17636666521-1".to_owned()
        })
    );
    assert_eq!(
        asked.await.unwrap(),
        PromptOutcome::Rejected {
            reason: None,
            remember: false
        }
    );
}

#[tokio::test]
async fn an_equal_prompt_later_is_another_prompt() {
    let broker = broker();
    let mut surface = broker.attach();
    let (first, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    broker
        .answer(&prompt.id, &prompt.digest, approve())
        .await
        .unwrap();
    first.await.unwrap();
    let (second, cancel) = ask(&broker, run("call_1"));
    resolved(&mut surface).await;
    let again = shown(&mut surface).await;
    assert_eq!(again.digest, prompt.digest);
    assert_eq!(
        broker.answer(&prompt.id, &prompt.digest, approve()).await,
        Err(AnswerError::NotPending {
            id: "17636666521-1".to_owned()
        })
    );
    cancel.cancel();
    assert_eq!(second.await.unwrap(), PromptOutcome::Withdrawn);
}

#[tokio::test]
async fn one_prompt_is_shown_at_a_time_in_the_order_of_asking() {
    let broker = broker();
    let mut surface = broker.attach();
    let asked: Vec<_> = (0..4)
        .map(|n| ask(&broker, run(&format!("call_{n}"))))
        .collect();
    for (number, (outcome, _cancel)) in asked.into_iter().enumerate() {
        let prompt = shown(&mut surface).await;
        assert_eq!(prompt.tool.call_id, format!("call_{number}"));
        assert!(surface.events.is_empty(), "a second prompt was shown");
        broker
            .answer(&prompt.id, &prompt.digest, approve())
            .await
            .unwrap();
        outcome.await.unwrap();
        assert_eq!(resolved(&mut surface).await.1, "approve");
    }
}

#[tokio::test]
async fn a_surface_that_comes_late_sees_the_prompt_and_may_answer() {
    let broker = broker();
    let mut early = broker.attach();
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut early).await;
    let mut late = broker.attach();
    assert_eq!(shown(&mut late).await, prompt);
    late.broker()
        .answer(&prompt.id, &prompt.digest, approve())
        .await
        .unwrap();
    assert_eq!(resolved(&mut early).await.1, "approve");
    assert_eq!(resolved(&mut late).await.1, "approve");
    asked.await.unwrap();
}

#[tokio::test]
async fn nobody_to_ask_is_no_decision() {
    let broker = broker();
    assert!(!broker.is_available());
    let outcome = broker.ask(run("call_1"), CancellationToken::new()).await;
    assert_eq!(outcome, unavailable("there is no prompt surface"));
}

#[tokio::test]
async fn losing_the_last_surface_ends_what_is_shown_and_what_waits() {
    let broker = broker();
    let mut surface = broker.attach();
    let second = broker.attach();
    let (active, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    let (waiting, _cancel) = ask(&broker, run("call_2"));
    drop(second);
    assert_eq!(broker.pending().await, Some(Arc::clone(&prompt)));
    assert!(broker.is_available());
    drop(surface);
    let lost = unavailable("the last prompt surface was lost");
    assert_eq!(active.await.unwrap(), lost);
    assert_eq!(waiting.await.unwrap(), lost);
    assert!(!broker.is_available());
    assert_eq!(
        broker.answer(&prompt.id, &prompt.digest, approve()).await,
        Err(AnswerError::NotPending {
            id: "17636666521-1".to_owned()
        })
    );
}

#[tokio::test]
async fn closing_is_for_good_and_comes_before_any_withdrawal() {
    let broker = broker();
    let mut surface = broker.attach();
    let (shown_one, cancel_shown) = ask(&broker, run("a"));
    let (waiting, cancel_waiting) = ask(&broker, run("b"));
    let prompt = shown(&mut surface).await;
    broker.close();
    cancel_shown.cancel();
    cancel_waiting.cancel();
    let lost = unavailable("the last prompt surface was lost");
    assert_eq!(shown_one.await.unwrap(), lost);
    assert_eq!(waiting.await.unwrap(), lost);
    assert_eq!(
        resolved(&mut surface).await,
        (prompt.id.clone(), "unavailable")
    );
    assert_eq!(surface.next().await, None);
    let mut late = broker.attach();
    assert!(!broker.is_available());
    assert_eq!(late.next().await, None);
    let (asked, _) = ask(&broker, run("c"));
    assert_eq!(
        asked.await.unwrap(),
        unavailable("there is no prompt surface")
    );
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_when_a_prompt_is_shown() {
    let broker = Broker::start(BrokerConfig {
        deadline: Some(Duration::from_secs(60)),
    });
    let mut surface = broker.attach();
    let start = tokio::time::Instant::now();
    let (first, _cancel) = ask(&broker, run("call_1"));
    let (second, _cancel) = ask(&broker, run("call_2"));
    assert_eq!(first.await.unwrap(), unavailable("nobody answered in time"));
    assert_eq!(start.elapsed().as_secs(), 60);
    assert_eq!(
        second.await.unwrap(),
        unavailable("nobody answered in time")
    );
    assert_eq!(start.elapsed().as_secs(), 120);
    shown(&mut surface).await;
    assert_eq!(resolved(&mut surface).await.1, "unavailable");
}

#[tokio::test]
async fn cancelling_withdraws_wherever_the_prompt_is() {
    let broker = broker();
    let mut surface = broker.attach();
    let (active, cancel_active) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    let (waiting, cancel_waiting) = ask(&broker, run("call_2"));
    cancel_waiting.cancel();
    assert_eq!(waiting.await.unwrap(), PromptOutcome::Withdrawn);
    cancel_active.cancel();
    assert_eq!(active.await.unwrap(), PromptOutcome::Withdrawn);
    assert_eq!(
        resolved(&mut surface).await,
        (prompt.id.clone(), "withdrawn")
    );
}

#[tokio::test]
async fn an_asking_side_that_is_gone_withdraws_its_prompt() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, _cancel) = ask(&broker, run("call_1"));
    shown(&mut surface).await;
    asked.abort();
    assert_eq!(resolved(&mut surface).await.1, "withdrawn");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_says_what_would() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, _cancel) = ask(
        &broker,
        question(Question::select("answer", "Which?", ["a", "b"])),
    );
    let prompt = shown(&mut surface).await;
    let answer = |value| broker.answer(&prompt.id, &prompt.digest, value);
    let unfit = answer(PromptAnswer::value("c")).await.unwrap_err();
    assert_eq!(unfit.to_string(), "the answer must be one of `a`, `b`");
    let unfit = answer(approve()).await.unwrap_err();
    assert_eq!(
        unfit.to_string(),
        "the action `approve` is not offered, choose one of `cancel`, `answer`"
    );
    let missing = answer(PromptAnswer::new(PromptActionId::Answer)).await;
    assert!(missing.is_err());
    answer(PromptAnswer::value("b")).await.unwrap();
    assert_eq!(
        asked.await.unwrap(),
        PromptOutcome::Answered {
            value: json!("b"),
            remember: false
        }
    );
}

#[tokio::test]
async fn details_decide_nothing() {
    let broker = broker();
    let mut surface = broker.attach();
    let (asked, cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut surface).await;
    let details = PromptAnswer::new(PromptActionId::Details);
    assert_eq!(
        broker.answer(&prompt.id, &prompt.digest, details).await,
        Ok(Reception::Undecided)
    );
    assert_eq!(broker.pending().await, Some(prompt));
    cancel.cancel();
    assert_eq!(asked.await.unwrap(), PromptOutcome::Withdrawn);
}

#[derive(Debug, Clone)]
enum Step {
    Ask,
    Answer {
        which: usize,
        digest_of: usize,
        approve: bool,
    },
    Attach,
    Detach(usize),
    Withdraw(usize),
    Abort(usize),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Ask),
        6 => (0..6_usize, 0..6_usize, any::<bool>())
            .prop_map(|(which, digest_of, approve)| Step::Answer { which, digest_of, approve }),
        2 => (0..6_usize).prop_map(|which| Step::Answer { which, digest_of: which, approve: true }),
        2 => Just(Step::Attach),
        1 => (0..3_usize).prop_map(Step::Detach),
        1 => (0..6_usize).prop_map(Step::Withdraw),
        1 => (0..6_usize).prop_map(Step::Abort),
        1 => (1..90_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..40)
}

/// Plays the steps, and checks that every question has one outcome and no approval came from nowhere.
async fn play(steps: Vec<Step>) {
    let broker = Broker::start(BrokerConfig {
        deadline: Some(Duration::from_secs(60)),
    });
    let mut surfaces: Vec<Surface> = Vec::new();
    let mut asked: Vec<Option<(JoinHandle<PromptOutcome>, CancellationToken)>> = Vec::new();
    // Ids by the number of the question, as the surfaces saw them.
    let mut seen: BTreeMap<usize, String> = BTreeMap::new();
    let mut approved: BTreeMap<usize, usize> = BTreeMap::new();
    for step in steps {
        match step {
            Step::Ask => asked.push(Some(ask(&broker, run(&asked.len().to_string())))),
            Step::Answer {
                which,
                digest_of,
                approve,
            } => {
                let id = seen.get(&which).cloned().unwrap_or_else(|| "0".to_owned());
                let action = if approve {
                    PromptActionId::Approve
                } else {
                    PromptActionId::Reject
                };
                let digest = digest(&run(&digest_of.to_string()));
                let received = broker.answer(&id, &digest, PromptAnswer::new(action)).await;
                if received == Ok(Reception::Decided) {
                    assert_eq!(which, digest_of, "an answer met another prompt");
                    if approve {
                        *approved.entry(which).or_default() += 1;
                    }
                }
            }
            Step::Attach => surfaces.push(broker.attach()),
            Step::Detach(which) if which < surfaces.len() => drop(surfaces.remove(which)),
            Step::Withdraw(which) => {
                if let Some(Some((_, cancel))) = asked.get(which) {
                    cancel.cancel();
                }
            }
            Step::Abort(which) => {
                if let Some((handle, _)) = asked.get_mut(which).and_then(Option::take) {
                    handle.abort();
                }
            }
            Step::Wait(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            Step::Detach(_) => {}
        }
        tokio::task::yield_now().await;
        broker.pending().await;
        for surface in &mut surfaces {
            while let Ok(event) = surface.events.try_recv() {
                if let SurfaceEvent::Show(prompt) = event {
                    seen.insert(prompt.tool.call_id.parse().unwrap(), prompt.id.clone());
                }
            }
        }
    }
    drop(surfaces);
    for (number, handle) in asked.into_iter().enumerate() {
        let Some((handle, _cancel)) = handle else {
            continue;
        };
        let outcome = handle.await.expect("every question has an outcome");
        let approvals = approved.get(&number).copied().unwrap_or_default();
        let is_approved = matches!(outcome, PromptOutcome::Approved { .. });
        assert_eq!(usize::from(is_approved), approvals, "{outcome:?}");
    }
    assert_eq!(broker.pending().await, None);
}

proptest! {
    #[test]
    fn every_question_has_one_outcome_and_no_approval_without_its_digest(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(play(steps));
    }
}

#[tokio::test]
async fn what_no_surface_can_decide_is_unavailable_and_the_next_prompt_is_shown_again() {
    let broker = broker();
    let (mut one, mut other) = (broker.attach(), broker.attach());
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut one).await;
    shown(&mut other).await;
    one.pass(&prompt.id);
    // One of them is not all of them, and a prompt that waits no more is nobody's.
    other.pass("17636666521-9");
    assert_eq!(
        broker.pending().await.map(|it| it.id.clone()),
        Some(prompt.id.clone())
    );
    other.pass(&prompt.id);
    assert_eq!(
        asked.await.unwrap(),
        unavailable("no prompt surface can decide it")
    );
    assert_eq!(resolved(&mut one).await.1, "unavailable");
    let (asked, _cancel) = ask(&broker, run("call_2"));
    let prompt = shown(&mut one).await;
    let answered = broker.answer(&prompt.id, &prompt.digest, approve()).await;
    assert_eq!(answered, Ok(Reception::Decided));
    assert_eq!(
        asked.await.unwrap(),
        PromptOutcome::Approved { remember: false }
    );
}

#[tokio::test]
async fn a_surface_that_is_lost_leaves_the_prompt_to_those_that_can_decide_it() {
    let broker = broker();
    let (mut one, mut other) = (broker.attach(), broker.attach());
    let (asked, _cancel) = ask(&broker, run("call_1"));
    let prompt = shown(&mut one).await;
    shown(&mut other).await;
    one.pass(&prompt.id);
    drop(other);
    assert_eq!(
        asked.await.unwrap(),
        unavailable("no prompt surface can decide it")
    );
}
