//! The model catalog: `/gateway/v1/models…`.

use domain::id::ApiKeyId;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use insta::{assert_json_snapshot, assert_snapshot};
use reqwest::Method;
use store::api_keys::ApiKey;
use store::{ApiKeys, Catalog};
use tests::TestApp;
use tests::client::{Person, send};

use super::model;

const MODELS: &str = "/gateway/v1/models";

/// A client whose key is restricted to a list of models.
async fn program_with_list(app: &TestApp, models: &[&str]) -> Person {
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let key = ApiKey {
        id: ApiKeyId::new(),
        account: app.account("ada"),
        name: "listed".to_owned(),
        last4: secret.last4().to_owned(),
        created_at: Time::now(),
        expires_at: None,
        revoked_at: None,
        models: Some(models.iter().map(|name| (*name).to_owned()).collect()),
        workbench: None,
    };
    ApiKeys::new(&app.platform.context()).unwrap().create(&key, &secret.hash()).await.unwrap();
    app.client_with_key(secret.reveal())
}

#[tokio::test]
async fn models_are_listed_in_the_openai_format() {
    let app = TestApp::start().await;
    let listed = app.key_client("ada").get(MODELS).await;
    assert_eq!(listed.status, "200 OK", "{}", listed.text);
    assert_json_snapshot!(listed.json);
    // Prices are exact decimals: a float would print other digits.
    assert!(listed.text.contains(r#""pricing":{"input":0.1,"output":0.4,"unit""#), "{}", listed.text);

    let one = app.key_client("ada").get(&format!("{MODELS}/dev-chat")).await;
    assert_eq!(one.json, listed.json["data"][0]);
    assert_eq!((one.header("x-alias-of"), one.header("x-model-deprecated")), (None, None));
}

#[tokio::test]
async fn a_retiring_model_is_marked_and_a_retired_one_is_gone() {
    let app = TestApp::start().await;
    let catalog = Catalog::new(&app.platform.context()).unwrap();
    let mut retired = model("old");
    retired.retires_at = Some(Time::from_millis(1_000));
    let mut ageing = model("vendor/ageing-1.0");
    ageing.retires_at = Some(Time::from_millis(4_000_000_000_000));
    for model in [&retired, &ageing] {
        catalog.add(model).await.unwrap();
    }
    let ada = app.key_client("ada");
    assert_eq!(
        ada.get(MODELS).await.column("id"),
        [
            "dev-chat",
            "dev-embed",
            "dev-guard",
            "dev-image",
            "dev-rerank",
            "dev-speech",
            "dev-transcribe",
            "vendor/ageing-1.0"
        ]
    );
    assert_eq!(ada.get(MODELS).await.json["data"][7]["shutdown_date"], "2096-10-02");
    for path in ["vendor/ageing-1.0", "vendor%2Fageing-1.0"] {
        let answer = ada.get(&format!("{MODELS}/{path}")).await;
        assert_eq!(answer.json["id"], "vendor/ageing-1.0", "{}", answer.text);
        assert_eq!(answer.json["deprecation"]["retires_at"], "2096-10-02T07:06:40.000Z");
        assert_eq!(answer.header("x-model-deprecated"), Some("true"));
        assert_eq!(answer.header("x-model-retires-at"), Some("2096-10-02T07:06:40.000Z"));
    }
    let long = "x".repeat(201);
    for name in ["old", "nobody", "vendor", "vendor/", long.as_str(), "%FF"] {
        let answer = ada.get(&format!("{MODELS}/{name}")).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "model_not_found"), "{name}");
    }
}

#[tokio::test]
async fn a_key_with_a_list_sees_its_models_and_no_others() {
    let app = TestApp::start().await;
    let program = program_with_list(&app, &["dev-embed", "no-longer-there"]).await;
    assert_eq!(program.get(MODELS).await.column("id"), ["dev-embed"]);
    let request = program.request(Method::GET, &format!("{MODELS}/dev-chat")).header("x-request-id", "r1");
    let denied = send(request).await;
    assert_snapshot!(denied.status, @"403 Forbidden");
    assert_snapshot!(denied.text, @r#"{"error":{"type":"permission_error","code":"model_access_denied","message":"this key does not allow this model; use a model on the key's list","param":null,"request_id":"r1","details":null}}"#);
}

#[tokio::test]
async fn the_catalog_takes_api_keys_and_access_tokens() {
    let app = TestApp::start().await;
    for path in [MODELS, "/gateway/v1/models/aliases", "/gateway/v1/models/dev-chat"] {
        let nobody = app.anonymous().get(path).await;
        assert_eq!((nobody.status.as_str(), nobody.code()), ("401 Unauthorized", "identity.invalid_token"));
        let by_token = app.person("newcomer").get(path).await;
        assert_eq!(by_token.status, "200 OK", "{}", by_token.text);
        assert_eq!(by_token.json, app.key_client("ada").get(path).await.json);
        let neither = app.client_with_key("nonsense").get(path).await;
        assert_eq!((neither.status.as_str(), neither.code()), ("401 Unauthorized", "identity.invalid_token"));
        assert!(neither.text.contains("neither an API key"), "{}", neither.text);
        assert_eq!(app.client_with_key("sk-proj-other").get(path).await.code(), "identity.unauthorized");
    }
    assert_eq!(app.key_client("ada").post(MODELS).await.code(), "method_not_allowed");
}

#[tokio::test]
async fn models_are_filtered_by_type_and_capabilities() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    for (query, expected) in [
        ("capabilities=chat", &["dev-chat"][..]),
        ("type=Embeddings", &["dev-embed"]),
        ("capabilities=chat,%20tools&type=Others", &["dev-chat"]),
        ("capabilities=guard", &["dev-guard"]),
        ("capabilities=chat,embeddings", &[]),
    ] {
        assert_eq!(ada.get(&format!("{MODELS}?{query}")).await.column("id"), expected, "{query}");
    }
    for (query, param) in [
        ("capabilities=telepathy", "capabilities"),
        ("capabilities=", "capabilities"),
        ("type=others", "type"),
        ("x=1", "x"),
    ] {
        let refused = ada.get(&format!("{MODELS}?{query}")).await;
        assert_eq!((refused.code(), &refused.json["error"]["param"]), ("invalid_query", &param.into()), "{query}");
    }
    // Clients that list all models as chat models show these names.
    let names = [
        "Development chat",
        "Development embeddings (embeddings, not for chat)",
        "Development guard (guard, not for chat)",
        "Development images (images, image_edits, not for chat)",
        "Development reranking (rerank, not for chat)",
        "Development speech (speech, not for chat)",
        "Development transcription (transcription, not for chat)",
    ];
    assert_eq!(ada.get(MODELS).await.column("name"), names);
}

#[tokio::test]
async fn a_cached_catalog_request_reads_only_the_caller() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    ada.get(MODELS).await;
    for path in [MODELS, "/gateway/v1/models/aliases", "/gateway/v1/models/dev-chat"] {
        assert_eq!(app.costs(ada.get(path)).await.to_string(), "1 dynamodb:BatchGetItem (5 units)", "{path}");
    }
}
