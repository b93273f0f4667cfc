use pretty_assertions::assert_eq;

use super::*;

const QUIET: Attention = Attention {
    open: None,
    number: 0,
    early: 0,
    late: 0,
};

#[test]
fn without_a_prompt_it_is_for_the_turn() {
    let mut attention = QUIET;
    assert_eq!(attention.receiver(), InterruptReceiver::Turn);
    attention.begin(Open::Prompt);
    attention.end(false);
    assert_eq!(attention.receiver(), InterruptReceiver::Turn);
}

#[test]
fn a_key_at_a_prompt_is_the_prompts_whenever_its_signal_comes() {
    let mut attention = QUIET;
    attention.begin(Open::Prompt);
    assert_eq!(attention.receiver(), InterruptReceiver::Prompt(1));
    attention.end(true);
    assert_eq!(attention.receiver(), InterruptReceiver::Turn);

    attention.begin(Open::Prompt);
    attention.end(true);
    attention.begin(Open::Prompt);
    assert_eq!(attention.receiver(), InterruptReceiver::Answered);
    assert_eq!(attention.receiver(), InterruptReceiver::Prompt(3));
}

#[test]
fn a_signal_from_elsewhere_is_forgotten_with_its_prompt() {
    let mut attention = QUIET;
    attention.begin(Open::Prompt);
    assert_eq!(attention.receiver(), InterruptReceiver::Prompt(1));
    attention.end(false);
    attention.begin(Open::Prompt);
    attention.end(true);
    assert_eq!(attention.receiver(), InterruptReceiver::Answered);
    assert_eq!(attention.receiver(), InterruptReceiver::Turn);
}

#[test]
fn an_editor_keeps_its_own() {
    let mut attention = QUIET;
    attention.begin(Open::Editor);
    assert_eq!(attention.receiver(), InterruptReceiver::Editor);
    attention.end(false);
    assert_eq!(attention.receiver(), InterruptReceiver::Turn);
}
