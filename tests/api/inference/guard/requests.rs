//! `POST /v1/guard` and `POST /v1/moderations`.

use domain::money::Money;
use insta::assert_json_snapshot;
use tests::client::send;
use tests::provider::Behaviour;

use super::*;

#[tokio::test]
async fn a_conversation_is_scored_for_each_active_category() {
    let app = TestApp::start().await;
    let customer = app.customer("scores", Money::from_usd(1)).await;
    let body = json!({"input": [
        {"role": "system", "content": "Be kind."},
        message("Te voy a matar"),
        {"role": "assistant", "content": null, "tool_calls": []},
    ]});
    let answer = post(&customer.person, GUARD, &body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, {".id" => "[id]"});
    assert!(answer.header("x-request-cost").is_some() && answer.header("x-credits-remaining").is_some());
    let (cost, calls) = app.sum_charges(customer.account.org).await;
    assert_eq!((cost.to_string(), calls), (answer.header("x-request-cost").unwrap().to_owned(), 1));
    // The empty message is free.
    let texts = json!({"input": [body["input"][0], body["input"][1]]});
    let same = post(&customer.person, GUARD, &texts).await;
    assert_eq!(same.header("x-request-cost"), answer.header("x-request-cost"));
}

#[tokio::test]
async fn moderations_have_openais_form() {
    let app = TestApp::start().await;
    let customer = app.customer("moderations", Money::from_usd(1)).await;
    let answer = post(&customer.person, MODERATIONS, &json!({"input": ["I want to die", "Good morning"]})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, {".id" => "[id]"});
    let one = post(&customer.person, MODERATIONS, &json!({"model": "dev-guard", "input": "Good morning"})).await;
    assert_eq!(one.json["results"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_repeated_key_gets_the_first_answer_and_one_event() {
    let app = TestApp::start().await;
    let customer = app.customer("repeated", Money::from_usd(1)).await;
    let send_with_key = async || {
        let request = customer.person.request(reqwest::Method::POST, GUARD).header("Idempotency-Key", "k1");
        send(request.json(&json!({"input": [message("hello")]}))).await
    };
    let (first, second) = (send_with_key().await, send_with_key().await);
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
    assert_eq!(events(&customer.person, "").await.len(), 1);
}

#[tokio::test]
async fn invalid_requests_and_unsuitable_models_are_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("refused", Money::from_usd(1)).await;
    for (path, body, param) in [
        (GUARD, json!({}), "input"),
        (GUARD, json!({"input": []}), "input"),
        (GUARD, json!({"input": vec![message("a"); 129]}), "input"),
        (GUARD, json!({"input": [{"role": "clown", "content": "a"}]}), "input[0].role"),
        (GUARD, json!({"input": [message("a")], "model": "dev-chat"}), "model"),
        (MODERATIONS, json!({"input": [{"type": "image_url", "image_url": {"url": "data:,"}}]}), "input"),
        (MODERATIONS, json!({"input": "a", "stream": true}), "stream"),
    ] {
        let answer = post(&customer.person, path, &body).await;
        assert_eq!(refusal(&answer), ("400", "invalid_body"), "{body}");
        assert_eq!(answer.json["error"]["param"], param, "{body}");
    }
    let unknown = post(&customer.person, GUARD, &json!({"input": [message("a")], "model": "none"})).await;
    assert_eq!(refusal(&unknown), ("404", "model_not_found"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
}

#[tokio::test]
async fn an_evaluation_needs_credits() {
    let app = TestApp::start().await;
    let poor = app.customer("poor", Money::ZERO).await;
    let answer = post(&poor.person, GUARD, &json!({"input": [message("a")]})).await;
    assert_eq!(refusal(&answer), ("402", "insufficient_credits"));
}

#[tokio::test]
async fn the_alias_guard_names_the_default_model() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"results": [{"category_scores": {}}]})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    let customer = app.customer("alias", Money::from_usd(1)).await;
    let body = json!({"input": [message("a")]});
    // Without an alias, or with one of another kind of model, it is the first guard model by name.
    for (alias, default) in [(None, "dev-guard"), (Some("watch"), "watch"), (Some("dev-chat"), "dev-guard")] {
        if let Some(model) = alias {
            let put = app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": model})).await;
            assert_eq!(put.status, "200 OK", "{}", put.text);
        }
        let (_, answer) = customer.call(&app.environment(), GUARD, &body).await;
        assert_eq!(answer["model"], default, "{answer}");
    }
}

/// OpenAI's SDKs send these names.
#[tokio::test]
async fn the_names_of_openais_moderation_models_mean_the_guard_of_the_plan() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"results": [{"category_scores": {}}]})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    let customer = app.customer("sdk", Money::from_usd(1)).await;
    let body = |model: &str| json!({"model": model, "input": "Good morning"});
    for name in ["omni-moderation-latest", "text-moderation-stable"] {
        let answer = post(&customer.person, MODERATIONS, &body(name)).await;
        assert_eq!((answer.status.as_str(), &answer.json["model"]), ("200 OK", &json!("dev-guard")), "{}", answer.text);
    }
    assert_eq!(
        refusal(&post(&customer.person, MODERATIONS, &body("omni-moderation-9")).await),
        ("404", "model_not_found")
    );
    app.operator().put("/gateway/v1/admin/aliases/omni-moderation-latest", json!({"model": "watch"})).await;
    let (_, answer) = customer.call(&app.environment(), MODERATIONS, &body("omni-moderation-latest")).await;
    assert_eq!(answer["model"], "watch", "an alias of the operator comes first: {answer}");
}

