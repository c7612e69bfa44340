//! The facts of well-known models, the models that a provider lists, and the import of models.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person};
use tests::provider::{Behaviour, FakeProvider};

use super::{ADMIN, assert_refused, small_model};
use crate::gateway::chat;

const FACTS: &str = "/gateway/v1/admin/models/facts";
const IMPORT: &str = "/gateway/v1/admin/models/import";

/// Adds a provider of this kind at this address.
async fn add_provider(operator: &Person, name: &str, kind: &str, base_url: &str) {
    let body = json!({"name": name, "kind": kind, "base_url": base_url, "api_key": "sk-x"});
    let made = operator.post_json(&format!("{ADMIN}/providers"), body).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
}

/// A platform with the provider `vendor`, which nobody calls.
async fn app_with_provider() -> TestApp {
    let app = TestApp::start().await;
    add_provider(&app.operator(), "vendor", "openai", "http://127.0.0.1:9/v1").await;
    app
}

/// The outcomes of an import, with the codes of the errors.
fn outcomes(answer: &Answer) -> Vec<(&str, &str)> {
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let results = answer.json["data"].as_array().unwrap().iter();
    results
        .map(|result| {
            assert_eq!(result["outcome"] == "refused", result["error"]["code"].is_string(), "{result}");
            (result["outcome"].as_str().unwrap(), result["error"]["code"].as_str().unwrap_or_default())
        })
        .collect()
}

