//! `POST /gateway/v1/rerank`.

use domain::catalog::Pricing;
use domain::money::Money;
use domain::provider::ProviderKind;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use store::catalog::StoredProvider;
use tests::TestApp;
use tests::client::{refusal, send};
use tests::gateway::{CHAT, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};

use super::{post, with};

const RERANK: &str = "/gateway/v1/rerank";

fn documents(model: &str) -> Value {
    let documents = ["The weather is fine.", "A lease reserves money.", "What is a lease?"];
    json!({"model": model, "query": "What is a lease?", "documents": documents})
}

async fn reranker(app: &TestApp, name: &str, kind: ProviderKind) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let builder = ModelBuilder::new(name).with(|model| {
        model.capabilities = vec!["rerank".to_owned()];
        model.pricing = Pricing { input_micro_usd: 1_000_000, ..Pricing::default() };
    });
    let change = |provider: &mut StoredProvider| provider.kind = kind;
    builder.with_changed_deployment(app, &fake, change).await.insert(app).await;
    fake
}

#[tokio::test]
async fn the_development_model_sorts_documents_by_common_words() {
    let app = TestApp::start().await;
    let customer = app.customer("rerank", Money::from_usd(1)).await;
    let answer = post(&customer.person, RERANK, &documents("dev-rerank")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, {".id" => "[id]"}, @r#"
    {
      "id": "[id]",
      "object": "list",
      "model": "dev-rerank",
      "results": [
        {
          "index": 2,
          "relevance_score": 1.0
        },
        {
          "index": 1,
          "relevance_score": 0.5
        },
        {
          "index": 0,
          "relevance_score": 0.25
        }
      ],
      "usage": {
        "prompt_tokens": 82,
        "total_tokens": 82,
        "cost": 0.00000164
      },
      "meta": {
        "billed_units": {
          "search_units": 1
        }
      }
    }
    "#);
    let cost: Money = answer.header("x-request-cost").unwrap().parse().unwrap();
    assert!(answer.text.contains(&format!(r#""cost":{cost}}}"#)), "{}", answer.text);
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(cost));

    let body = json!({"top_n": 1, "return_documents": true, "documents": ["a fox", {"text": "a lease", "title": "t"}]});
    let best = post(&customer.person, RERANK, &with(documents("dev-rerank"), body)).await;
    let results = best.json["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{}", best.text);
    assert_eq!((&results[0]["index"], &results[0]["document"]), (&json!(1), &json!({"text": "a lease"})));
}

#[tokio::test]
async fn a_provider_gets_the_texts_and_its_count_is_charged() {
    let app = TestApp::start().await;
    let fake = reranker(&app, "fake", ProviderKind::OpenAi).await;
    let customer = app.customer("providers", Money::from_usd(1)).await;
    fake.then_respond(Behaviour::json(
        200,
        json!({"results": [
            {"index": 0, "relevance_score": -3.5}, {"index": 2, "relevance_score": 7, "document": {"text": "other"}},
        ], "usage": {"prompt_tokens": 40, "total_tokens": 40}}),
    ));
    let more = json!({"top_n": 2, "return_documents": true, "max_chunks_per_doc": 4});
    let answer = post(&customer.person, RERANK, &with(documents("fake"), more)).await;
    assert_eq!(
        answer.json["results"],
        json!([
            {"index": 2, "relevance_score": 7.0, "document": {"text": "What is a lease?"}},
            {"index": 0, "relevance_score": -3.5, "document": {"text": "The weather is fine."}},
        ])
    );
    assert_eq!(
        (&answer.json["model"], answer.header("x-svc-passthrough")),
        (&json!("fake"), Some("max_chunks_per_doc"))
    );
    assert!(answer.header("x-svc-deployment").is_some());
    // 1 USD per million tokens.
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(40), 1));
    let request = fake.take_requests().remove(0);
    assert_eq!(request.path, "/rerank");
    let mut sent = with(documents("upstream-model"), json!({"top_n": 2, "max_chunks_per_doc": 4}));
    assert_eq!(request.body, sent);

    // TEI has another name for the list, and reports no usage.
    fake.respond_with(Behaviour::bytes(422, "text/plain", vec!["missing field `texts`".into()]));
    let scores =
        [json!({"index": 1, "score": 0.2}), json!({"index": 0, "score": 0.1}), json!({"index": 2, "score": 0.9})];
    fake.then_respond(Behaviour::json(200, json!(scores)));
    let answer = post(&customer.person, RERANK, &documents("fake")).await;
    let places = |answer: &Value| {
        let results = answer["results"].as_array().unwrap();
        results.iter().map(|result| result["index"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(places(&answer.json), [2, 1, 0], "{}", answer.text);
    assert!(answer.json["usage"]["prompt_tokens"].as_u64().unwrap() > 10);
    let texts = fake.take_requests().remove(1).body;
    sent = json!({"model": "upstream-model", "query": sent["query"], "texts": sent["documents"]});
    assert_eq!(texts, sent);
}

#[tokio::test]
async fn a_failed_or_incomplete_answer_costs_nothing() {
    let app = TestApp::start().await;
    let fake = reranker(&app, "fake", ProviderKind::OpenAi).await;
    let claude = reranker(&app, "claude", ProviderKind::Anthropic).await;
    let customer = app.customer("failures", Money::from_usd(1)).await;
    for (behaviour, expected) in [
        (Behaviour::json(200, json!({"results": [{"index": 0, "score": 1}]})), ("502", "provider_answer_garbled")),
        (Behaviour::json(400, json!({"message": "the query is too odd"})), ("400", "provider_refused")),
        (Behaviour::json(500, json!({})), ("502", "provider_unavailable")),
    ] {
        fake.respond_with(behaviour);
        let answer = post(&customer.person, RERANK, &documents("fake")).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
    let answer = post(&customer.person, RERANK, &documents("claude")).await;
    assert_eq!(refusal(&answer), ("400", "parameter_not_supported"), "{}", answer.text);
    assert!(claude.take_requests().is_empty());
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

/// The greatest count of tokens is held before the provider is called.
#[tokio::test]
async fn credits_must_cover_the_greatest_cost() {
    let app = TestApp::start().await;
    let fake = reranker(&app, "fake", ProviderKind::OpenAi).await;
    let customer = app.customer("poor", Money::from_micro_usd(20)).await;
    let answer = post(&customer.person, RERANK, &documents("fake")).await;
    assert_eq!(refusal(&answer), ("402", "insufficient_credits"), "{}", answer.text);
    assert!(fake.take_requests().is_empty());
}

#[tokio::test]
async fn an_idempotency_key_replays_the_documents() {
    let app = TestApp::start().await;
    let customer = app.customer("replays", Money::from_usd(1)).await;
    let body = with(documents("dev-rerank"), json!({"return_documents": true}));
    let send_again = async |body: &Value| {
        send(customer.person.request(Method::POST, RERANK).header("idempotency-key", "r").json(body)).await
    };
    let (first, again) = (send_again(&body).await, send_again(&body).await);
    assert_eq!((first.status.as_str(), first.header("idempotent-replayed")), ("200 OK", None), "{}", first.text);
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    assert_eq!(refusal(&send_again(&documents("dev-rerank")).await).0, "409");
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

#[tokio::test]
async fn each_model_serves_only_its_own_purpose() {
    let app = TestApp::start().await;
    let customer = app.customer("purposes", Money::from_usd(1)).await;
    for model in ["dev-chat", "dev-embed", "dev-guard", "dev-image"] {
        let answer = post(&customer.person, RERANK, &documents(model)).await;
        assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!("model")));
    }
    for (path, body) in [
        (CHAT, json!({"model": "dev-rerank", "messages": [{"role": "user", "content": "Hi"}]})),
        ("/gateway/v1/completions", json!({"model": "dev-rerank", "prompt": "Hi"})),
        ("/gateway/v1/embeddings", json!({"model": "dev-rerank", "input": "Hi"})),
        ("/gateway/v1/images/generations", json!({"preset": "dev-rerank", "prompt": "Hi"})),
        ("/gateway/v1/guard", json!({"model": "dev-rerank", "input": [{"role": "user", "content": "Hi"}]})),
    ] {
        let answer = post(&customer.person, path, &body).await;
        assert_eq!(refusal(&answer), ("400", "invalid_body"), "{path}: {}", answer.text);
    }
    let models = customer.person.get("/gateway/v1/models?capabilities=rerank").await;
    assert_eq!(
        (models.column("id"), models.column("name")),
        (vec!["dev-rerank"], vec!["Development reranking (rerank, not for chat)"])
    );
}

#[tokio::test]
async fn invalid_requests_are_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("refusals", Money::from_usd(1)).await;
    for (more, param) in [
        (json!({"query": ""}), "query"),
        (json!({"documents": []}), "documents"),
        (json!({"documents": vec!["a"; 1_001]}), "documents"),
        (json!({"documents": ["a", {"title": "t"}]}), "documents[1].text"),
        (json!({"top_n": 0}), "top_n"),
        (json!({"return_documents": "yes"}), "return_documents"),
    ] {
        let answer = post(&customer.person, RERANK, &with(documents("dev-rerank"), more)).await;
        assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!(param)));
    }
    assert_eq!(refusal(&post(&app.anonymous(), RERANK, &documents("dev-rerank")).await).0, "401");
    assert_eq!(refusal(&post(&app.person("ada"), RERANK, &documents("dev-rerank")).await).0, "401");
    assert_eq!(refusal(&post(&customer.person, RERANK, &documents("nowhere")).await), ("404", "model_not_found"));
}
