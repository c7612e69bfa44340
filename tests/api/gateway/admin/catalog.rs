//! Administration of models, aliases, providers, plans and the maintenance mode.

use futures::future::join_all;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use store::Catalog;
use tests::TestApp;
use tests::client::send;
use tests::provider::{Behaviour, FakeProvider};

use super::{ADMIN, assert_refused, last_audit_entry, provider, small_model};
use crate::gateway::chat;

const MODELS: &str = "/gateway/v1/admin/models";
const PROVIDERS: &str = "/gateway/v1/admin/providers";

#[tokio::test]
async fn a_provider_never_shows_its_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let secret = "sk-live-0123456789abcdef";
    let mut body = provider();
    body["api_key"] = json!(secret);
    let made = operator.post_json(PROVIDERS, body).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    assert_json_snapshot!(made.json);
    let entry = last_audit_entry(&app).await;
    assert_json_snapshot!(entry, {
        ".id" => "[id]", ".actor.org" => "[org]", ".actor.user" => "[user]", ".actor.api_key" => "[key]", ".request_id" => "[request]", ".at" => "[time]",
    });
    let path = format!("{PROVIDERS}/mock");
    let patch = json!({"base_url": null, "headers": {"x-team": "ml"}, "timeouts": {"idle_ms": 5_000}});
    let patched = operator.patch(&path, patch).await;
    assert_eq!(patched.json["api_key_last4"], "cdef", "an omitted key stays: {}", patched.text);
    assert_eq!((&patched.json["base_url"], &patched.json["timeouts"]["idle_ms"]), (&Value::Null, &json!(5_000)));
    assert!(patched.json["version"].as_u64() > made.json["version"].as_u64());
    let keyless = operator.patch(&path, json!({"api_key": null})).await;
    assert_eq!(keyless.json.get("api_key_last4"), Some(&Value::Null), "{}", keyless.text);
    operator.patch(&path, json!({"api_key": secret})).await;

    for answer in
        [operator.get(PROVIDERS).await, operator.get(&path).await, operator.get(&format!("{ADMIN}/audit")).await]
    {
        assert!(answer.text.contains("mock"), "{}", answer.text);
        assert!(!answer.text.contains(secret) && !answer.text.contains("ciphertext"), "{}", answer.text);
    }
    let stored = Catalog::new(&app.platform.context()).unwrap().read().await.unwrap();
    assert!(stored.providers.contains_key("mock"));
    assert!(!format!("{stored:?}").contains(secret));
    assert_eq!(operator.delete(&path).await.status, "204 No Content");
    assert_refused(&operator.delete(&path).await, "404 Not Found", "provider_not_found");
    assert_refused(&operator.get(&path).await, "404 Not Found", "provider_not_found");
}

#[tokio::test]
async fn a_new_model_is_called_with_the_sealed_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let fake = FakeProvider::start().await;
    let mut settings = provider();
    settings["base_url"] = json!(fake.base_url);
    let answer = json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "mock-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    });
    fake.then_respond(Behaviour::json(200, answer));
    assert_eq!(operator.post_json(PROVIDERS, settings).await.status, "201 Created");
    let model = json!({
        "name": "bench", "display_name": "Bench", "type": "Others", "capabilities": ["chat", "streaming", "tools"],
        "context_window": 32768, "max_output_tokens": 256, "pricing": {"input": "0.10", "output": "0.40"},
        "deployments": [{"provider": "mock", "model": "mock-model"}],
    });
    let made = operator.post_json(MODELS, model).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    assert_json_snapshot!(made.json);
    let entry = last_audit_entry(&app).await;
    assert_eq!(
        (&entry["action"], &entry["target"], &entry["before"]),
        (&json!("model.create"), &json!("bench"), &Value::Null)
    );
    assert_eq!(entry["after"], made.json);

    assert_eq!(chat(&app.key_client("ada"), "bench").await.status, "200 OK");
    let asked = &fake.take_requests()[0];
    assert_eq!(
        (asked.headers["authorization"].to_str().unwrap(), &asked.body["model"]),
        ("Bearer sk-mock", &json!("mock-model"))
    );
    let seen = app.key_client("ada").get("/gateway/v1/models/bench").await;
    assert!(seen.json["created"].as_i64() > Some(1_700_000_000), "{}", seen.text);
    assert_refused(&operator.delete(&format!("{PROVIDERS}/mock")).await, "409 Conflict", "provider_in_use");
}

