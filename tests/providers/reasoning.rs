//! Reasoning and marks of the cache in requests to the vendors: an effort becomes what each family of models takes, and a model
//! is not asked to reason where its vendor would refuse that.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use domain::catalog::PromptCache;
use domain::provider::ProviderKind;
use domain::provider::ProviderKind::{Anthropic, Bedrock, Gemini, OpenAi};
use gateway::chat::{ChatRequest, Terms};
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::parameters::stage;
use crate::stage::{Stage, chat};

const CLAUDE: &str = "claude-sonnet-4-5";

/// The body that a request becomes, and the parameters that are reported as left out.
async fn sent(stage: &Stage, kind: ProviderKind, model: &str, request: &ChatRequest) -> (Value, Vec<String>) {
    stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
    stage.provider.chat(model, request).await.expect_err("a 418 is a failure");
    (stage.take_request_body(), request.parameters(kind, model).report().dropped)
}

fn request(more: Value) -> ChatRequest {
    let mut body = json!({
        "model": "m", "max_tokens": 10_000, "reasoning_effort": "medium", "temperature": 0.2,
        "messages": [{"role": "user", "content": "Why?"}],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    chat(body)
}

fn with_call(details: Value) -> Value {
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!([
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": null, "tool_calls": [call], "reasoning_details": details},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ])
}

#[tokio::test]
async fn claude_reasons_within_a_budget_or_an_effort() {
    let stage = stage(Anthropic).await;
    let (body, dropped) = sent(&stage, Anthropic, CLAUDE, &request(json!({}))).await;
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 5_000}));
    assert_eq!((body.get("temperature"), dropped), (None, vec!["temperature".to_owned()]));
    let (body, _) = sent(&stage, Anthropic, "claude-opus-4-7", &request(json!({}))).await;
    assert_eq!(
        (&body["thinking"], &body["output_config"]),
        (&json!({"type": "adaptive"}), &json!({"effort": "medium"}))
    );

    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    for (why, model, more) in [
        ("an old model", "claude-3-5-haiku-20241022", json!({})),
        ("a forced call", CLAUDE, json!({"tools": tools, "tool_choice": "required"})),
        ("a call without reasoning", CLAUDE, json!({"tools": tools, "messages": with_call(Value::Null)})),
        ("no effort", CLAUDE, json!({"reasoning_effort": "none"})),
    ] {
        let (body, dropped) = sent(&stage, Anthropic, model, &request(more)).await;
        assert_eq!((body.get("thinking"), &body["temperature"]), (None, &json!(0.2)), "{why}");
        assert_eq!(dropped, ["reasoning_effort"], "{why}");
    }
    let details = json!([{"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0}]);
    let goes_on = json!({"tools": tools, "messages": with_call(details)});
    let (body, _) = sent(&stage, Anthropic, CLAUDE, &request(goes_on)).await;
    assert_eq!(body["messages"][1]["content"][0], json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}));
    assert!(body["thinking"].is_object());
}

#[tokio::test]
async fn other_vendors_get_their_own_form_of_an_effort() {
    let bedrock = stage(Bedrock).await;
    let (body, _) = sent(&bedrock, Bedrock, "anthropic.claude-sonnet-4-5-v1:0", &request(json!({}))).await;
    let fields = json!({"thinking": {"type": "enabled", "budget_tokens": 5_000}});
    assert_eq!(body["additionalModelRequestFields"], fields);
    let (body, dropped) = sent(&bedrock, Bedrock, "amazon.nova-pro-v1:0", &request(json!({}))).await;
    assert_eq!((body.get("additionalModelRequestFields"), dropped), (None, vec!["reasoning_effort".to_owned()]));

    let gemini = stage(Gemini).await;
    let (body, _) = sent(&gemini, Gemini, "gemini-2.5-flash", &request(json!({}))).await;
    let config = json!({"thinkingBudget": 8_192, "includeThoughts": true});
    assert_eq!(body["generationConfig"]["thinkingConfig"], config);
    let own = json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 7}}});
    let (body, _) = sent(&gemini, Gemini, "gemini-2.5-flash", &request(own)).await;
    assert_eq!(
        body["generationConfig"]["thinkingConfig"],
        json!({"thinkingBudget": 7}),
        "the client's own has precedence"
    );

    // A client of another dialect sends an effort to every model, and OpenAI refuses it for models that do not reason.
    let openai = stage(OpenAi).await;
    let thinking = json!({"type": "enabled", "budget_tokens": 8_000});
    let body = json!({"model": "m", "max_tokens": 9_000, "thinking": thinking, "messages": [{"role": "user", "content": "a"}]});
    let request = ChatRequest::read_messages(body, Vec::new()).unwrap();
    let (body, _) = sent(&openai, OpenAi, "gpt-5", &request).await;
    assert_eq!(body["reasoning_effort"], "medium");
    let (body, dropped) = sent(&openai, OpenAi, "gpt-4o", &request).await;
    assert_eq!((body.get("reasoning_effort"), dropped.contains(&"reasoning_effort".to_owned())), (None, true));
}

