//! Calls that are refused before a provider is called.

use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use insta::assert_json_snapshot;
use serde_json::json;
use tests::TestApp;
use tests::client::refusal;
use tests::gateway::ModelBuilder;

use super::{chat, question, with};

#[tokio::test]
async fn a_caller_without_a_valid_key_is_refused() {
    let app = TestApp::start().await;
    let answer = chat(&app.anonymous(), &question("dev-chat")).await;
    assert_eq!(answer.status, "401 Unauthorized");
    assert_json_snapshot!(answer.json, {".error.request_id" => "[id]"}, @r#"
    {
      "error": {
        "type": "authentication_error",
        "code": "identity.invalid_token",
        "message": "send a token in the header Authorization: Bearer <token>",
        "param": null,
        "request_id": "[id]",
        "details": null
      }
    }
    "#);
    for person in [app.person("ada"), app.client_with_key("sk-proj-of-another-platform")] {
        let answer = chat(&person, &question("dev-chat")).await;
        assert_eq!(refusal(&answer), ("401", "identity.unauthorized"));
        let message = answer.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("API key") && message.contains("POST /gateway/v1/me/api-keys"), "{message}");
    }
}

#[tokio::test]
async fn a_model_must_be_in_the_plan_and_in_the_keys_list() {
    let app = TestApp::start().await;
    ModelBuilder::new("other").insert(&app).await;
    let customer =
        app.customer_with_key("lists", Money::from_usd(1), |key| key.models = Some(vec!["other".to_owned()])).await;
    let answer = chat(&customer.person, &question("dev-chat")).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("403 Forbidden", "model_access_denied"));
    let answer = chat(&customer.person, &question("nowhere")).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "model_not_found"));
    let message = "no such model: `nowhere`; GET /gateway/v1/models lists the models that you can use";
    assert_eq!(answer.json["error"]["message"], message);
}

/// The suggestion is a model of the caller's plan and key. Models of other plans stay hidden.
#[tokio::test]
async fn an_unknown_model_is_named_with_the_nearest_usable_one() {
    let app = TestApp::start().await;
    for name in ["vendor/large-2", "secret-large", "secret-small"] {
        ModelBuilder::new(name).insert(&app).await;
    }
    let operator = app.operator();
    operator.put("/gateway/v1/admin/aliases/fast", json!({"model": "vendor/large-2"})).await;
    let models = json!(["dev-chat", "vendor/large-2", "secret-small"]);
    operator.put("/gateway/v1/admin/plans/some", json!({"name": "Some", "models": models})).await;
    let list = Some(vec!["dev-chat".to_owned(), "vendor/large-2".to_owned()]);
    let customer = app.customer_with_key("near", Money::from_usd(1), |key| key.models = list).await;
    operator.patch(&format!("/gateway/v1/admin/orgs/{}", customer.account.org), json!({"plan": "some"})).await;
    for (name, suggestion) in [
        ("dev-caht", Some("dev-chat")),
        ("Dev-Chat", Some("dev-chat")),
        ("large-2", Some("vendor/large-2")),
        ("fsat", None),
        ("fasts", Some("fast")),
        ("secret-larg", None),
        ("secret-smal", None),
        ("dev-gard", None),
    ] {
        let answer = chat(&customer.person, &question(name)).await;
        assert_eq!(refusal(&answer), ("404", "model_not_found"), "{name}");
        let message = answer.json["error"]["message"].as_str().unwrap();
        let ending = match suggestion {
            Some(suggestion) => format!("did you mean `{suggestion}`?"),
            None => "GET /gateway/v1/models lists the models that you can use".to_owned(),
        };
        assert_eq!(message, format!("no such model: `{name}`; {ending}"));
    }
    let hidden = chat(&customer.person, &question("secret-large")).await;
    assert_eq!(refusal(&hidden), ("404", "model_not_found"), "a model of another plan");
}

#[tokio::test]
async fn an_unsupported_message_part_is_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("parts", Money::from_usd(1)).await;
    let audio = json!({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}});
    let content = json!([{"type": "text", "text": "What is said here?"}, audio]);
    let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": content}]});
    let answer = chat(&customer.person, &body).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "parameter_not_supported"));
    assert_eq!(answer.json["error"]["param"], "messages");
    assert!(answer.text.contains("input_audio"), "{}", answer.text);
}

#[tokio::test]
async fn a_chat_has_at_most_ten_thousand_messages() {
    let app = TestApp::start().await;
    let customer = app.customer("long", Money::from_usd(1)).await;
    for (count, is_refused) in [(10_000, false), (10_001, true)] {
        let messages = vec![json!({"role": "user", "content": "x"}); count];
        let answer = chat(&customer.person, &json!({"model": "dev-chat", "messages": messages})).await;
        assert_eq!(answer.text.contains("must have at most 10,000 messages"), is_refused, "{count}: {}", answer.status);
    }
}