#[tokio::test]
async fn a_patch_of_a_model_is_exact_and_creates_a_new_version() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let made = operator.post_json(MODELS, small_model("vendor/small-1")).await;
    let path = format!("{MODELS}/vendor/small-1");
    let patch = json!({
        "pricing": {"input": "9999.999999", "cached_input": 0.000001}, "defaults": {"temperature": 0.2},
        "on_disconnect": "drain", "display_name": "Small",
    });
    let patched = operator.patch(&path, patch).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
    assert!(patched.text.contains(r#""pricing":{"input":9999.999999,"output":0.4,"cached_input":0.000001,"#));
    assert_eq!(patched.json["version"].as_u64(), made.json["version"].as_u64().map(|version| version + 1));
    assert_eq!(
        (&patched.json["on_disconnect"], &patched.json["capabilities"]),
        (&json!("drain"), &made.json["capabilities"])
    );
    let entry = last_audit_entry(&app).await;
    assert_eq!((&entry["before"], &entry["after"]), (&made.json, &patched.json));

    let undone =
        operator.patch(&path, json!({"pricing": {"cached_input": null}, "defaults": {"temperature": null}})).await;
    assert_eq!((undone.json["pricing"].get("cached_input"), &undone.json["defaults"]), (None, &json!({})));
    let etag = undone.header("etag").unwrap().to_owned();
    assert_eq!(operator.get(&path).await.header("etag"), Some(etag.as_str()));
    let with = |etag: &str| {
        send(operator.request(Method::PATCH, &path).header("If-Match", etag).json(&json!({"display_name": "S"})))
    };
    assert_eq!(with(&etag).await.status, "200 OK");
    assert_refused(&with(&etag).await, "412 Precondition Failed", "precondition_failed");
    assert_refused(&operator.get(&format!("{MODELS}/vendor/other")).await, "404 Not Found", "model_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_are_all_kept_and_audited() {
    let app = TestApp::start().await;
    let operator = app.operator();
    operator.post_json(MODELS, small_model("busy")).await;
    let path = format!("{MODELS}/busy");
    let patches = (0..6).map(|i| match i {
        0 => json!({"display_name": "Busy"}),
        1 => json!({"provider": "us"}),
        2 => json!({"context_window": 1_000}),
        3 => json!({"pricing": {"output": 7}}),
        4 => json!({"on_disconnect": "drain"}),
        _ => json!({"defaults": {"seed": 1}}),
    });
    let answers = join_all(patches.map(|patch| operator.patch(&path, patch))).await;
    let mut versions: Vec<_> = answers.iter().map(|answer| answer.json["version"].as_u64()).collect();
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len(), 6, "each change has its own version");
    let now = operator.get(&path).await.json;
    assert_eq!(
        (&now["display_name"], &now["provider"], &now["context_window"]),
        (&json!("Busy"), &json!("us"), &json!(1_000))
    );
    assert_eq!(
        (&now["pricing"]["output"], &now["on_disconnect"], &now["defaults"]),
        (&json!(7), &json!("drain"), &json!({"seed": 1}))
    );
    assert_eq!(operator.get(&format!("{ADMIN}/audit")).await.column("action").len(), 7);
}

#[tokio::test]
async fn marks_of_the_cache_are_shown_and_need_a_provider_that_takes_them() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let claude = json!({"name": "claude", "kind": "anthropic", "api_key": "sk-mock"});
    let bedrock = json!({"name": "aws", "kind": "bedrock", "region": "eu-west-1"});
    for provider in [claude, bedrock] {
        assert_eq!(operator.post_json(PROVIDERS, provider).await.status, "201 Created");
    }
    let model = |name: &str, provider: &str, id: &str| {
        let mut body = small_model(name);
        body["prompt_cache"] = json!({"system": true, "last_turn": true});
        body["deployments"] = json!([{"provider": "dev", "model": "dev-chat"}, {"provider": provider, "model": id}]);
        body
    };
    let marks = json!({"tools": false, "system": true, "last_turn": true, "one_hour": false});
    let made = operator.post_json(MODELS, model("marked", "claude", "claude-sonnet-4-5")).await;
    assert_eq!((made.status.as_str(), &made.json["prompt_cache"]), ("201 Created", &marks), "{}", made.text);
    let path = format!("{MODELS}/marked");
    assert_eq!(operator.get(&path).await.json["prompt_cache"], marks);
    let patched = operator.patch(&path, json!({"display_name": "Marked"})).await;
    assert_eq!((&patched.json["display_name"], &patched.json["prompt_cache"]), (&json!("Marked"), &marks));
    let patched = operator.patch(&path, json!({"prompt_cache": {"one_hour": true}})).await;
    assert_eq!(patched.json["prompt_cache"]["one_hour"], true, "{}", patched.text);
    let nova = operator.post_json(MODELS, model("nova", "aws", "amazon.nova-pro-v1:0")).await;
    assert_eq!(nova.status, "201 Created", "{}", nova.text);

    let without = json!({"deployments": [{"provider": "dev", "model": "dev-chat"}]});
    let refused = [
        operator.post_json(MODELS, model("other", "dev", "dev-chat")).await,
        operator.post_json(MODELS, model("llama", "aws", "meta.llama3-70b-instruct-v1:0")).await,
        operator.patch(&path, without.clone()).await,
    ];
    for answer in refused {
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert_eq!(answer.json["error"]["param"], "prompt_cache");
        let message = answer.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("none of the model's deployments takes marks; leave it out"), "{message}");
    }
    let mut patch = without;
    patch["prompt_cache"] = Value::Null;
    let patched = operator.patch(&path, patch).await;
    assert_eq!(patched.json["prompt_cache"]["system"], false, "{}", patched.text);
}