async fn audited_models(operator: &Person) -> Vec<String> {
    let audit = operator.get(&format!("{ADMIN}/audit?action=model.create&limit=100")).await;
    audit.column("target").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_list_of_each_form_has_the_facts_and_the_models_of_the_catalog() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    for (kind, path, answer, known, output) in [
        (
            "openai",
            "/models",
            json!({"object": "list", "data": [{"id": "gpt-5-mini-2025-08-07"}, {"id": "gpt-99"}]}),
            "gpt-5-mini",
            json!(2),
        ),
        (
            "anthropic",
            "/v1/models",
            json!({"data": [{"id": "claude-haiku-4-5-20251001", "type": "model"}, {"id": "gpt-99"}], "has_more": false}),
            "claude-haiku-4-5",
            json!(5),
        ),
        (
            "gemini",
            "/v1beta/models",
            json!({"models": [{"name": "models/gemini-2.5-flash-lite"}, {"name": "models/gpt-99"}]}),
            "gemini-2.5-flash-lite",
            json!(0.4),
        ),
    ] {
        fake.respond_at(path, Behaviour::json(200, answer));
        add_provider(&operator, kind, kind, &fake.base_url).await;
        let listed = operator.get(&format!("{ADMIN}/providers/{kind}/models")).await;
        let [first, second] = &listed.json["data"].as_array().unwrap()[..] else { panic!("{}", listed.text) };
        assert_eq!((&first["known"]["id"], &first["known"]["pricing"]["output"]), (&json!(known), &output), "{first}");
        assert_eq!((&second["id"], &second["known"]), (&json!("gpt-99"), &Value::Null));
        assert_eq!(first["catalog"], json!([]));

        let id = first["id"].as_str().unwrap();
        let models = json!([{"id": id, "name": format!("{kind}-a")}, {"id": id, "name": format!("{kind}-b")}]);
        let imported = operator.post_json(IMPORT, json!({"provider": kind, "models": models})).await;
        assert_eq!(outcomes(&imported), [("created", ""); 2], "{}", imported.text);
        let listed = operator.get(&format!("{ADMIN}/providers/{kind}/models")).await;
        assert_eq!(listed.json["data"][0]["catalog"], json!([format!("{kind}-a"), format!("{kind}-b")]));
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_an_error_that_says_why() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    add_provider(&operator, "down", "openai", "http://127.0.0.1:9/v1").await;
    let down = operator.get(&format!("{ADMIN}/providers/down/models")).await;
    assert_refused(&down, "502 Bad Gateway", "destination_unreachable");
    add_provider(&operator, "huge", "openai", &fake.base_url).await;
    let names: Vec<_> = (0..40_000).map(|i| json!({"id": format!("{}-{i}", "x".repeat(150))})).collect();
    fake.respond_at("/models", Behaviour::json(200, json!({"data": names})));
    let huge = operator.get(&format!("{ADMIN}/providers/huge/models")).await;
    assert_refused(&huge, "502 Bad Gateway", "response_too_large");
    let names: Vec<_> = (0..2_500).map(|i| json!({"id": format!("model-{i}")})).collect();
    fake.respond_at("/models", Behaviour::json(200, json!({"data": names})));
    let cut = operator.get(&format!("{ADMIN}/providers/huge/models")).await;
    assert_eq!((cut.status.as_str(), cut.json["data"].as_array().map(Vec::len)), ("200 OK", Some(2_000)));
    let unknown = operator.get(&format!("{ADMIN}/providers/nobody/models")).await;
    assert_refused(&unknown, "404 Not Found", "provider_not_found");
    let bedrock = json!({"preset": "bedrock", "region": "eu-west-3"});
    assert_eq!(operator.post_json(&format!("{ADMIN}/providers"), bedrock).await.status, "201 Created");
    let unlisted = operator.get(&format!("{ADMIN}/providers/bedrock/models")).await;
    assert_refused(&unlisted, "400 Bad Request", "parameter_not_supported");
    assert!(unlisted.text.contains("take the names of models"), "{}", unlisted.text);
}

#[tokio::test]
async fn facts_are_searched_and_paged() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let found = operator.get(&format!("{FACTS}?search=GPT-5%20mini")).await;
    assert_eq!(found.column("id"), ["gpt-5-mini"], "{}", found.text);
    assert!(found.text.contains(r#""pricing":{"input":0.25,"output":2,"cached_input":0.025,"#), "{}", found.text);
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = operator.get(&format!("{FACTS}?limit=7{cursor}")).await;
        assert_eq!(page.status, "200 OK", "{}", page.text);
        ids.extend(page.column("id").into_iter().map(str::to_owned));
        match page.json["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert!(ids.len() >= 40 && ids.is_sorted(), "{ids:?}");
    let whole = operator.get(&format!("{FACTS}?limit=100")).await;
    assert_eq!(whole.column("id"), ids);
    assert_eq!(operator.get(&format!("{FACTS}?search=no-such-model")).await.json["data"], json!([]));
    for query in ["limit=0", "limit=101", "cursor=x", "colour=red", &format!("search={}", "x".repeat(201))] {
        let refused = operator.get(&format!("{FACTS}?{query}")).await;
        assert_refused(&refused, "400 Bad Request", "invalid_query");
    }
}

#[tokio::test]
async fn imported_models_answer_at_the_known_price() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    add_provider(&operator, "vendor", "openai", &fake.base_url).await;
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100});
    fake.respond_with(Behaviour::json(200, json!({"id": "x", "choices": [choice], "usage": usage})));

    let body = json!({"provider": "vendor", "models": [{"id": "gpt-5-mini"}, {"id": "o3", "name": "vendor/thinker"}]});
    let made = operator.post_json(IMPORT, body.clone()).await;
    assert_eq!(outcomes(&made), [("created", ""); 2]);
    assert_eq!(made.column("name"), ["gpt-5-mini", "vendor/thinker"]);
    let model = operator.get(&format!("{ADMIN}/models/vendor/thinker")).await;
    let expected = json!({
        "name": "vendor/thinker", "display_name": "o3", "type": "Others", "provider": "OpenAI",
        "capabilities": ["chat", "streaming", "tools", "vision", "json_mode", "json_schema", "reasoning"],
        "context_window": 200_000, "max_output_tokens": 100_000, "max_tokens_parameter": "max_completion_tokens",
        "pricing": {"input": 2, "output": 8, "cached_input": 0.5, "unit": "1M_tokens", "currency": "USD"},
        "deployments": [
            {"provider": "vendor", "model": "o3", "weight": 1, "priority": 0, "dialect": "chat_completions"},
        ],
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(model.json[field], *value, "{field}");
    }
    let answer = chat(&app.key_client("ada"), "gpt-5-mini").await;
    // 1,000 tokens at 0.25 and 100 at 2 US dollars per million.
    assert_eq!(
        (answer.status.as_str(), answer.header("x-request-cost")),
        ("200 OK", Some("0.00045")),
        "{}",
        answer.text
    );

    assert_eq!(audited_models(&operator).await, ["vendor/thinker", "gpt-5-mini"]);
    let entry = super::last_audit_entry(&app).await;
    assert_eq!((&entry["before"], &entry["after"]), (&Value::Null, &model.json));

    // A repetition changes nothing, not even what was changed since.
    operator.patch(&format!("{ADMIN}/models/gpt-5-mini"), json!({"pricing": {"output": 3}})).await;
    let before = operator.get(&format!("{ADMIN}/models/gpt-5-mini")).await.json;
    assert_eq!(outcomes(&operator.post_json(IMPORT, body).await), [("exists", ""); 2]);
    assert_eq!(operator.get(&format!("{ADMIN}/models/gpt-5-mini")).await.json, before);
    assert_eq!(audited_models(&operator).await.len(), 2);
}

/// At OpenAI's own address, its models that reason are called in the dialect that keeps their reasoning.
#[tokio::test]
async fn an_import_sets_the_variant_of_a_model() {
    let app = app_with_provider().await;
    let operator = app.operator();
    add_provider(&operator, "openai", "openai", "https://api.openai.com/v1").await;
    let import = |provider: &str, prefix: &str| {
        let model = |id: &str| json!({"id": id, "name": format!("{prefix}{id}")});
        json!({"provider": provider, "models": [model("o3"), model("gpt-5.5"), model("gpt-4o")]})
    };
    for (provider, prefix) in [("openai", ""), ("vendor", "vendor/")] {
        let made = operator.post_json(IMPORT, import(provider, prefix)).await;
        assert_eq!(outcomes(&made), [("created", ""); 3]);
    }
    let model = async |name: &str| operator.get(&format!("{ADMIN}/models/{name}")).await.json;
    for (name, dialect, refuses_temperature) in [
        ("o3", "responses", true),
        ("gpt-5.5", "responses", false),
        ("gpt-4o", "chat_completions", false),
        ("vendor/o3", "chat_completions", true),
    ] {
        let model = model(name).await;
        assert_eq!(model["deployments"][0]["dialect"], dialect, "{name}");
        let refused = model["unsupported_parameters"].as_array().unwrap();
        assert_eq!(refused.contains(&json!("temperature")), refuses_temperature, "{name}");
    }
    let facts = operator.get(&format!("{FACTS}?search=o3")).await.json["data"][0].clone();
    assert_eq!((&facts["dialect"], &facts["unsupported_parameters"][0]), (&json!("responses"), &json!("temperature")));
}

#[tokio::test]
async fn each_model_of_an_import_is_decided_alone() {
    let app = app_with_provider().await;
    let operator = app.operator();
    operator.post_json(&format!("{ADMIN}/models"), small_model("taken")).await;
    operator.put(&format!("{ADMIN}/aliases/nickname"), json!({"model": "taken"})).await;
    let pricing = json!({"pricing": {"input": "0.5", "output": 1}});
    let models = json!([
        {"id": "gpt-5"},
        {"id": "gpt-5", "name": "gpt-5"},
        {"id": "o3", "name": "taken"},
        {"id": "o3", "name": "nickname"},
        {"id": "own-chat"},
        {"id": "own-chat", "name": "priced", "overrides": pricing},
        {"id": "own-chat", "name": "half", "overrides": {"pricing": {"input": 1}}},
        {"id": "whisper-9", "overrides": pricing},
        {"id": "a b", "overrides": pricing},
        {"id": "o3", "name": "facts"},
        {"id": "o3", "name": "import"},
        {"id": "o3", "name": "other", "overrides": {"name": "x"}},
        {"id": "o3", "name": "other", "overrides": {"deployments": []}},
        {"id": "o3", "name": "other", "overrides": {"colour": null}},
        {"id": "o3", "name": "other", "overrides": {"pricing": [1, 2]}},
        {"id": "o3", "name": "other", "overrides": {"capabilities": ["flying"]}},
        {"id": "o3", "name": "other", "overrides": {"pricing": {"input": 20_000}}},
    ]);
    let answer = operator.post_json(IMPORT, json!({"provider": "vendor", "models": models})).await;
    let mut expected = vec![
        ("created", ""),
        ("exists", ""),
        ("exists", ""),
        ("exists", ""),
        ("refused", "facts_not_known"),
        ("created", ""),
        ("refused", "facts_not_known"),
        ("refused", "facts_not_known"),
    ];
    expected.extend([("refused", "invalid_body"); 9]);
    assert_eq!(outcomes(&answer), expected, "{}", answer.text);
    let message = |i: usize| answer.json["data"][i]["error"]["message"].as_str().unwrap();
    assert!(message(4).contains("pricing.input, pricing.output in its `overrides`"), "{}", message(4));
    assert!(message(6).contains("send pricing.output in"), "{}", message(6));
    assert!(message(7).contains("send type, capabilities in"), "{}", message(7));
    assert!(message(11).contains("name: cannot be overridden"), "{}", message(11));
    let priced = operator.get(&format!("{ADMIN}/models/priced")).await;
    assert_eq!(
        (&priced.json["pricing"]["input"], &priced.json["deployments"][0]["model"]),
        (&json!(0.5), &json!("own-chat"))
    );
    assert_eq!(audited_models(&operator).await, ["priced", "gpt-5", "taken"]);
}

#[tokio::test]
async fn overrides_of_a_model_replace_those_of_all_and_both_replace_the_facts() {
    let app = app_with_provider().await;
    let operator = app.operator();
    let body = json!({
        "provider": "vendor",
        "overrides": {"unsupported": "reject", "max_output_tokens": 1_000, "pricing": {"input": 9, "cached_input": null}},
        "models": [{"id": "o3"}, {"id": "gpt-5", "overrides": {"max_output_tokens": 2_000, "display_name": "Ours"}}],
    });
    assert_eq!(outcomes(&operator.post_json(IMPORT, body).await), [("created", ""); 2]);
    let o3 = operator.get(&format!("{ADMIN}/models/o3")).await.json;
    assert_eq!((&o3["unsupported"], &o3["max_output_tokens"]), (&json!("reject"), &json!(1_000)));
    assert_eq!((&o3["pricing"]["input"], &o3["pricing"]["output"]), (&json!(9), &json!(8)));
    assert_eq!(o3["pricing"].get("cached_input"), None);
    let gpt = operator.get(&format!("{ADMIN}/models/gpt-5")).await.json;
    assert_eq!((&gpt["max_output_tokens"], &gpt["display_name"]), (&json!(2_000), &json!("Ours")));

    let tiered = json!({"provider": "vendor", "models": [{"id": "gpt-5.4"}]});
    let noted = operator.post_json(IMPORT, tiered).await;
    assert!(noted.json["data"][0]["note"].as_str().unwrap().contains("above 272,000 tokens"), "{}", noted.text);
}

#[tokio::test]
async fn a_body_that_is_no_import_is_refused_as_a_whole() {
    let app = app_with_provider().await;
    let operator = app.operator();
    let many: Vec<_> = (0..101).map(|i| json!({"id": format!("m-{i}")})).collect();
    for (body, field) in [
        (json!({"provider": "vendor", "models": []}), "models"),
        (json!({"provider": "vendor", "models": many}), "models"),
        (json!({"provider": "vendor"}), "models"),
        (json!({"provider": "vendor", "models": [{"id": "o3", "price": 1}]}), "models[0].price"),
        (json!({"provider": "vendor", "models": [{"name": "o3"}]}), "models[0].id"),
        (json!({"provider": "vendor", "models": [{"id": "o3"}, {"id": ""}]}), "models[1].id"),
        (json!({"provider": "vendor", "models": [{"id": "o3", "name": "a b"}]}), "models[0].name"),
        (json!({"provider": "", "models": [{"id": "o3"}]}), "provider"),
        (json!({"provider": "vendor", "models": [{"id": "o3", "overrides": [1]}]}), "models[0].overrides"),
        (json!({"provider": "vendor", "models": [{"id": "o3"}], "force": true}), "force"),
    ] {
        let refused = operator.post_json(IMPORT, body).await;
        assert_refused(&refused, "400 Bad Request", "invalid_body");
        assert_eq!(refused.json["error"]["param"], field, "{}", refused.text);
    }
    let unknown = operator.post_json(IMPORT, json!({"provider": "nobody", "models": [{"id": "o3"}]})).await;
    assert_refused(&unknown, "404 Not Found", "provider_not_found");
    assert_eq!(operator.get(IMPORT).await.status, "405 Method Not Allowed");
    assert!(audited_models(&operator).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_at_the_same_time_add_each_model_once() {
    let app = app_with_provider().await;
    let operator = app.operator();
    let ids = ["gpt-5", "gpt-5-mini", "gpt-5-nano", "o3"];
    let body = |turn: usize| {
        let ids = ids.iter().cycle().skip(turn).take(ids.len());
        json!({"provider": "vendor", "models": ids.map(|id| json!({"id": id})).collect::<Vec<_>>()})
    };
    let answers = join_all((0..4).map(|turn| operator.post_json(IMPORT, body(turn)))).await;
    let all: Vec<_> = answers.iter().flat_map(outcomes).collect();
    assert_eq!(all.iter().filter(|(outcome, _)| *outcome == "created").count(), ids.len());
    assert_eq!(all.iter().filter(|(outcome, _)| *outcome == "exists").count(), 3 * ids.len());
    let mut audited = audited_models(&operator).await;
    audited.sort();
    assert_eq!(audited, ids);
}

#[tokio::test]
async fn facts_and_imports_keep_their_budgets() {
    let app = app_with_provider().await;
    let operator = app.operator();
    operator.get(FACTS).await;
    let facts = app.costs(operator.get(FACTS)).await.to_string();
    let mut models: Vec<_> = ["o3", "gpt-5", "gpt-5-mini"].map(|id| json!({"id": id})).into();
    models.extend((0..20).map(|i| json!({"id": format!("unknown-{i}")})));
    let body = json!({"provider": "vendor", "models": models});
    let first = app.costs(operator.post_json(IMPORT, body.clone())).await.to_string();
    let again = app.costs(operator.post_json(IMPORT, body)).await.to_string();
    insta::assert_snapshot!(format!("facts: {facts}\nimport: {first}\nagain: {again}"), @r#"
    facts: 1 dynamodb:BatchGetItem (5 units)
    import: 2 dynamodb:BatchGetItem (6 units), 4 dynamodb:Query (8 units), 3 dynamodb:TransactWriteItems (63 units), 3 sqs:SendMessage
    again: 2 dynamodb:BatchGetItem (6 units), 1 dynamodb:Query (3 units)
    "#);
}
