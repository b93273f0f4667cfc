use expect_test::expect;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn render(events: &[Value]) -> String {
    let events = events.iter().map(|event| {
        let mut event = event.clone();
        event["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(event).unwrap()
    });
    markdown(&events.collect::<Vec<_>>())
}

#[test]
fn a_conversation_reads_well() {
    let text = render(&[
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "List the files.\n\nAll of *them*.", "author": "jo"}),
        json!({"type": "chat_response", "reasoning": "I look."}),
        json!({"type": "tool_call_request", "id": "a", "name": "fs_list_files", "arguments": {"prefixes": ["src"]}}),
        json!({"type": "inquiry_request", "id": "a.q.1", "source": {"source": "tool", "name": "fs_list_files"},
            "question": {"text": "Which?", "context": "Two ways.", "answer_type": {"type": "select", "options": ["one", "two"]}}}),
        json!({"type": "inquiry_response", "id": "a.q.1", "answer": "one"}),
        json!({"type": "inquiry_request", "id": "a.p.1", "source": {"source": "assistant"},
            "question": {"text": "Password?", "answer_type": {"type": "secret"}}}),
        json!({"type": "inquiry_response", "id": "a.p.1", "outcome": "redacted"}),
        json!({"type": "inquiry_request", "id": "a.r.1", "source": {"source": "user"},
            "question": {"text": "Sure?", "answer_type": {"type": "boolean"}}}),
        json!({"type": "inquiry_response", "id": "a.r.1", "outcome": "cancelled", "reason": "no_prompt_backend"}),
        json!({"type": "tool_call_response", "id": "a", "content": "src/lib.rs\n", "is_error": false}),
        json!({"type": "config_delta", "delta": {"style": {"code": {"color": true}}}, "unsets": ["user.name"]}),
        json!({"type": "chat_response", "message": "There is one:\n\n```text\nsrc/lib.rs\n```"}),
        json!({"type": "tool_call_request", "id": "b", "name": "x", "arguments": {}}),
        json!({"type": "turn_start"}),
        json!({"type": "compaction", "from_turn": 0, "to_turn": 0}),
        json!({"type": "chat_response", "data": {"n": 1}}),
    ]);
    expect![[r#"
        ## Turn 1

        ### User `jo`

        > List the files.
        >
        > All of *them*.

        ### Reasoning

        > I look.

        ### Tool call `fs_list_files`

        ```json
        {
          "prefixes": [
            "src"
          ]
        }
        ```

        ### Question (`fs_list_files`)

        ```
        Two ways.
        ```

        > Which?

        - `one`
        - `two`

        Answer: one

        ### Question (assistant)

        > Password?

        Answer: \<redacted>

        ### Question (user)

        > Sure?

        Cancelled (no_prompt_backend)

        ### Result

        ```
        src/lib.rs
        ```

        ### Configuration changed

        ```json
        {
          "style": {
            "code": {
              "color": true
            }
          }
        }
        ```

        - `user.name` (unset)

        ### Assistant

        > There is one:
        >
        > ```text
        > src/lib.rs
        > ```

        ### Tool call `x`

        ```json
        {}
        ```

        ### Error

        ```
        Tool call was interrupted.
        ```

        ## Turn 2

        ### Compaction of turns 1 to 1

        ### Assistant

        ```json
        {
          "n": 1
        }
        ```
    "#]]
    .assert_eq(&text);
}

#[test]
fn turns_add_up_to_the_whole() {
    let event = |event: Value| {
        let mut event = event;
        event["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(event).unwrap()
    };
    let first = [
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "Go"})),
        event(json!({"type": "tool_call_request", "id": "a", "name": "x", "arguments": {}})),
    ];
    let second = [
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "And?"})),
    ];
    let parts = [turn_markdown(&first, 1), turn_markdown(&second, 2)];
    assert_eq!(
        parts.join("\n"),
        markdown(&[&first[..], &second[..]].concat())
    );
}

#[test]
fn a_document_that_grows_says_what_the_whole_says() {
    let event = |event: Value| {
        let mut event = event;
        event["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(event).unwrap()
    };
    let events = [
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "Go"})),
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "And?"})),
        event(json!({"type": "tool_call_request", "id": "a", "name": "x", "arguments": {}})),
        event(json!({"type": "tool_call_response", "id": "a", "content": "b", "is_error": false})),
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "Well."})),
    ];
    for split in 0..=events.len() {
        let (before, after) = events.split_at(split);
        let (mut document, mut text) = GrowingMarkdown::begin(before);
        for event in after {
            text.push_str(&document.append(std::slice::from_ref(event)));
        }
        assert_eq!(text, markdown(&events));
    }
}