#[tokio::test]
async fn an_invalid_chat_body_is_named_by_its_path() {
    let app = TestApp::start().await;
    let customer = app.customer("bodies", Money::from_usd(1)).await;
    let wrong = [
        (json!([]), ""),
        (json!({"messages": []}), "model"),
        (json!({"model": "dev-chat", "messages": []}), "messages"),
        (json!({"model": "dev-chat", "messages": [{"role": "wizard", "content": "x"}]}), "messages[0].role"),
        (json!({"model": "dev-chat", "messages": [{"role": "user"}]}), "messages[0].content"),
        (
            json!({"model": "dev-chat", "messages": [{"role": "user", "content": [{"type": "text"}]}]}),
            "messages[0].content[0].text",
        ),
        (with(question("dev-chat"), json!({"temperature": 3})), "temperature"),
        (with(question("dev-chat"), json!({"n": 0})), "n"),
        (with(question("dev-chat"), json!({"max_tokens": 1.5})), "max_tokens"),
        (with(question("dev-chat"), json!({"stream": "yes"})), "stream"),
        (with(question("dev-chat"), json!({"stop": 1})), "stop"),
        (with(question("dev-chat"), json!({"top_logprobs": 2})), "top_logprobs"),
        (with(question("dev-chat"), json!({"tools": [{"type": "function"}]})), "tools[0]"),
        (with(question("dev-chat"), json!({"tool_choice": "sometimes"})), "tool_choice"),
        (with(question("dev-chat"), json!({"response_format": {"type": "xml"}})), "response_format.type"),
        (question("dev-embed"), "model"),
    ];
    for (body, param) in wrong {
        let answer = chat(&customer.person, &body).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"), "{body}");
        assert_eq!(answer.json["error"]["param"].as_str().unwrap_or_default(), param, "{}", answer.text);
    }
}

#[tokio::test]
async fn missing_capabilities_of_a_model_are_named() {
    let app = TestApp::start().await;
    ModelBuilder::new("plain").with(|model| model.capabilities = vec!["chat".to_owned()]).insert(&app).await;
    let customer = app.customer("capabilities", Money::from_usd(1)).await;
    let asked = [
        ("stream", json!({"stream": true})),
        ("tools", json!({"tools": [{"type": "function", "function": {"name": "f"}}]})),
        ("response_format", json!({"response_format": {"type": "json_object"}})),
        ("logprobs", json!({"logprobs": true})),
        (
            "messages",
            json!({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]}),
        ),
    ];
    for (param, fields) in asked {
        let answer = chat(&customer.person, &with(question("plain"), fields)).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "parameter_not_supported"), "{param}");
        assert_eq!(answer.json["error"]["param"], param);
    }
}

#[tokio::test]
async fn no_credits_is_a_402_that_sdks_do_not_retry() {
    let app = TestApp::start().await;
    let customer = app.customer("poor", Money::ZERO).await;
    let answer = chat(&customer.person, &question("dev-chat")).await;
    assert_eq!((answer.status.as_str(), answer.header("x-should-retry")), ("402 Payment Required", Some("false")));
    assert_json_snapshot!(answer.json, {".error.request_id" => "[id]"}, @r#"
    {
      "error": {
        "type": "billing_error",
        "code": "insufficient_credits",
        "message": "the organization's credits do not cover the maximum cost of this call; ask the operator for credits, or lower max_tokens",
        "param": null,
        "request_id": "[id]",
        "details": null
      }
    }
    "#);
}

#[tokio::test]
async fn a_reached_rate_limit_reports_its_dimension_and_reset() {
    let app = TestApp::start().await;
    for (dimension, limits) in [
        ("rpm", Limits { rpm: Some(2), ..Limits::NONE }),
        ("rpd", Limits { rpd: Some(2), ..Limits::NONE }),
        ("tpm", Limits { tpm: Some(200), ..Limits::NONE }),
        ("tpd", Limits { tpd: Some(200), ..Limits::NONE }),
    ] {
        let customer = app.customer(dimension, Money::from_usd(1)).await;
        app.put_on_plan(&customer, PlanLimits { org: limits, ..PlanLimits::default() }).await;

        let body = with(question("dev-chat"), json!({"max_tokens": 60}));
        // A minute may end between two calls, and the count then restarts.
        let mut answers = Vec::new();
        while answers.len() < 6 {
            answers.push(chat(&customer.person, &body).await);
            if answers.last().is_some_and(|answer| answer.status.starts_with("429")) {
                break;
            }
        }
        let refused = answers.last().unwrap();
        assert_eq!((refused.status.as_str(), refused.code()), ("429 Too Many Requests", "rate_limit_exceeded"));
        let details = &refused.json["error"]["details"];
        assert_eq!((&details["scope"], &details["dimension"]), (&json!("org"), &json!(dimension)));
        let served = &answers[0];
        if dimension.starts_with('r') {
            assert_eq!(served.header("x-ratelimit-limit-requests"), Some("2"));
            assert_eq!(served.header("x-ratelimit-remaining-requests"), Some("1"));
            assert_eq!(refused.header("x-ratelimit-remaining-requests"), Some("0"));
        } else {
            assert_eq!(served.header("x-ratelimit-limit-tokens"), Some("200"));
            let used = served.json["usage"]["total_tokens"].as_u64().unwrap();
            assert_eq!(served.header("x-ratelimit-remaining-tokens"), Some((200 - used).to_string().as_str()));
        }
        // A client should wait for a minute, but not for a day.
        let should_retry = dimension.ends_with('d').then_some("false");
        assert_eq!(refused.header("x-should-retry"), should_retry);
        let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert_eq!(refused.header("retry-after-ms"), Some((wait * 1_000).to_string().as_str()));
        let resets_at = details["resets_at"].as_i64().unwrap();
        assert!((resets_at - domain::time::Time::now().as_seconds() - wait).abs() <= 2);
    }
}
