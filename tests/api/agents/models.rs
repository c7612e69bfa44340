//! `GET /builder/v1/models`: the models that agents can be configured with.

use domain::catalog::{Model, ModelType, OnDisconnect, Pricing, Unsupported};
use domain::guard::GuardApi;
use domain::time::Time;
use insta::assert_json_snapshot;
use serde_json::{Map, json};
use store::Catalog;
use tests::TestApp;

#[tokio::test]
async fn the_models_of_the_plan_are_listed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let answer = ada.get("/builder/v1/models?search=DEV-CH").await;
    assert_json_snapshot!(answer.json, @r#"
    {
      "data": [
        {
          "name": "dev-chat",
          "displayName": "Development chat",
          "type": "Others",
          "provider": "dev",
          "capabilities": [
            "chat",
            "streaming",
            "tools",
            "vision",
            "json_mode",
            "json_schema",
            "logprobs"
          ],
          "contextWindow": 32768,
          "maxOutputTokens": 4096,
          "pricing": {
            "input": 0.1,
            "output": 0.4,
            "unit": "1M_tokens",
            "currency": "USD"
          },
          "deprecation": null
        }
      ],
      "meta": {
        "page": 1,
        "perPage": 20,
        "total": 1,
        "totalPages": 1
      }
    }
    "#);
    assert_eq!(
        ada.get("/builder/v1/models").await.column("name"),
        ["dev-chat", "dev-embed", "dev-guard", "dev-image", "dev-rerank", "dev-speech", "dev-transcribe"]
    );
    assert_eq!(ada.get("/builder/v1/models?order=desc&perPage=1").await.column("name"), ["dev-transcribe"]);
    assert_eq!(ada.get("/builder/v1/models?type=Embeddings").await.column("name"), ["dev-embed"]);
    assert_eq!(ada.get("/builder/v1/models?type=embeddings").await.code(), "invalid_query");
}

#[tokio::test]
async fn retired_models_are_hidden_and_retiring_ones_are_marked() {
    let app = TestApp::start().await;
    let catalog = Catalog::new(&app.platform.context()).unwrap();
    for (name, retires_at) in [("old", 1_000), ("ageing", 4_000_000_000_000)] {
        let model = Model {
            name: name.to_owned(),
            display_name: name.to_owned(),
            r#type: ModelType::Others,
            provider: "test".to_owned(),
            capabilities: vec![],
            context_window: None,
            max_output_tokens: None,
            pricing: Pricing { input_micro_usd: 1, output_micro_usd: 2_500_000, ..Pricing::default() },
            deprecated_at: None,
            retires_at: Some(Time::from_millis(retires_at)),
            defaults: Map::new(),
            deployments: vec![],
            on_disconnect: OnDisconnect::Stop,
            unsupported: Unsupported::Drop,
            unsupported_parameters: Vec::new(),
            max_tokens_parameter: None,
            max_tokens_policy: Default::default(),
            prompt_cache: Default::default(),
            response_cache: None,
            routing: Default::default(),
            batch_price_percent: None,
            fallbacks: Vec::new(),
            asynchronous: false,
            guard_api: GuardApi::Moderation,
            version: 1,
        };
        catalog.add(&model).await.unwrap();
    }
    let answer = app.person("ada").get("/builder/v1/models?search=a&type=Others").await;
    assert_eq!(answer.column("name"), ["ageing", "dev-chat", "dev-guard", "dev-image", "dev-rerank", "dev-transcribe"]);
    assert_eq!(
        answer.json["data"][0]["deprecation"],
        json!({"deprecatedAt": null, "retiresAt": "2096-10-02T07:06:40.000Z"})
    );
    assert_eq!(answer.json["data"][0]["pricing"]["input"], 0.000_001);
}
