//! What the door costs in AWS calls.

use tests::budgets::{CALL_TOOL_OF_SERVER, LIST_TOOLS_OF_SERVER};

use super::*;

#[tokio::test]
async fn messages_cost_few_calls() {
    let (app, customer, _server) = start(&["t0"]).await;
    let list = message("tools/list", json!({}));
    let send = |body: Value| {
        let person = &customer.person;
        async move { post(person, "crm", &body).await }
    };
    let bodies = [list.clone(), list, call("t0"), call("t0")];
    let mut costs = Vec::new();
    for body in bodies {
        costs.push(app.costs(send(body)).await.to_string());
    }
    // The first message also reads the caller, and the first call creates the pool of its leases.
    let expected = [
        "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:Query (2 units)",
        LIST_TOOLS_OF_SERVER,
        "1 dynamodb:BatchGetItem (3 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (2 units), 2 dynamodb:TransactWriteItems (38 units)",
        CALL_TOOL_OF_SERVER,
    ];
    assert_eq!(costs, expected);
}
