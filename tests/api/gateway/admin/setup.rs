//! The setup call, the presets of providers, and the models that a provider offers.

use domain::identity::Role;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Answer;
use tests::provider::{Behaviour, FakeProvider};

use super::{ADMIN, BILLING, assert_refused, small_model};
use crate::gateway::chat;

const SETUP: &str = "/gateway/v1/admin/setup";

fn offer(names: &[&str]) -> Behaviour {
    let data: Vec<Value> = names.iter().map(|name| json!({"id": name, "object": "model"})).collect();
    Behaviour::json(200, json!({"object": "list", "data": data}))
}

fn reply() -> Behaviour {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7});
    Behaviour::json(200, json!({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}))
}

/// A provider that lists three models.
async fn provider() -> FakeProvider {
    let fake = FakeProvider::start().await;
    fake.respond_at("/v1/models", offer(&["gpt-5-mini", "text-embedding-3-small", "whisper-1"]));
    fake.respond_at("/v1/chat/completions", reply());
    fake
}

fn declaration(fake: &FakeProvider) -> Value {
    json!({
        "organization": {"name": "hooli"}, "user": {"name": "gavin", "email": "gavin@hooli.example"},
        "plan": {"id": "team", "settings": {"name": "Team", "models": ["gpt-5-mini", "own"]}},
        "key": {"name": "first", "models": ["fast"]}, "credits": {"amount": "5.00"},
        "provider": {"preset": "openai", "base_url": format!("{}/v1", fake.base_url), "api_key": "sk-secret-of-openai",
            "models": ["gpt-5-mini"], "pricing": {"input": "0.25", "output": 2}},
        "models": [small_model("own")], "aliases": {"fast": "gpt-5-mini"},
    })
}