#[tokio::test]
async fn variants_of_a_model_are_set_and_read_back() {
    let app = TestApp::start().await;
    let operator = app.operator();
    operator.post_json(PROVIDERS, provider()).await;
    let mut body = small_model("reasoner");
    body["unsupported_parameters"] = json!(["temperature", "top_p", "temperature"]);
    body["max_tokens_parameter"] = json!("max_completion_tokens");
    body["deployments"] = json!([
        {"provider": "mock", "model": "o3", "dialect": "responses", "cost": {"input": 1, "output": "2.5"}},
        {"provider": "dev", "model": "dev-chat", "cost": {"input": 0, "output": 0}},
    ]);
    body["routing"] = json!({"strategy": "cost", "max_attempts": 6});
    let made = operator.post_json(MODELS, body.clone()).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    assert_eq!(made.json["unsupported_parameters"], json!(["temperature", "top_p"]));
    let dialects = |json: &Value| [0, 1].map(|place: usize| json["deployments"][place]["dialect"].clone());
    assert_eq!(dialects(&made.json), ["responses", "chat_completions"]);
    assert!(made.text.contains(r#""cost":{"input":1,"output":2.5}"#), "{}", made.text);
    let routing = json!({"strategy": "cost", "max_attempts": 6, "attempts_per_deployment": 2,
        "cooldown_after": 3, "cooldown_seconds": 10});
    assert_eq!(made.json["routing"], routing);
    let path = format!("{MODELS}/reasoner");
    let patched = operator.patch(&path, json!({"display_name": "R"})).await;
    assert_eq!(patched.json["unsupported_parameters"], made.json["unsupported_parameters"]);
    assert_eq!((&patched.json["routing"], &patched.json["deployments"]), (&routing, &made.json["deployments"]));
    assert_eq!((dialects(&patched.json), operator.get(&path).await.json), (dialects(&made.json), patched.json.clone()));

    for (field, value, param) in [
        (
            "deployments",
            json!([{"provider": "dev", "model": "dev-chat", "dialect": "responses"}]),
            "deployments[0].dialect",
        ),
        ("deployments", json!([{"provider": "mock", "model": "o3", "dialect": "soap"}]), "deployments[0].dialect"),
        ("unsupported_parameters", json!(["messages"]), "unsupported_parameters[0]"),
    ] {
        let refused = operator.patch(&path, json!({field: value})).await;
        assert_refused(&refused, "400 Bad Request", "invalid_body");
        assert_eq!(refused.json["error"]["param"], param, "{}", refused.text);
    }
}

#[tokio::test]
async fn invalid_models_and_providers_are_refused_by_field() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let with = |mut body: Value, changes: Value| {
        json_merge(&mut body, &changes);
        body
    };
    let wrong_models = [
        (json!({"name": ""}), "name"),
        (json!({"name": "a b"}), "name"),
        (json!({"name": "/a"}), "name"),
        (json!({"name": "aliases"}), "name"),
        (json!({"colour": "red"}), "colour"),
        (json!({"type": "Other"}), "type"),
        (json!({"capabilities": []}), "capabilities"),
        (json!({"capabilities": ["telepathy"]}), "capabilities[0]"),
        (json!({"capabilities": ["embeddings"]}), "capabilities"),
        (json!({"max_output_tokens": 0}), "max_output_tokens"),
        (json!({"pricing": {"input": "0.0000001"}}), "pricing.input"),
        (json!({"pricing": {"output": 10_000.000001}}), "pricing.output"),
        (json!({"pricing": {"cached_input": -1}}), "pricing.cached_input"),
        (json!({"deployments": []}), "deployments"),
        (json!({"deployments": [{"provider": "nobody", "model": "x"}]}), "deployments[0].provider"),
        (json!({"deployments": [{"provider": "dev", "model": ""}]}), "deployments[0].model"),
        (json!({"deployments": [{"provider": "dev", "model": "x", "weight": 0}]}), "deployments[0].weight"),
        (json!({"deployments": [{"provider": "dev", "model": "x", "priority": -1}]}), "deployments[0].priority"),
        (json!({"defaults": {"temperature": 3}}), "defaults.temperature"),
        (json!({"defaults": {"messages": []}}), "defaults.messages"),
        (json!({"defaults": {"max_tokens": 257}}), "defaults.max_tokens"),
        (json!({"deprecated_at": "2030-01-02T00:00:00Z", "retires_at": "2030-01-01T00:00:00Z"}), "retires_at"),
        (json!({"retires_at": "soon"}), "retires_at"),
        (json!({"on_disconnect": "hang"}), "on_disconnect"),
        (json!({"routing": {"strategy": "random"}}), "routing.strategy"),
        (json!({"routing": {"max_attempts": 0}}), "routing.max_attempts"),
        (json!({"routing": {"cooldown_seconds": 3601}}), "routing.cooldown_seconds"),
        (json!({"routing": {"strategy": "cost"}}), "deployments[0].cost"),
        (
            json!({"deployments": [{"provider": "dev", "model": "x", "cost": {"input": "0.0000001", "output": 1}}]}),
            "deployments[0].cost.input",
        ),
    ];
    let wrong_providers = [
        (json!({"name": "a/b"}), "name"),
        (json!({"kind": "telepathy"}), "kind"),
        (json!({"base_url": "ftp://example.com"}), "base_url"),
        (json!({"base_url": "example.com/v1"}), "base_url"),
        (json!({"base_url": "https://user:password@example.com"}), "base_url"),
        (json!({"api_key": ""}), "api_key"),
        (json!({"api_key": "a b"}), "api_key"),
        (json!({"api_key": 7}), "api_key"),
        (json!({"auth_header": "a b"}), "auth_header"),
        (json!({"headers": {"Authorization": "Bearer x"}}), "headers.Authorization"),
        (json!({"headers": {"x-team": "a\nb"}}), "headers.x-team"),
        (json!({"timeouts": {"idle_ms": 1}}), "timeouts.idle_ms"),
        (json!({"timeouts": {"idle_s": 1}}), "timeouts.idle_s"),
    ];
    let models = wrong_models.into_iter().map(|(changes, field)| (MODELS, with(small_model("m"), changes), field));
    let providers = wrong_providers.into_iter().map(|(changes, field)| (PROVIDERS, with(provider(), changes), field));
    for (path, body, field) in models.chain(providers) {
        let answer = operator.post_json(path, body.clone()).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        let message = answer.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(field), "{body}: {message}");
    }
    for body in [json!([]), json!({"name": "other"}), json!({"type": null})] {
        operator.post_json(MODELS, small_model("m")).await;
        assert_refused(&operator.patch(&format!("{MODELS}/m"), body).await, "400 Bad Request", "invalid_body");
    }
    assert_refused(&operator.post_json(MODELS, small_model("m")).await, "409 Conflict", "model_exists");
    let text = operator.request(Method::POST, MODELS).header("Content-Type", "text/plain").body("{}");
    assert_refused(&send(text).await, "415 Unsupported Media Type", "unsupported_media_type");
}

