//! The budget of a preview in a warm process: AWS calls and table units.

use reqwest::Method;
use tests::budgets::PREVIEW;
use tests::client::send;

use super::*;

#[tokio::test]
async fn a_preview_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let pure = preview_path(&create(&ada, double()).await);
    let model = preview_path(&create(&ada, ask()).await);
    let post = |path: &str, body: Value| send(ada.request(Method::POST, path).json(&body));
    post(&pure, json!({"input": {"n": 1}})).await;
    post(&model, json!({"input": {"name": "Ada"}})).await;
    let costs = [
        app.costs(post(&pure, json!({"input": {"n": 1}}))).await.to_string(),
        app.costs(post(&model, json!({"pinned": {"ask": {"output": "Hello"}}}))).await.to_string(),
    ];
    assert_eq!(costs, [PREVIEW; 2]);
    let call = app.costs(post(&model, json!({"input": {"name": "Ada"}}))).await;
    let expected = "3 dynamodb:BatchGetItem (11 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (1 units), 2 dynamodb:TransactWriteItems (12 units)";
    assert_eq!(call.to_string(), expected);
}
