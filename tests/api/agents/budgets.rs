//! The budget of each route in a warm process: AWS calls and table units.

use futures::stream::{self, StreamExt};
use local::recorder::CallCosts;
use serde_json::json;
use tests::budgets::{CREATE_AGENT, READ_AGENT};
use tests::scale::full_or;
use tests::{AgentBuilder, TestApp};

const AGENTS: &str = "/builder/v1/agents";

/// Each request reads its caller's identity with one `BatchGetItem` of four units, and one unit more
/// for what is shared with the caller if the route names an agent. The rest is the route's own.
#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let warm = ada.post(AGENTS).await;
    let path = format!("{AGENTS}/{}", warm.id());
    let member = ada.post(AGENTS).await.id().to_owned();

    assert_eq!(app.costs(ada.get(&path)).await.to_string(), READ_AGENT);
    assert_eq!(app.costs(ada.post(AGENTS)).await.to_string(), CREATE_AGENT);
    let name = json!({"name": "Scout"});
    assert_eq!(app.costs(ada.patch(&path, name)).await.calls(), 3);
    let team = json!({"type": "multiple", "config": {"members": [member], "model": "dev-chat"}});
    let costs = app.costs(ada.patch(&path, team)).await;
    assert_eq!(costs.0.keys().collect::<Vec<_>>(), ["dynamodb:BatchGetItem", "dynamodb:TransactWriteItems"]);
    assert_eq!(costs.calls(), 3);
    let list = app.costs(ada.get(AGENTS)).await;
    assert_eq!(list.0.keys().collect::<Vec<_>>(), ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]);
    assert_eq!(list.calls(), 3);
    assert_eq!(
        app.costs(ada.get("/builder/v1/models")).await.to_string(),
        "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:Query (2 units)"
    );
    let delete = app.costs(ada.delete(&path)).await;
    assert_eq!(
        delete.0.keys().collect::<Vec<_>>(),
        ["dynamodb:BatchGetItem", "dynamodb:TransactWriteItems", "sqs:SendMessage"]
    );
    assert_eq!(delete.calls(), 3);
    app.platform.drain().await;
}

#[tokio::test]
async fn only_the_first_request_of_a_user_records_their_identity() {
    let app = TestApp::start().await;
    let new = app.person_of("newcomer", "initech", domain::identity::Role::Admin);
    app.recorder.take();
    new.get(AGENTS).await;
    let first = app.recorder.take_costs();
    assert_eq!(
        first.to_string(),
        "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 2 dynamodb:PutItem (2 units), 1 dynamodb:Query (1 units), 2 dynamodb:TransactWriteItems (8 units)"
    );
    new.get(AGENTS).await;
    assert_eq!(app.recorder.take_costs().calls(), 3);
}

/// Page 1 without a filter reads only the page and the total, for a list of any length.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_costs_the_same_for_many_agents_as_for_50() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut all_costs: Vec<Vec<CallCosts>> = Vec::new();
    let mut inserted = 0;
    for total in [50, full_or(2_000, 500)] {
        let account = app.account("ada");
        let inserts = (inserted..total).map(|i| AgentBuilder::new(account, &format!("Agent {i:05}")).insert(&app));
        stream::iter(inserts).buffer_unordered(64).for_each(async |_| {}).await;
        inserted = total;
        assert_eq!(ada.get(AGENTS).await.json["meta"]["total"], total);

        let mut costs = Vec::new();
        for sort in ["name", "createdAt", "updatedAt", "requests"] {
            for order in ["asc", "desc"] {
                costs.push(app.costs(ada.get(&format!("{AGENTS}?sort={sort}&order={order}"))).await);
            }
        }
        all_costs.push(costs);
    }
    assert_eq!(all_costs[0], all_costs[1]);
}