#[test]
fn a_call_without_a_result_waits_for_it() {
    let event = |event: Value| {
        let mut event = event;
        event["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(event).unwrap()
    };
    let (_, text) = GrowingMarkdown::begin(&[
        event(json!({"type": "turn_start"})),
        event(json!({"type": "chat_request", "content": "Go"})),
        event(json!({"type": "tool_call_request", "id": "a", "name": "x", "arguments": {}})),
    ]);
    assert!(
        text.ends_with("### Tool call `x`\n\n```json\n{}\n```\n"),
        "{text}"
    );
}

#[test]
fn a_fence_cannot_be_left() {
    expect![[r"
        `````
        a
        ````
        # b
        `````
    "]]
    .assert_eq(&fenced("", "a\n````\n# b"));
    assert_eq!(fenced("", ""), "```\n```\n");
    assert_eq!(
        fenced("", "a\u{202e}b\u{1b}[2J"),
        "```\na\\u{202e}b␛[2J\n```\n"
    );
}

#[test]
fn inline_code_cannot_be_left() {
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
    assert_eq!(code("a\n# b"), "`a␊# b`");
    assert_eq!(code(""), "(empty)");
}

#[test]
fn a_message_loads_and_runs_nothing() {
    let check = |message: &str, expected: &str| assert_eq!(quote(message), expected);
    check(
        "a < b, `<i>` and\n\n    <pre>",
        "> a < b, `<i>` and\n>\n>     <pre>\n",
    );
    check("", ">\n");
    check("<b>x</b>", "> &lt;b>x&lt;/b>\n");
    check(
        "<script>\nx\n</script>",
        "> &lt;script>\n> x\n> &lt;/script>\n",
    );
    check("![x](http://evil/?q)", "> \\![x](http://evil/?q)\n");
    check(
        "[x](command:rm) [y](https://a.b)",
        "> \\[x](command:rm) [y](https://a.b)\n",
    );
    check(
        "<command:rm> <https://a.b>",
        "> &lt;command:rm> <https://a.b>\n",
    );
    check(
        "<div>\n[x](command:rm)\n</div>",
        "> &lt;div>\n> \\[x](command:rm)\n> &lt;/div>\n",
    );
    check("\\[x](command:rm)", "> \\[x](command:rm)\n");
    check("\\\\[x](command:rm)", "> \\\\\\[x](command:rm)\n");
}

#[test]
fn a_definition_cannot_arm_the_link_of_another_message() {
    assert_eq!(quote("[x]: command:rm"), "> \\[x]: command:rm\n");
    assert_eq!(quote("[x]: https://a.b"), "> [x]: https://a.b\n");
    assert_eq!(
        quote("[x]\n\n[x]: command:rm"),
        "> \\[x]\n>\n> \\[x]: command:rm\n"
    );
}

#[test]
fn a_message_that_takes_too_many_rounds_is_fenced() {
    // Only the first of several definitions counts, so each round reveals one more.
    let message = "[x]: command:rm\n\n".repeat(ROUNDS + 1);
    assert_eq!(quote(&message), format!("```\n{message}```\n"));
}

#[test]
fn answers_and_tags_cannot_leave_their_line() {
    assert_eq!(word_or_code("no_prompt_backend"), "no_prompt_backend");
    assert_eq!(word_or_code("/tmp/out.txt"), "/tmp/out.txt");
    assert_eq!(word_or_code("*x*"), "`*x*`");
    assert_eq!(word_or_code("- x\n# y"), "`- x␊# y`");
    let answer = InquiryResponse::Answered {
        id: "a".into(),
        answer: json!("one\n```\ntwo"),
    };
    assert_eq!(outcome(&answer), "Answer:\n\n````\none\n```\ntwo\n````\n");
}

/// Whether a document holds anything but what `markdown` itself puts there.
fn headings(document: &str) -> usize {
    let mut depth = 0;
    let mut headings = 0;
    for event in Parser::new_ext(document, Options::empty()) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => depth += 1,
            Event::End(pulldown_cmark::TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Start(Tag::Heading { .. }) if depth == 0 => headings += 1,
            _ => {}
        }
    }
    headings
}

proptest! {
    #[test]
    fn nothing_said_is_unsafe_or_leaves_its_place(pieces in prop::collection::vec(prop::sample::select(vec![
        "```", "~~~", "`", "\n", "\n\n", "# x", "<b>", "</b>", "<!--", "-->", "[x]", "(command:a)", "![", "]", ": command:a",
        "<command:a>", "\\", "    ", "> ", "- ", "&lt;", "a", "\u{202e}", "\r", "\t", "<div", ">", "===", "---",
    ]), 0..24)) {
        let text = pieces.concat();
        let document = render(&[
            json!({"type": "turn_start"}),
            json!({"type": "chat_request", "content": text}),
            json!({"type": "chat_response", "message": text}),
            json!({"type": "tool_call_request", "id": "a", "name": text, "arguments": {"a": text}}),
            json!({"type": "inquiry_request", "id": "q", "source": {"source": "tool", "name": text},
                "question": {"text": text, "context": text, "answer_type": {"type": "select", "options": [text]}}}),
            json!({"type": "inquiry_response", "id": "q", "answer": text}),
            json!({"type": "tool_call_response", "id": "a", "content": text, "is_error": true}),
        ]);
        prop_assert_eq!(unsafe_starts(&document), Vec::<usize>::new(), "{}", document);
        prop_assert_eq!(headings(&document), 6, "{}", document);
        let turned = document.contains('\u{202e}');
        prop_assert!(!turned);
    }
}