/// Merges changes into a test's body (JSON merge patch, RFC 7396, without removals).
fn json_merge(body: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().into_iter().flatten() {
        if value.is_object() && body[name].is_object() {
            json_merge(&mut body[name], value);
        } else {
            body[name] = value.clone();
        }
    }
}

#[tokio::test]
async fn an_alias_resolves_to_a_model_and_never_conflicts_with_one() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let alias = format!("{ADMIN}/aliases/fast/chat");
    let made = operator.put(&alias, json!({"model": "dev-chat"})).await;
    assert_eq!((made.status.as_str(), &made.json), ("200 OK", &json!({"alias": "fast/chat", "model": "dev-chat"})));
    let ada = app.key_client("ada");
    let seen = ada.get("/gateway/v1/models/fast/chat").await;
    assert_eq!((&seen.json["id"], seen.header("x-alias-of")), (&json!("dev-chat"), Some("dev-chat")));
    assert_eq!(ada.get("/gateway/v1/models/aliases").await.json["data"], json!([made.json]));
    let called = chat(&ada, "fast/chat").await;
    assert_eq!((called.status.as_str(), called.header("x-alias-of")), ("200 OK", Some("dev-chat")));

    assert_refused(&operator.delete(&format!("{MODELS}/dev-chat")).await, "409 Conflict", "model_in_use");
    assert_refused(&operator.put(&alias, json!({"model": "nobody"})).await, "400 Bad Request", "invalid_body");
    assert_refused(
        &operator.put(&format!("{ADMIN}/aliases/dev-embed"), json!({"model": "dev-chat"})).await,
        "409 Conflict",
        "model_exists",
    );
    assert_refused(&operator.post_json(MODELS, small_model("fast/chat")).await, "409 Conflict", "model_exists");
    assert_eq!(operator.delete(&alias).await.status, "204 No Content");
    assert_refused(&operator.delete(&alias).await, "404 Not Found", "alias_not_found");
    let entry = last_audit_entry(&app).await;
    assert_eq!(
        (&entry["action"], &entry["before"], &entry["after"]),
        (&json!("alias.delete"), &made.json, &Value::Null)
    );
}

