use serde_json::{Value, json};

use super::*;
use crate::chat::Dialect;

fn read(more: Value) -> Result<ChatRequest> {
    let mut body = json!({"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ChatRequest::read_messages(body, vec!["beta-1".to_owned()])
}

/// The request as a provider with OpenAI's API would write it.
fn openai(request: &ChatRequest) -> Value {
    json!(request)
}

#[test]
fn a_conversation_is_read_into_messages_and_tools() {
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    let request = read(json!({
        "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Look"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                {"type": "document", "title": "a.pdf", "source": {"type": "url", "url": "https://files.test/a.pdf"}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"b": 1, "a": [1.5]}},
                {"type": "redacted_thinking", "data": "google//Zw=="},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "text", "text": "And?"},
                {"type": "tool_result", "tool_use_id": "t1", "content": "seen"},
                {"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": [{"type": "text", "text": "no"}]},
            ]},
        ],
        "tools": [{"name": "look", "input_schema": {"type": "object"}, "cache_control": mark}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": true},
        "stop_sequences": ["END"], "metadata": {"user_id": "u"}, "top_k": 4,
    }));
    let request = request.unwrap();
    insta::assert_json_snapshot!("conversation", openai(&request));
    assert_eq!(request.dialect(), Dialect::Messages);
    assert_eq!(request.native_messages().unwrap().betas, ["beta-1"]);
}

#[test]
fn thinking_becomes_an_effort() {
    let effort = |more: Value| {
        let request = read(more).unwrap();
        request.body().get("reasoning_effort").and_then(Value::as_str).map(str::to_owned)
    };
    let budget = |tokens: u64| effort(json!({"thinking": {"type": "enabled", "budget_tokens": tokens}}));
    assert_eq!(budget(1_024).as_deref(), Some("minimal"));
    assert_eq!(budget(4_000).as_deref(), Some("low"));
    assert_eq!(budget(8_000).as_deref(), Some("medium"));
    assert_eq!(budget(31_999).as_deref(), Some("high"));
    let adaptive = |effort: &str| json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}});
    assert_eq!(effort(adaptive("max")).as_deref(), Some("xhigh"));
    assert_eq!(effort(json!({"thinking": {"type": "adaptive"}})).as_deref(), Some("medium"));
    assert_eq!(effort(json!({"thinking": {"type": "disabled"}})), None);
}

#[test]
fn invalid_requests_are_refused_with_the_field() {
    let image =
        |source: Value| json!({"messages": [{"role": "user", "content": [{"type": "image", "source": source}]}]});
    let cases = [
        (json!({"model": ""}), "model"),
        (json!({"messages": []}), "messages"),
        (json!({"messages": [{"role": "tool", "content": "a"}]}), "messages[0].role"),
        (json!({"messages": [{"role": "user", "content": 7}]}), "messages[0].content"),
        (json!({"messages": [{"role": "user", "content": [{"text": "a"}]}]}), "messages[0].content[0].type"),
        (image(json!({"type": "base64", "data": "A"})), "messages[0].content[0].source.media_type"),
        (image(json!({})), "messages[0].content[0].source.type"),
        (json!({"system": 7}), "system"),
        (json!({"tools": [{"name": "a"}]}), "tools[0].input_schema"),
        (json!({"tools": [{"input_schema": {}}]}), "tools[0].name"),
        (json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}), "tools[0].type"),
        (json!({"mcp_servers": [{"url": "https://mcp.test"}]}), "mcp_servers"),
        (json!({"tools": [{"name": "a", "input_schema": {}}], "tool_choice": {"type": "tool"}}), "tool_choice"),
        (json!({"thinking": {"type": "enabled"}}), "thinking.budget_tokens"),
        (json!({"thinking": {"type": "perhaps"}}), "thinking.type"),
        (json!({"temperature": 1.5}), "temperature"),
        (json!({"top_k": -1}), "top_k"),
        (json!({"max_tokens": 0}), "max_tokens"),
        (json!({"stream": 1}), "stream"),
    ];
    for (more, field) in cases {
        let Err(Error::InvalidBody { field: named, .. }) = read(more.clone()) else { panic!("{more}") };
        assert_eq!(named, field, "{more}");
    }
}

#[test]
fn parameters_of_this_dialect_alone_are_reported_for_other_providers() {
    use domain::provider::ProviderKind::{Anthropic, Gemini, OpenAi};
    let request = read(json!({
        "context_management": {"edits": []}, "container": "c", "top_k": 4,
        "thinking": {"type": "enabled", "budget_tokens": 1_024},
    }));
    let request = request.unwrap();
    let dropped = |kind, model| request.parameters(kind, model).report().dropped;
    assert_eq!(dropped(Anthropic, "claude-opus-4-7"), [""; 0]);
    assert_eq!(dropped(OpenAi, "gpt-4o"), ["top_k", "thinking", "container", "reasoning_effort", "context_management"]);
    assert_eq!(dropped(OpenAi, "gpt-5"), ["top_k", "thinking", "container", "context_management"]);
    assert_eq!(dropped(Gemini, "gemini-2.5-pro"), ["thinking", "container", "context_management"]);
}
