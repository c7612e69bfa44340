//! Calls of tools, and what the model reads of their results.

use super::*;

#[test]
fn the_results_of_tools_reach_the_model_in_the_order_of_its_calls() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    let config = play.answer(calls(&[("lookup", r#"{"id": "a b"}"#), ("lookup", r#"{"id": "8"}"#)]));
    assert_eq!(config["tools"][0]["function"]["name"], "lookup");
    let first = play.next();
    assert_eq!(fields_of(&first)["url"], "https://shop.example/orders/a%20b");
    // The second call ends first.
    play.answer(json!({"status": 200, "headers": {}, "body": {"state": "lost"}}));
    assert!(play.open.is_empty(), "the model is asked after the last result");
    play.run.finish(first.number, Err(&StepError::new("timeout", "It took too long.")));
    play.load();
    let config = play.answer(text("One is lost."));
    assert_eq!(
        contents(&config)[2..],
        [
            "assistant: -",
            r#"tool: {"error":{"code":"timeout","message":"It took too long."}}"#,
            r#"tool: {"status":200,"body":{"state":"lost"}}"#,
        ]
    );
    assert_eq!(config["messages"][3]["tool_call_id"], "call_0");
    assert_eq!(play.output(), "One is lost.");
}

#[test]
fn wrong_calls_are_answered_without_a_call() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("other", "{}"), ("lookup", "{"), ("lookup", "{}"), ("lookup", "")]));
    let config = play.answer(text("Sorry."));
    let messages = contents(&config);
    let codes = ["unknown_tool", "invalid_arguments", "invalid_arguments", "invalid_arguments"];
    for (message, code) in messages[3..].iter().zip(codes) {
        assert!(message.contains(code), "{message}");
    }
    assert_eq!(play.log, ["1 ask_model dev-chat", "2 ask_model dev-chat"]);
}