#[tokio::test]
async fn the_default_model_must_be_on_the_keys_list() {
    let app = TestApp::start().await;
    let list = Some(vec!["dev-chat".to_owned()]);
    let customer = app.customer_with_key("listed", Money::from_usd(1), |key| key.models = list).await;
    for (path, body) in [(GUARD, json!({"input": [message("a")]})), (MODERATIONS, json!({"input": "a"}))] {
        assert_eq!(refusal(&post(&customer.person, path, &body).await), ("403", "model_access_denied"), "{path}");
    }
    // The guard of a chat is the platform's own call.
    assert_eq!(chat(&customer.person, &guarded("hello")).await.status, "200 OK");
}

#[tokio::test]
async fn categories_are_managed_by_operators() {
    let app = TestApp::start().await;
    let operator = app.operator();
    const CATEGORIES: &str = "/gateway/v1/admin/guard/categories";
    let listed = operator.get(CATEGORIES).await;
    let codes: Vec<_> = listed.json["data"].as_array().unwrap().iter().map(|c| c["code"].clone()).collect();
    assert_eq!(codes, ["harassment", "hate", "illicit", "self_harm", "sexual", "violence"]);

    let gambling = json!({"label": "Gambling", "severity": "low", "threshold": 0.25});
    let put = operator.put(&format!("{CATEGORIES}/gambling"), gambling.clone()).await;
    let expected =
        json!({"code": "gambling", "label": "Gambling", "severity": "low", "threshold": 0.25, "active": true});
    assert_eq!((put.status.as_str(), &put.json), ("200 OK", &expected));
    let off = json!({"label": "Violence", "severity": "high", "active": false});
    assert_eq!(operator.put(&format!("{CATEGORIES}/violence"), off).await.status, "200 OK");
    assert_eq!(operator.delete(&format!("{CATEGORIES}/hate")).await.status, "204 No Content");
    assert_eq!(refusal(&operator.delete(&format!("{CATEGORIES}/hate")).await), ("404", "guard_category_not_found"));

    // A new environment has no cached catalog.
    let customer = app.customer("categories", Money::from_usd(1)).await;
    let environment = app.environment();
    let (_, scored) = customer.call(&environment, GUARD, &json!({"input": [message("te voy a matar")]})).await;
    let scores = scored["results"][0]["categories"].as_array().unwrap();
    let known: Vec<_> =
        scores.iter().map(|score| (score["code"].as_str().unwrap(), score["score"].is_null())).collect();
    assert_eq!(
        known,
        [("gambling", true), ("harassment", false), ("illicit", false), ("self_harm", false), ("sexual", false)]
    );
    assert_eq!(scored["flagged"], false);

    for (code, body, param) in [
        ("ok", json!({"label": "", "severity": "low"}), "label"),
        ("ok", json!({"label": "x", "severity": "low", "threshold": 1.5}), "threshold"),
    ] {
        let refused = operator.put(&format!("{CATEGORIES}/{code}"), body).await;
        assert_eq!((refusal(&refused), &refused.json["error"]["param"]), (("400", "invalid_body"), &json!(param)));
    }
    for code in ["Upper", "two%20words", &"x".repeat(65)] {
        let refused = operator.put(&format!("{CATEGORIES}/{code}"), gambling.clone()).await;
        assert_eq!(refusal(&refused), ("404", "guard_category_not_found"), "{code}");
    }
    for number in 0..44 {
        operator.put(&format!("{CATEGORIES}/more-{number}"), gambling.clone()).await;
    }
    let refused = operator.put(&format!("{CATEGORIES}/one-more"), gambling).await;
    assert_eq!(refusal(&refused), ("409", "too_many_guard_categories"));
    let audit = operator.get("/gateway/v1/admin/audit?action=guard_category&target=hate").await;
    let actions: Vec<_> = audit.json["data"].as_array().unwrap().iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["guard_category.delete"]);
    let member = app.key_client("bob");
    assert_eq!(refusal(&member.get(CATEGORIES).await), ("403", "operator_only"));
}