fn outcomes(answer: &Answer) -> Vec<(&str, &str)> {
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let parts = answer.json["parts"].as_array().unwrap().iter();
    parts.map(|part| (part["part"].as_str().unwrap(), part["outcome"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn one_call_sets_up_a_customer_and_a_provider_and_a_repeat_changes_nothing() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), provider().await);
    let body = declaration(&fake);
    let made = operator.post_json(SETUP, body.clone()).await;
    let parts = ["plan", "organization", "user", "credits", "key", "provider", "model", "model", "alias"];
    assert_eq!(outcomes(&made), parts.map(|part| (part, "created")));
    assert_eq!((&made.json["changed"], &made.json["provider_test"]["ok"]), (&json!(true), &json!(true)));
    assert!(!made.text.contains("sk-secret-of-openai"));
    let secret = made.json["secret"].as_str().unwrap();
    let curl = made.json["curl"].as_str().unwrap();
    let start =
        format!("curl -s {}/gateway/v1/chat/completions -H \"Authorization: Bearer {secret}\"", app.platform.base_url);
    assert!(curl.starts_with(&start) && curl.contains(r#""model":"fast""#), "{curl}");
    let answer = chat(&app.client_with_key(secret), "fast").await;
    assert_eq!(
        (answer.status.as_str(), answer.header("x-alias-of")),
        ("200 OK", Some("gpt-5-mini")),
        "{}",
        answer.text
    );
    let sent = fake.take_requests().pop().unwrap();
    assert_eq!(sent.headers["authorization"], "Bearer sk-secret-of-openai");

    let audit = operator.get(&format!("{ADMIN}/audit?limit=100")).await;
    assert!(!audit.text.contains("sk-secret-of-openai") && !audit.text.contains(secret));
    let mut actions = audit.column("action");
    actions.reverse();
    let expected = [
        "plan.put",
        "org.create",
        "user.create",
        "credits.give",
        "key.create",
        "provider.create",
        "model.create",
        "model.create",
        "alias.put",
    ];
    assert_eq!(actions, expected);

    let repeated = operator.post_json(SETUP, body.clone()).await;
    assert_eq!(outcomes(&repeated), parts.map(|part| (part, "unchanged")));
    assert_eq!((&repeated.json["changed"], &repeated.json["secret"]), (&json!(false), &Value::Null));
    assert!(repeated.json["curl"].as_str().unwrap().contains("$ATELIER_KEY"));
    let after = operator.get(&format!("{ADMIN}/audit?limit=100")).await;
    assert_eq!(after.json["data"].as_array().unwrap().len(), expected.len(), "a repeat writes nothing");

    // The first token of the user belongs to the same person, and a change is told apart.
    let me = app.person_of("gavin", "hooli", Role::Admin).get("/gateway/v1/me").await;
    let org = made.json["parts"][1]["id"].as_str().unwrap();
    assert_eq!((&me.json["org"]["id"], &me.json["user"]["email"]), (&json!(org), &json!("gavin@hooli.example")));
    let mut other = body;
    other["provider"]["api_key"] = json!("sk-another-secret-key");
    other["provider"]["pricing"]["input"] = json!("0.30");
    other["user"]["role"] = json!("member");
    other["key"]["spending_cap"] = json!("3.00");
    let changed = operator.post_json(SETUP, other).await;
    let changes: Vec<_> = outcomes(&changed).into_iter().filter(|(_, outcome)| *outcome == "changed").collect();
    assert_eq!(changes.iter().map(|(part, _)| *part).collect::<Vec<_>>(), ["user", "key", "provider", "model"]);
    let balances = operator.get(&format!("{BILLING}/transactions?org={org}&kind=credit")).await;
    assert_eq!(balances.json["data"].as_array().unwrap().len(), 1, "credits are given once: {}", balances.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn setups_at_the_same_time_create_one_key_and_give_credits_once() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body = json!({"organization": {"name": "busy"}, "user": {"name": "bee"}, "key": {"name": "one"}, "credits": {"amount": 5}});
    let answers = join_all((0..5).map(|_| operator.post_json(SETUP, body.clone()))).await;
    for answer in &answers {
        outcomes(answer);
    }
    assert_eq!(answers.iter().filter(|answer| answer.json["secret"].is_string()).count(), 1);
    let org = answers[0].json["parts"][0]["id"].as_str().unwrap();
    let keys = operator.get(&format!("{ADMIN}/keys?org={org}")).await;
    assert_eq!(keys.column("name"), ["one"]);
    let credits = operator.get(&format!("{BILLING}/transactions?org={org}")).await;
    assert_eq!(credits.json["data"].as_array().unwrap().len(), 1, "{}", credits.text);

    // A revoked key is replaced, because the declaration asks for a valid one.
    let key = keys.json["data"][0]["id"].as_str().unwrap();
    assert_eq!(operator.delete(&format!("{ADMIN}/keys/{key}")).await.status, "204 No Content");
    let again = operator.post_json(SETUP, body).await;
    assert!(again.json["secret"].is_string(), "{}", again.text);
}

#[tokio::test]
async fn a_setup_is_validated_before_its_first_write() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), provider().await);
    let mut body = declaration(&fake);
    body["user"]["email"] = json!("nowhere");
    body["key"]["models"] = json!(["nobody"]);
    body["credits"]["amount"] = json!(0);
    body["provider"]["models"] = json!(["gpt-9"]);
    body["models"][0]["deployments"][0]["provider"] = json!("nobody");
    body["aliases"] = json!({"fast": "nobody"});
    let refused = operator.post_json(SETUP, body).await;
    assert_refused(&refused, "400 Bad Request", "invalid_body");
    let problems = refused.json["error"]["details"]["problems"].as_array().unwrap().iter();
    let mut fields: Vec<_> = problems.map(|problem| problem["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    let expected = [
        "aliases.fast.model",
        "credits.amount",
        "models[0].deployments[0].provider",
        "provider.models[0]",
        "user.email",
    ];
    assert_eq!(fields, expected, "{}", refused.text);
    assert!(refused.text.contains("it lists 3 models: gpt-5-mini"), "{}", refused.text);
    for (body, field) in [
        (json!({"key": {"name": "x"}}), "user"),
        (json!({"user": {"name": "x"}}), "organization"),
        (json!({"provider": {"preset": "nobody"}}), "provider.preset"),
        (json!({"provider": {"preset": "azure"}}), "provider.base_url"),
        (json!({"provider": {"name": "x", "kind": "openai", "models": "some"}}), "provider.models"),
        (json!({"organization": {"name": "x"}, "plan": {"id": "none"}}), "plan.settings"),
        (json!({"organization": {"name": "x"}, "plan": {"id": ""}}), "plan.id"),
        (json!({"colour": 1}), "colour"),
    ] {
        let answer = operator.post_json(SETUP, body).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert_eq!(answer.json["error"]["param"], field, "{}", answer.text);
    }
    assert_eq!(operator.get(&format!("{ADMIN}/audit")).await.json["data"], json!([]), "nothing was written");
}

#[tokio::test]
async fn all_usable_models_of_a_provider_are_offered() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), provider().await);
    let provider = json!({"preset": "vllm", "base_url": format!("{}/v1", fake.base_url), "models": "all"});
    let made = operator.post_json(SETUP, json!({"provider": provider})).await;
    let models: Vec<_> = outcomes(&made).into_iter().filter(|(part, _)| *part == "model").collect();
    assert_eq!(models, [("model", "created"); 2]);
    assert!(made.json["notes"].to_string().contains("whisper-1"), "{}", made.text);
    let embed = operator.get(&format!("{ADMIN}/models/text-embedding-3-small")).await;
    assert_eq!((&embed.json["type"], &embed.json["provider"]), (&json!("Embeddings"), &json!("vllm")));
    let listed = operator.get(&format!("{ADMIN}/providers/vllm/models")).await;
    assert_eq!(listed.column("id"), ["gpt-5-mini", "text-embedding-3-small", "whisper-1"]);
    assert_eq!(
        (&listed.json["data"][0]["catalog"], &listed.json["data"][2]["type"]),
        (&json!(["gpt-5-mini"]), &Value::Null)
    );
}

