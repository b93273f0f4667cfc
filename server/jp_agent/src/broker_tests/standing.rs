//! Rules that were added while a call waited by them.

use pretty_assertions::assert_eq;

use super::*;

/// A call of `grep` that waits by the rules of a list, as the config has it.
fn by_rules(call: &str) -> PromptRequest {
    PromptRequest {
        rule: Some(crate::prompt::PromptRule::default()),
        ..run(call)
    }
}

#[derive(Debug)]
struct Standing(&'static str);

impl StandingRules for Standing {
    fn allow<'a>(&'a self, call: &'a WaitingCall) -> BoxFuture<'a, bool> {
        let is_allowed = call.arguments["pattern"] == self.0;
        Box::pin(async move { is_allowed })
    }

    fn answerer(&self) -> Answerer {
        Answerer::new("a rule", None)
    }
}

#[tokio::test]
async fn what_waits_is_settled_where_a_rule_says_so() {
    let broker = broker();
    let mut surface = broker.attach();
    let (first, _cancel) = ask(&broker, by_rules("call_1"));
    let shown_first = shown(&mut surface).await;
    let (second, _cancel) = ask(&broker, by_rules("call_2"));
    // A prompt without rules is none that a rule answers.
    let (third, _cancel) = ask(&broker, run("call_3"));
    let none = broker.settle(Box::new(|call| call.tool != "grep")).await;
    assert_eq!(none, 0);
    assert_eq!(broker.pending().await, Some(shown_first));
    let settled = broker.settle(Box::new(|call| call.tool == "grep")).await;
    assert_eq!(settled, 2);
    let approved = PromptOutcome::Approved { remember: false };
    assert_eq!(first.await.unwrap(), approved);
    assert_eq!(second.await.unwrap(), approved);
    assert_eq!(resolved(&mut surface).await.1, "approve");
    let waiting = shown(&mut surface).await;
    assert_eq!(waiting.tool.call_id, "call_3");
    let received = broker.answer(&waiting.id, &waiting.digest, approve()).await;
    assert_eq!(received, Ok(Reception::Decided));
    assert_eq!(third.await.unwrap(), approved);
}

#[tokio::test]
async fn standing_rules_answer_before_anybody_is_asked() {
    let broker = broker();
    let mut surface = broker.attach();
    broker.stand_by(Arc::new(Standing("fn main")));
    let reply = broker
        .ask_named(by_rules("call_1"), CancellationToken::new())
        .await;
    assert_eq!(reply.outcome, PromptOutcome::Approved { remember: false });
    assert_eq!(reply.answerer, Answerer::new("a rule", None));
    broker.stand_by(Arc::new(Standing("another")));
    let (asked, _cancel) = ask(&broker, by_rules("call_2"));
    let prompt = shown(&mut surface).await;
    assert_eq!(prompt.tool.call_id, "call_2");
    drop(surface);
    assert_eq!(
        asked.await.unwrap(),
        unavailable("the last prompt surface was lost")
    );
}
