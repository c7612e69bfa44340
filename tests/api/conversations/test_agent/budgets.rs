//! The budget of a test in a warm process: AWS calls and table units.

use reqwest::Method;
use tests::client::send;

use super::*;

#[tokio::test]
async fn a_test_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = test_path(&create(&ada, echo()).await);
    let script = || send(ada.request(Method::POST, &path).json(&json!({"script": [{"say": "a"}, {"say": "b"}]})));
    let read = || send(ada.request(Method::GET, &path));
    read().await;
    script().await;
    let costs = [app.costs(script()).await.to_string(), app.costs(read()).await.to_string()];
    let expected = [
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:Query (1 units)",
    ];
    assert_eq!(costs, expected);
}