fn marked(prompt_cache: PromptCache, more: Value) -> ChatRequest {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}});
    let mut body = json!({
        "model": "m", "max_tokens": 64, "tools": [tool("a"), tool("b")],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut request = chat(body);
    request.set_terms(Terms { prompt_cache, ..Terms::default() });
    request
}

#[tokio::test]
async fn the_operators_marks_reach_the_vendors_that_cache() {
    let all = PromptCache { tools: true, system: true, last_turn: true, one_hour: true };
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    let anthropic = stage(Anthropic).await;
    let (body, _) = sent(&anthropic, Anthropic, CLAUDE, &marked(all, json!({}))).await;
    assert_eq!((body["tools"][0].get("cache_control"), &body["tools"][1]["cache_control"]), (None, &mark));
    assert_eq!(
        (&body["system"][0]["cache_control"], &body["messages"][0]["content"][0]["cache_control"]),
        (&mark, &mark)
    );
    let native = json!({"model": "m", "max_tokens": 9, "system": "Be brief.", "messages": [{"role": "user", "content": "Why?"}]});
    let mut native = ChatRequest::read_messages(native, Vec::new()).unwrap();
    native
        .set_terms(Terms { prompt_cache: PromptCache { system: true, ..PromptCache::default() }, ..Terms::default() });
    let (body, _) = sent(&anthropic, Anthropic, CLAUDE, &native).await;
    assert_eq!(body["system"], json!([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]));
    assert_eq!(body["messages"][0]["content"], "Why?");

    let own = json!([{"role": "user", "content": [{"type": "text", "text": "Why?", "cache_control": {"type": "ephemeral"}}]}]);
    let (body, _) = sent(&anthropic, Anthropic, CLAUDE, &marked(all, json!({"messages": own}))).await;
    assert_eq!(body.to_string().matches("cache_control").count(), 1, "the client's marks have precedence");

    let bedrock = stage(Bedrock).await;
    let (body, _) = sent(&bedrock, Bedrock, "anthropic.claude-sonnet-4-5-v1:0", &marked(all, json!({}))).await;
    let point = json!({"cachePoint": {"type": "default", "ttl": "1h"}});
    assert_eq!(
        (&body["toolConfig"]["tools"][2], &body["system"][1], &body["messages"][0]["content"][1]),
        (&point, &point, &point)
    );
    let (body, _) = sent(&bedrock, Bedrock, "meta.llama3-70b", &marked(all, json!({}))).await;
    assert!(!body.to_string().contains("cachePoint"), "{body}");
    let gemini = stage(Gemini).await;
    let (_, dropped) = sent(&gemini, Gemini, "gemini-2.5-pro", &marked(all, json!({"messages": own}))).await;
    assert_eq!(dropped, ["cache_control"], "a mark of the client is never left out in silence");
}

#[tokio::test]
async fn linked_files_are_fetched_for_vendors_that_take_only_bytes() {
    let png = b"\x89PNG\r\n\x1a\nrest".to_vec();
    let linked = |url: String| {
        chat(json!({"model": "m", "messages": [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]},
        ]}))
    };
    for kind in [Gemini, Bedrock] {
        let stage = stage(kind).await;
        let origin = stage.fake.base_url.trim_end_matches("/v1").to_owned();
        stage.fake.respond_with(Behaviour::json(418, json!({})));
        stage.fake.respond_at("/picture.png", Behaviour::bytes(200, "text/plain", vec![png.clone().into()]));
        stage.provider.chat("gemini-2.5-pro", &linked(format!("{origin}/picture.png"))).await.unwrap_err();
        let body = stage.fake.take_requests().pop().unwrap().body;
        assert!(body.to_string().contains("iVBORw0KGgpyZXN0"), "{kind:?}: {body}");

        let moved = Behaviour::json(302, "").header("location", &format!("{origin}/picture.png"));
        stage.fake.respond_at("/moved.png", moved);
        stage.provider.chat("gemini-2.5-pro", &linked(format!("{origin}/moved.png"))).await.unwrap_err();
        let mut received = stage.fake.take_requests();
        let body = received.pop().unwrap().body;
        assert!(body.to_string().contains("iVBORw0KGgpyZXN0"), "{kind:?}: {body}");
        let paths: Vec<_> = received.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths, ["/moved.png", "/picture.png"], "{kind:?}");

        let forbidden = Behaviour::json(302, "").header("location", "http://10.0.0.1/picture.png");
        stage.fake.respond_at("/forbidden.png", forbidden);
        stage.fake.respond_at("/missing.png", Behaviour::json(404, ""));
        for (url, why) in [
            (format!("{origin}/missing.png"), "404"),
            ("http://10.0.0.1/picture.png".to_owned(), "not allowed"),
            (format!("{origin}/forbidden.png"), "not allowed"),
            ("ftp://files.test/a.png".to_owned(), "not a valid HTTP"),
        ] {
            let failure = stage.provider.chat("gemini-2.5-pro", &linked(url)).await.unwrap_err();
            assert_eq!(failure.param.as_deref(), Some("messages"), "{kind:?}: {failure:?}");
            assert!(failure.message.contains(why), "{kind:?}: {}", failure.message);
        }
    }
}
