use pretty_assertions::assert_eq;

use super::*;
use crate::fixture::written;
use crate::request::{AssistantContent, AssistantPart, ToolChoice, ToolDefinition, ToolResult};
use crate::settings::ProviderId;

#[test]
fn effort_becomes_a_budget_or_a_level() {
    let shown = |model: &str, effort: Effort| {
        let reasoning = Reasoning {
            effort,
            exclude: false,
        };
        let thinking = Thinking::wanted(model, reasoning, 10_000);
        format!(
            "{} {}",
            thinking.field().unwrap_or_default(),
            thinking.effort().unwrap_or_default()
        )
    };
    let old = "claude-sonnet-4-5-20250929";
    assert_eq!(shown(old, Effort::None), r#"{"type":"disabled"} "#);
    assert_eq!(
        shown(old, Effort::XLow),
        r#"{"type":"enabled","budget_tokens":1024} "#
    );
    assert_eq!(
        shown(old, Effort::Medium),
        r#"{"type":"enabled","budget_tokens":5000} "#
    );
    assert_eq!(
        shown(old, Effort::Absolute(1)),
        r#"{"type":"enabled","budget_tokens":1024} "#
    );
    assert_eq!(
        shown(old, Effort::Absolute(20_000)),
        r#"{"type":"enabled","budget_tokens":9999} "#
    );
    let adaptive = r#"{"type":"adaptive","display":"summarized"}"#;
    assert_eq!(
        shown("claude-opus-4-6", Effort::High),
        format!("{adaptive} high")
    );
    assert_eq!(shown("claude-opus-5", Effort::Auto), format!("{adaptive} "));
    assert_eq!(shown("claude-next", Effort::Low), format!("{adaptive} low"));
    assert_eq!(
        shown("claude-opus-4-6", Effort::Absolute(2000)),
        r#"{"type":"enabled","budget_tokens":2000} "#
    );
    assert_eq!(
        shown("claude-opus-4-7", Effort::Absolute(2000)),
        format!("{adaptive} low")
    );
    assert_eq!(
        shown("claude-opus-4-6", Effort::XHigh),
        format!("{adaptive} high")
    );
    for old in ["claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514"] {
        assert!(Version::of(old) < ADAPTIVE, "{old}");
    }
}

/// What of a request says how the model is to think, sample and call.
fn shown(request: &Request) -> String {
    let body = written(ProviderId::Anthropic, request);
    let fields = [
        "thinking",
        "output_config",
        "temperature",
        "top_p",
        "top_k",
        "system",
        "tool_choice",
    ];
    let shown = fields
        .iter()
        .filter_map(|field| Some(format!("{field}: {}", body.get(*field)?)));
    shown.collect::<Vec<_>>().join("\n")
}

fn asking(model: &str, effort: Option<Effort>) -> Request {
    let reasoning = effort.map(|effort| Reasoning {
        effort,
        exclude: false,
    });
    Request {
        model: model.to_owned(),
        messages: vec![Message::User("Go".to_owned())],
        parameters: Parameters {
            max_tokens: Some(4000),
            reasoning,
            temperature: Some(0.5),
            top_p: Some(0.75),
            top_k: Some(3),
            ..Parameters::default()
        },
        ..Request::default()
    }
}

#[test]
fn nothing_is_sampled_beside_thinking() {
    assert_eq!(
        shown(&asking("claude-sonnet-4-5", Some(Effort::Low))),
        r#"thinking: {"type":"enabled","budget_tokens":1024}"#
    );
    let mut wide = asking("claude-3-7-sonnet-20250219", Some(Effort::Low));
    wide.parameters.top_p = Some(0.96);
    assert_eq!(
        shown(&wide),
        "thinking: {\"type\":\"enabled\",\"budget_tokens\":1024}\ntop_p: 0.96"
    );
    assert_eq!(
        shown(&asking("claude-3-7-sonnet-20250219", None)),
        "temperature: 0.5\ntop_p: 0.75\ntop_k: 3"
    );
    assert_eq!(
        shown(&asking("claude-sonnet-4-5", Some(Effort::None))),
        "thinking: {\"type\":\"disabled\"}\ntemperature: 0.5\ntop_k: 3"
    );
    assert_eq!(shown(&asking("claude-opus-4-7", None)), "");
}

#[test]
fn a_model_that_always_thinks_is_not_told_to_stop() {
    assert_eq!(shown(&asking("claude-fable-5", Some(Effort::None))), "");
}

#[test]
fn a_limit_without_room_for_thoughts_has_none() {
    let mut request = asking("claude-sonnet-4-5", Some(Effort::High));
    request.parameters.max_tokens = Some(1000);
    assert_eq!(shown(&request), "temperature: 0.5\ntop_k: 3");
    request.parameters.max_tokens = Some(1025);
    assert_eq!(
        shown(&request),
        r#"thinking: {"type":"enabled","budget_tokens":1024}"#
    );
}

#[test]
fn a_model_that_thinks_is_told_and_not_forced() {
    let mut request = asking("claude-opus-4-6", Some(Effort::Low));
    request.tools = vec![ToolDefinition {
        name: "read".to_owned(),
        description: None,
        parameters: json!({"type": "object"}),
    }];
    request.tool_choice = ToolChoice::Tool("read".to_owned());
    request.system = Some("Be brief.".to_owned());
    let thinking = r#"thinking: {"type":"adaptive","display":"summarized"}
output_config: {"effort":"low"}
system: "#;
    assert_eq!(
        shown(&request),
        format!(
            r#"{thinking}[{{"type":"text","text":"Be brief."}},{{"type":"text","text":"You must call the tool `read` before you answer."}}]"#
        )
    );
    request.system = None;
    request.tool_choice = ToolChoice::Required;
    assert_eq!(
        shown(&request),
        format!(
            r#"{thinking}[{{"type":"text","text":"You must call at least one of your tools before you answer."}}]"#
        )
    );
    request.tool_choice = ToolChoice::None;
    assert_eq!(
        shown(&request),
        "thinking: {\"type\":\"adaptive\",\"display\":\"summarized\"}\noutput_config: {\"effort\":\"low\"}\n\
         tool_choice: {\"type\":\"none\"}"
    );
    request.parameters.reasoning = None;
    request.tool_choice = ToolChoice::Required;
    assert_eq!(
        shown(&request),
        "temperature: 0.5\ntop_k: 3\ntool_choice: {\"type\":\"any\"}"
    );
}

#[test]
fn a_tool_loop_goes_on_as_it_began() {
    let call = AssistantPart {
        content: AssistantContent::ToolCall {
            id: "a".to_owned(),
            name: "t".to_owned(),
            arguments: serde_json::Map::new(),
        },
        metadata: serde_json::Map::new(),
    };
    let thought = AssistantPart {
        content: AssistantContent::Reasoning("Hm".to_owned()),
        metadata: json!({"anthropic_thinking_signature": "s"})
            .as_object()
            .unwrap()
            .clone(),
    };
    let result = ToolResult {
        id: "a".to_owned(),
        name: "t".to_owned(),
        content: "x".to_owned(),
        is_error: false,
    };
    let asked = |effort, parts: &[&AssistantPart], reply: Option<&str>| {
        let mut request = asking("claude-sonnet-4-5", Some(effort));
        let parts = parts.iter().map(|part| (*part).clone()).collect();
        request.messages.push(Message::Assistant(parts));
        request.messages.push(Message::Tool(vec![result.clone()]));
        request
            .messages
            .extend(reply.map(|reply| Message::User(reply.to_owned())));
        let body = written(ProviderId::Anthropic, &request);
        format!(
            "{} {}",
            body.get("thinking").unwrap_or(&Value::Null)["type"],
            body["messages"][1]["content"][0]["type"]
        )
    };
    assert_eq!(
        asked(Effort::Low, &[&thought, &call], None),
        r#""enabled" "thinking""#
    );
    assert_eq!(asked(Effort::Low, &[&call], None), r#"null "tool_use""#);
    assert_eq!(
        asked(Effort::Low, &[&call], Some("And?")),
        r#""enabled" "tool_use""#
    );
    assert_eq!(
        asked(Effort::None, &[&thought, &call], None),
        r#""disabled" "tool_use""#
    );
}
