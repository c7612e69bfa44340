use serde_json::{Value, json};

use super::*;

fn read(more: Value) -> Result<ResponsesRequest> {
    let mut body = json!({"model": "m", "input": "Hi"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ResponsesRequest::read(body, &[])
}

#[test]
fn items_become_messages() {
    let request = read(json!({
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "Look"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            ]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "ZW5j"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"b\": 1}"},
            {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "google//Zw=="},
            {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "done"}]},
            {"type": "message", "role": "developer", "content": "Now in Spanish."},
            {"role": "user", "content": "And?"},
        ],
        "tools": [
            {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": true},
            {"type": "custom", "name": "patch", "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"}},
        ],
        "tool_choice": {"type": "function", "name": "look"}, "max_output_tokens": 64, "parallel_tool_calls": false,
        "reasoning": {"effort": "low", "summary": "auto"}, "text": {
            "verbosity": "low", "format": {"type": "json_schema", "name": "s", "schema": {"type": "object"}, "strict": true},
        },
        "include": ["reasoning.encrypted_content"], "store": false, "truncation": "auto",
    }));
    let ResponsesRequest { chat, settings } = request.unwrap();
    insta::assert_json_snapshot!("items", json!(chat));
    assert!(settings.tool_names.is_custom("patch") && !settings.tool_names.is_custom("look"));
    assert!(settings.wants_encrypted_reasoning && !settings.is_stored);
}

#[test]
fn the_tools_of_a_namespace_are_functions() {
    let inner = json!([{"type": "function", "name": "close", "parameters": {"type": "object"}}, {"type": "custom", "name": "run"}]);
    let tools = json!([{"type": "namespace", "name": "agents", "description": "Sub-agents", "tools": inner}]);
    let call =
        json!({"type": "function_call", "namespace": "agents", "name": "close", "call_id": "c", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "ok"});
    let ResponsesRequest { chat, settings } = read(json!({"tools": tools, "input": [call, output]})).unwrap();
    let names: Vec<_> = chat.tools().iter().map(|tool| tool.function().unwrap().name).collect();
    assert_eq!(names, ["agents__close", "agents__run"]);
    assert_eq!(chat.messages()[0].tool_calls[0].name, "agents__close");
    let tool =
        |name: &str, is_custom| ClientTool { namespace: Some("agents".to_owned()), name: name.to_owned(), is_custom };
    assert_eq!(settings.tool_names.find("agents__close"), Some(&tool("close", false)));
    assert_eq!(settings.tool_names.find("agents__run"), Some(&tool("run", true)));
    let nested =
        json!([{"type": "namespace", "name": "a", "tools": [{"type": "namespace", "name": "b", "tools": []}]}]);
    let Err(Error::InvalidBody { field, .. }) = read(json!({"tools": nested})) else { panic!("nested") };
    assert_eq!(field, "tools[0].tools[0].type");
}

#[test]
fn the_items_of_earlier_responses_come_first() {
    let earlier = [json!({"role": "user", "content": "a"}), json!({"role": "assistant", "content": "b"})];
    let body = json!({"model": "m", "input": "c", "instructions": "d"});
    let ResponsesRequest { chat, settings } = ResponsesRequest::read(body, &earlier).unwrap();
    let texts: Vec<_> = chat.messages().iter().map(Message::text).collect();
    assert_eq!(texts, ["d", "a", "b", "c"]);
    assert_eq!(settings.input, [json!({"type": "message", "role": "user", "content": "c"})]);
    assert!(settings.is_stored);
}

#[test]
fn a_conversation_cannot_grow_without_limit() {
    let long = json!({"role": "user", "content": "a".repeat(3 << 20)});
    let read = |earlier: &[Value]| ResponsesRequest::read(json!({"model": "m", "input": "b"}), earlier);
    assert!(read(&[long.clone(), long.clone()]).is_ok());
    for earlier in [vec![long; 3], vec![json!({"role": "user", "content": "a"}); 10_000]] {
        let Err(Error::InvalidBody { field, .. }) = read(&earlier) else { panic!("{}", earlier.len()) };
        assert_eq!(field, "previous_response_id");
    }
}

#[test]
fn what_the_gateway_does_not_have_is_refused_by_its_name() {
    let tool = |tool: Value| json!({"tools": [tool]});
    let item = |item: Value| json!({"input": [item]});
    let part = |part: Value| json!({"input": [{"role": "user", "content": [part]}]});
    let cases = [
        (json!({"model": ""}), "model"),
        (json!({"input": 7}), "input"),
        (json!({"input": []}), "input"),
        (json!({"instructions": 7}), "instructions"),
        (json!({"max_output_tokens": 0}), "max_output_tokens"),
        (json!({"background": true}), "background"),
        (json!({"conversation": "conv_1"}), "conversation"),
        (json!({"prompt": {"id": "pmpt_1"}}), "prompt"),
        (json!({"store": "yes"}), "store"),
        (json!({"truncation": "middle"}), "truncation"),
        (json!({"text": {"format": {"type": "yaml"}}}), "text.format.type"),
        (json!({"reasoning": {"effort": 7}}), "reasoning.effort"),
        (tool(json!({"type": "web_search"})), "tools[0].type"),
        (tool(json!({"type": "mcp", "server_label": "a"})), "tools[0].type"),
        (tool(json!({"type": "function"})), "tools[0].name"),
        (item(json!({"type": "item_reference", "id": "msg_1"})), "input[0]"),
        (item(json!({"type": "computer_call"})), "input[0].type"),
        (item(json!({"id": "a"})), "input[0].type"),
        (item(json!({"role": "robot", "content": "a"})), "input[0].role"),
        (item(json!({"role": "user"})), "input[0].content"),
        (item(json!({"type": "function_call", "name": "a", "arguments": "{}"})), "input[0].call_id"),
        (part(json!({"type": "input_image", "file_id": "file_1"})), "input[0].content[0].file_id"),
        (part(json!({"type": "input_video"})), "input[0].content[0].type"),
        (part(json!({"type": "input_text"})), "input[0].content[0].text"),
    ];
    for (more, field) in cases {
        let Err(Error::InvalidBody { field: named, .. }) = read(more.clone()) else { panic!("{more}") };
        assert_eq!(named, field, "{more}");
    }
}