#[test]
fn broken_arguments_are_not_sent_back_to_the_model() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("lookup", r#"{"id": "#)]));
    let config = play.answer(text("Sorry."));
    assert_eq!(config["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn a_url_is_called_only_with_all_its_arguments() {
    let mut tool = lookup("lookup");
    tool.parameters.clear();
    let mut play = Play::new(vec![agent(1, vec![tool])]);
    let arguments = ["{}", r#"{"id": null}"#, r#"{"id": ""}"#, r#"{"id": ".."}"#, r#"{"id": "../admin"}"#];
    play.answer(calls(&arguments.map(|arguments| ("lookup", arguments))));
    let call = play.next();
    assert_eq!(fields_of(&call)["url"], "https://shop.example/orders/%2E%2E%2Fadmin");
    play.run.finish(call.number, Ok(&json!({"status": 404, "body": null})));
    play.load();
    let messages = contents(&play.answer(text("Sorry.")));
    assert!(messages[3..7].iter().all(|message| message.contains("invalid_arguments")), "{messages:?}");
}

#[test]
fn the_tools_become_the_work_of_nodes() {
    let key = ToolCredentialKey { agent_id: id(1), tool: "refund".to_owned() };
    let post = ToolTarget::Http {
        method: HttpMethod::Post,
        url: "https://shop.example/refunds".to_owned(),
        headers: [("x-shop".to_owned(), "1".to_owned())].into(),
        credential: Some(key.clone()),
    };
    let workflow_id = WorkflowId::from(uuid::Uuid::from_bytes([9; 16]));
    let tools = vec![
        tool("refund", post),
        lookup("lookup"),
        tool("flow", ToolTarget::Workflow { workflow_id, is_wrapped: true }),
        tool("open_door", ToolTarget::Function),
    ];
    let mut play = Play::new(vec![agent(1, tools)]);
    play.answer(calls(&[
        ("refund", r#"{"amount": 5}"#),
        ("lookup", r#"{"id": "7", "full": true, "name": "Ann"}"#),
        ("flow", r#"{"input": [1]}"#),
        ("open_door", r#"{"door": 2}"#),
    ]));
    let works = [play.next(), play.next(), play.next(), play.next()].map(|call| (name_of(&call), fields_of(&call)));
    assert_eq!((works[0].0, &works[0].1["body"]), ("http", &json!({"type": "json", "value": {"amount": 5}})));
    assert_eq!(works[0].1["toolCredential"], json!(key));
    assert_eq!((works[1].0, &works[1].1["query"]), ("http", &json!({"full": "true", "name": "Ann"})));
    assert_eq!((works[2].0, &works[2].1["input"]), ("workflow", &json!([1])));
    assert_eq!((works[3].0, &works[3].1["title"]), ("review", &json!("Result of the function open_door?")));
    for (number, value) in [
        (2, json!({"status": 200, "body": null})),
        (3, json!({"status": 404, "body": "none"})),
        (4, json!({"n": 1})),
        (5, json!({"decision": "approved", "fields": {"result": {"open": true}}})),
    ] {
        play.run.finish(number, Ok(&value));
    }
    play.load();
    let config = play.answer(text("Done."));
    assert_eq!(
        contents(&config)[3..],
        [
            r#"tool: {"status":200,"body":null}"#,
            r#"tool: {"status":404,"body":"none"}"#,
            r#"tool: {"n":1}"#,
            r#"tool: {"open":true}"#,
        ]
    );
}

#[test]
fn a_refused_function_is_an_error_for_the_model() {
    for (answer, code) in [
        (json!({"decision": "rejected", "comment": "No."}), "rejected"),
        (json!({"decision": "expired", "comment": null}), "expired"),
    ] {
        let mut play = Play::new(vec![agent(1, vec![tool("open_door", ToolTarget::Function)])]);
        play.answer(calls(&[("open_door", "{}")]));
        play.answer(answer);
        assert!(contents(&play.answer(text("Sorry.")))[3].contains(code));
    }
}

#[test]
fn functions_of_the_caller_end_the_execution() {
    let tools = vec![tool("open_door", ToolTarget::Function), lookup("lookup")];
    let mut play = Play::with(vec![agent(1, tools)], AgentLimits::default(), FunctionExecutor::Caller);
    play.answer(calls(&[("open_door", r#"{"door": 2}"#), ("lookup", r#"{"id": "7"}"#)]));
    assert_eq!(play.run.end(), None, "the other tool is still at work");
    play.answer(json!({"status": 200, "body": 1}));
    let Some(Ok(AgentEnd::Functions(functions))) = play.run.end().cloned() else { panic!() };
    assert_eq!((&*functions[0].id, &*functions[0].name, functions.len()), ("call_0", "open_door", 1));
    let messages = messages_of(play.run);
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
}

#[test]
fn a_long_result_is_cut() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("lookup", r#"{"id": "7"}"#)]));
    play.answer(json!({"status": 200, "body": "ñ".repeat(100_000)}));
    let config = play.answer(text("Long."));
    let result = &contents(&config)[3];
    assert!(result.len() < 70_000 && result.ends_with("… (the rest was cut)"));
}

#[test]
fn a_placeholder_of_the_url_is_a_required_argument() {
    let schema = |url: &str, parameters: Value| {
        Value::Object(describe_placeholders(url, parameters.as_object().cloned().unwrap()))
    };
    let url = "https://shop.example/{shop}/orders/{order}?of={shop}";
    assert_eq!(
        schema(url, json!({})),
        json!({
            "type": "object", "properties": {"shop": {"type": "string"}, "order": {"type": "string"}},
            "required": ["order", "shop"],
        })
    );
    let own = json!({
        "type": "object", "properties": {"order": {"type": "integer"}, "note": {"type": "string"}},
        "required": ["note"], "additionalProperties": false,
    });
    assert_eq!(
        schema("https://shop.example/{order}", own.clone()),
        json!({
            "type": "object", "properties": {"order": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["note", "order"], "additionalProperties": false,
        })
    );
    assert_eq!(schema("https://shop.example/orders", own.clone()), own);
    assert_eq!(schema("https://shop.example/orders", json!({})), json!({}));
}
