//! The embedded development models.

use domain::provider::ProviderKind;
use gateway::FailureKind;
use serde_json::json;

use crate::stage::{choices, embeddings, gather, question, stage};

#[tokio::test]
async fn dev_models_answer_without_a_provider() {
    let stage = stage(ProviderKind::Dev).await;
    let answer = stage.provider.chat("dev-chat", &question()).await.unwrap();
    let streamed = gather(stage.provider.stream("dev-chat", &question()).await.unwrap()).await;
    assert_eq!(choices(&answer)[0]["message"]["content"], streamed.text());
    assert_eq!(answer.usage, streamed.usage);
    assert_eq!(answer.usage.unwrap().input, question().greatest_input());
    assert!(streamed.finished == 1 && streamed.weight > 0);

    let request = embeddings(json!({"model": "e", "input": ["a b", "c"], "dimensions": 8}));
    let answer = stage.provider.embed("dev-embed", &request).await.unwrap();
    assert_eq!(answer.vectors.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8]);
    assert_eq!(answer.usage.unwrap().input, request.greatest_input());
    assert!(stage.fake.take_requests().is_empty());
}

#[tokio::test]
async fn unknown_dev_models_are_refused() {
    let stage = stage(ProviderKind::Dev).await;
    let failure = stage.provider.chat("dev-embed", &question()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Setup);
}