#[tokio::test]
async fn a_plan_limits_what_its_organizations_may_use() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/plans/small");
    let body = json!({"name": "Small", "models": ["dev-chat"], "has_rate_limits": true, "limits": {"key": {"rpm": 2}}});
    let made = operator.put(&path, body.clone()).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    assert_json_snapshot!(made.json);
    assert_eq!(operator.get(&path).await.json, made.json);
    assert_eq!(operator.put(&path, body).await.status, "200 OK");
    assert_eq!(last_audit_entry(&app).await["before"], made.json);
    assert_eq!(operator.get(&format!("{ADMIN}/plans")).await.column("id"), ["default", "small"]);

    let me = app.key_client("eve").get("/gateway/v1/me").await;
    let org = format!("{ADMIN}/orgs/{}", me.json["org"]["id"].as_str().unwrap());
    assert_refused(&operator.patch(&org, json!({"plan": "none"})).await, "400 Bad Request", "invalid_body");
    assert_eq!(operator.patch(&org, json!({"plan": "small"})).await.json["plan"], "small");
    let eve = app.key_client("eve");
    assert_eq!(eve.get("/gateway/v1/models").await.column("id"), ["dev-chat"]);
    assert_refused(&chat(&eve, "dev-embed").await, "404 Not Found", "model_not_found");
    for status in ["200 OK", "200 OK", "429 Too Many Requests"] {
        assert_eq!(chat(&eve, "dev-chat").await.status, status);
    }
    // A user's own key cannot exceed the limits of the plan.
    let person = app.person_of("eve", "globex", domain::identity::Role::Admin);
    let wide = person.post_json("/gateway/v1/me/api-keys", json!({"name": "x", "limits": {"rpm": 3}})).await;
    assert_eq!(wide.json["error"]["param"], "limits.rpm");
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x", "limits": {"org": {"rps": 1}}}), "limits.org.rps"),
    ] {
        let answer = operator.put(&path, body).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert!(answer.json["error"]["message"].as_str().unwrap().starts_with(field), "{}", answer.text);
    }
    assert_refused(&operator.get(&format!("{ADMIN}/plans/none")).await, "404 Not Found", "plan_not_found");
}