#[tokio::test]
async fn a_provider_that_fails_its_test_is_stored_and_reported() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    fake.respond_with(Behaviour::json(
        401,
        json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}),
    ));
    let base_url = format!("{}/v1", fake.base_url);
    let provider = json!({"preset": "openai", "base_url": base_url, "api_key": "sk-wrong", "models": "all"});
    let made = operator.post_json(SETUP, json!({"provider": provider})).await;
    assert_eq!(outcomes(&made), [("provider", "created")]);
    let test = &made.json["provider_test"];
    assert_eq!((&test["ok"], &test["error"]["message"]), (&json!(false), &json!("Incorrect API key")));
    let listed = operator.get(&format!("{ADMIN}/providers/openai/models")).await;
    assert_refused(&listed, "502 Bad Gateway", "invalid_api_key");
    assert_eq!(listed.json["error"]["message"], "Incorrect API key");
    fake.respond_with(Behaviour::bytes(200, "text/html", vec!["<html>".into()]));
    let garbled = operator.get(&format!("{ADMIN}/providers/openai/models")).await;
    assert_refused(&garbled, "502 Bad Gateway", "provider_answer_unreadable");
    let unknown = operator.get(&format!("{ADMIN}/providers/nobody/models")).await;
    assert_refused(&unknown, "404 Not Found", "provider_not_found");
}

#[tokio::test]
async fn each_kind_of_provider_lists_its_models() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    for (kind, path, answer, models) in [
        (
            "anthropic",
            "/v1/models",
            json!({"data": [{"id": "claude-b"}, {"id": "claude-a"}]}),
            vec!["claude-a", "claude-b"],
        ),
        ("gemini", "/v1beta/models", json!({"models": [{"name": "models/gemini-x"}]}), vec!["gemini-x"]),
        ("openai", "/models", json!([{"id": "bare"}]), vec!["bare"]),
    ] {
        fake.respond_at(path, Behaviour::json(200, answer));
        let body = json!({"name": kind, "kind": kind, "base_url": fake.base_url, "api_key": "sk-x"});
        assert_eq!(operator.post_json(&format!("{ADMIN}/providers"), body).await.status, "201 Created");
        assert_eq!(operator.get(&format!("{ADMIN}/providers/{kind}/models")).await.column("id"), models);
    }
    let own = operator.get(&format!("{ADMIN}/providers/dev/models")).await;
    let expected = ["dev-chat", "dev-embed", "dev-guard", "dev-image", "dev-rerank", "dev-speech", "dev-transcribe"];
    assert_eq!(own.column("id"), expected);
    let bedrock = json!({"preset": "bedrock", "region": "eu-west-3"});
    assert_eq!(operator.post_json(&format!("{ADMIN}/providers"), bedrock).await.status, "201 Created");
    let unlisted = operator.get(&format!("{ADMIN}/providers/bedrock/models")).await;
    assert_refused(&unlisted, "400 Bad Request", "parameter_not_supported");
}

#[tokio::test]
async fn presets_fill_in_what_a_new_provider_lacks() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let presets = operator.get(&format!("{ADMIN}/provider-presets")).await;
    let ids = [
        "openai",
        "anthropic",
        "gemini",
        "bedrock",
        "azure",
        "mistral",
        "groq",
        "openrouter",
        "vllm",
        "ollama",
        "llama-cpp",
    ];
    assert_eq!(presets.column("id"), ids);
    for preset in presets.json["data"].as_array().unwrap() {
        let mut body = json!({"preset": preset["id"]});
        if let Some(example) = preset["base_url_example"].as_str() {
            body["base_url"] = json!(example);
        }
        let made = operator.post_json(&format!("{ADMIN}/providers"), body).await;
        assert_eq!(made.status, "201 Created", "{}", made.text);
        assert_eq!((&made.json["name"], &made.json["kind"]), (&preset["id"], &preset["kind"]));
    }
    let azure = operator.get(&format!("{ADMIN}/providers/azure")).await;
    assert_eq!(azure.json["auth_header"], "api-key");
    let own = json!({"preset": "groq", "name": "fast", "base_url": "https://proxy.example/v1"});
    let own = operator.post_json(&format!("{ADMIN}/providers"), own).await;
    assert_eq!((&own.json["name"], &own.json["base_url"]), (&json!("fast"), &json!("https://proxy.example/v1")));
    let patched = operator.patch(&format!("{ADMIN}/providers/fast"), json!({"preset": "openai"})).await;
    assert_refused(&patched, "400 Bad Request", "invalid_body");
    assert_eq!(patched.json["error"]["param"], "preset");
}

#[tokio::test]
async fn a_setup_has_a_budget() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body = json!({
        "organization": {"name": "hooli"}, "user": {"name": "gavin"}, "key": {"name": "first"}, "credits": {"amount": 5},
        "provider": {"name": "dev", "models": ["dev-chat"]}, "aliases": {"fast": "dev-chat"},
    });
    operator.post_json(SETUP, body.clone()).await;
    let repeated = app.costs(operator.post_json(SETUP, body)).await;
    let reads = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
    assert_eq!(repeated.0.keys().collect::<Vec<_>>(), reads, "a repeat only reads");
    assert!(repeated.calls() <= 14, "{repeated}");
}