#[tokio::test]
async fn limits_of_a_plan_are_enforced_or_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/plans/tight");
    let with = |has_rate_limits: Value, limits: Value| {
        let mut body = json!({"name": "Tight", "has_rate_limits": has_rate_limits, "limits": limits});
        body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        body
    };
    let limits = json!({"user": {"rpm": 1}});
    for (has_rate_limits, limits, expected) in [
        (Value::Null, Value::Null, false),
        (Value::Null, json!({"user": {"rpm": null}}), false),
        (json!(true), Value::Null, true),
        (json!(false), json!({}), false),
        (Value::Null, limits.clone(), true),
    ] {
        let put = operator.put(&path, with(has_rate_limits, limits)).await;
        assert_eq!(put.json["has_rate_limits"], expected, "{}", put.text);
    }
    let refused = operator.put(&path, with(json!(false), limits)).await;
    assert_refused(&refused, "400 Bad Request", "invalid_body");
    assert_eq!(refused.json["error"]["param"], "has_rate_limits");

    let org = app.key_client("eve").get("/gateway/v1/me").await.json["org"]["id"].as_str().unwrap().to_owned();
    operator.patch(&format!("{ADMIN}/orgs/{org}"), json!({"plan": "tight"})).await;
    let eve = app.key_client("eve");
    assert_eq!(eve.get("/gateway/v1/me").await.json["plan"]["has_rate_limits"], true);
    for status in ["200 OK", "429 Too Many Requests"] {
        assert_eq!(chat(&eve, "dev-chat").await.status, status);
    }
}

#[tokio::test]
async fn during_maintenance_only_operators_are_served() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/maintenance");
    assert_eq!(operator.get(&path).await.json["on"], false);
    let put = operator.put(&path, json!({"on": true, "message": "back at nine", "retry_after_s": 90})).await;
    assert_eq!(put.json, json!({"on": true, "message": "back at nine", "retry_after_s": 90}));
    let ada = app.key_client("ada");
    let answers = [
        ada.get("/gateway/v1/models").await,
        ada.get("/gateway/v1/me").await,
        ada.get("/gateway/v1/billing/balance").await,
        chat(&ada, "dev-chat").await,
        app.person_of("ada", "acme", domain::identity::Role::Admin).get("/gateway/v1/me").await,
    ];
    for answer in &answers {
        assert_eq!(answer.status, "503 Service Unavailable", "{}", answer.text);
        assert_eq!(answer.json["error"]["type"], "maintenance_error");
        assert_eq!(answer.json["error"]["message"], "back at nine");
        assert_eq!((answer.header("retry-after"), answer.header("retry-after-ms")), (Some("90"), Some("90000")));
    }
    assert_eq!(chat(&operator, "dev-chat").await.status, "200 OK");
    assert_eq!(operator.get("/gateway/v1/models").await.status, "200 OK");
    let off = operator.put(&path, json!({"on": false})).await;
    assert_eq!((&off.json["on"], last_audit_entry(&app).await["before"]["on"].clone()), (&json!(false), json!(true)));
    let wrong = operator.put(&path, json!({"on": true, "retry_after_s": 0})).await;
    assert_eq!(wrong.json["error"]["param"], "retry_after_s");
}
