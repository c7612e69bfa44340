//! The credentials of the tools of agents: how they are stored, sent and dropped.

use domain::Error;
use domain::id::AgentId;
use serde_json::{Value, json};
use shared::store::Runs;
use shared::store::agents::ToolCredentials;
use tests::TestApp;
use tests::client::Person;
use tests::provider::{Behaviour, FakeProvider};

const AGENTS: &str = "/builder/v1/agents";
const SECRET: &str = "tok-4711";

fn bearer() -> Value {
    json!({"type": "bearer", "token": SECRET})
}

fn lookup(base_url: &str, auth: &str) -> Value {
    json!({"type": "http", "name": "lookup", "method": "GET", "url": format!("{base_url}/orders"), "auth": auth})
}

/// Creates an agent with these tools, and returns its path.
async fn agent(person: &Person, tools: &[Value]) -> String {
    let path = format!("{AGENTS}/{}", person.post(AGENTS).await.id());
    set_tools(person, &path, tools).await;
    path
}

async fn set_tools(person: &Person, path: &str, tools: &[Value]) {
    let changed = person.patch(path, json!({"config": {"tools": tools}})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
}

async fn status(person: &Person, path: &str) -> String {
    person.get(path).await.json["data"]["status"].as_str().unwrap().to_owned()
}

async fn is_stored(app: &TestApp, path: &str) -> bool {
    let agent: AgentId = path.rsplit('/').next().unwrap().parse().unwrap();
    let credentials = ToolCredentials::new(&app.platform.context()).unwrap();
    match credentials.open(app.account("ada"), agent, "lookup", "https://shop.example").await {
        Ok(_) => true,
        Err(Error::NotFound { kind: "credential" }) => false,
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn a_tool_sends_its_credential() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let path = agent(&ada, &[lookup(&fake.base_url, "bearer")]).await;
    assert_eq!(status(&ada, &path).await, "permissions_required");
    let refused = ada.post_json(&format!("{path}/invoke"), json!({"input": "Please lookup it"})).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "invalid_state"));

    let set = ada.put(&format!("{path}/tools/lookup/credential"), bearer()).await;
    assert_eq!(set.status, "200 OK", "{}", set.text);
    assert_eq!((&set.json["data"]["tool"], &set.json["data"]["type"]), (&json!("lookup"), &json!("bearer")));
    let shown = ada.get(&path).await;
    assert_eq!(shown.json["data"]["status"], "published", "{}", shown.text);
    assert_eq!(shown.json["data"]["credentials"], json!([set.json["data"]]));
    assert_eq!(ada.get(&format!("{AGENTS}?status=published")).await.json["meta"]["total"], 1);

    let answer = ada.post_json(&format!("{path}/invoke"), json!({"input": "Please lookup it"})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let sent = fake.take_requests();
    assert_eq!(sent[0].headers["authorization"], format!("Bearer {SECRET}"));

    // Another one takes its place at once.
    ada.put(&format!("{path}/tools/lookup/credential"), json!({"type": "bearer", "token": "tok-2"})).await;
    ada.post_json(&format!("{path}/invoke"), json!({"input": "Please lookup it"})).await;
    assert_eq!(fake.take_requests()[0].headers["authorization"], "Bearer tok-2");
    for text in [set.text, shown.text, answer.text] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[tokio::test]
async fn a_credential_fits_its_tool() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let map = json!({"type": "http", "name": "map", "method": "GET", "url": "https://map.example"});
    let path = agent(&ada, &[lookup("https://shop.example", "bearer"), map]).await;
    let set = async |tool: &str, body: Value| ada.put(&format!("{path}/tools/{tool}/credential"), body).await;
    let basic = json!({"type": "basic", "username": "ada", "password": "x"});
    for (tool, body, status, problem) in [
        (
            "lookup",
            basic.clone(),
            "400 Bad Request",
            "type: the tool lookup needs a credential of the type bearer; send one, or change the `auth` of the tool",
        ),
        ("map", basic, "400 Bad Request", "type: the tool map needs no credential; set its `auth` first"),
        ("lookup", json!({"type": "bearer"}), "400 Bad Request", "token: is required"),
        (
            "lookup",
            json!({"type": "bearer", "token": "x", "name": "Shop"}),
            "400 Bad Request",
            "name: the credential of a tool has no name; remove it",
        ),
        ("refund", bearer(), "404 Not Found", "no such tool"),
    ] {
        let refused = set(tool, body).await;
        assert_eq!((&*refused.status, refused.json["error"]["message"].as_str()), (status, Some(problem)));
    }
    assert_eq!(app.anonymous().put(&format!("{path}/tools/lookup/credential"), bearer()).await.code(), "unauthorized");
}

#[tokio::test]
async fn a_credential_goes_with_its_tool_or_its_agent() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let tool = |auth: &str| lookup("https://shop.example", auth);
    let path = agent(&ada, &[tool("bearer")]).await;
    let credential = format!("{path}/tools/lookup/credential");
    let set = async || assert_eq!(ada.put(&credential, bearer()).await.status, "200 OK");

    set().await;
    assert_eq!(ada.delete(&credential).await.status, "204 No Content");
    assert_eq!(ada.delete(&credential).await.code(), "credential_not_found");
    assert!(!is_stored(&app, &path).await);
    assert_eq!(status(&ada, &path).await, "permissions_required");

    let elsewhere = lookup("https://evil.example", "bearer");
    for tools in [vec![], vec![tool("none")], vec![tool("basic")], vec![elsewhere]] {
        set_tools(&ada, &path, &[tool("bearer")]).await;
        set().await;
        ada.patch(&path, json!({"name": "Scout"})).await;
        assert!(is_stored(&app, &path).await);
        set_tools(&ada, &path, &tools).await;
        assert!(!is_stored(&app, &path).await, "{tools:?}");
    }

    set_tools(&ada, &path, &[tool("bearer")]).await;
    set().await;
    ada.delete(&path).await;
    app.platform.drain().await;
    assert!(!is_stored(&app, &path).await);
}

/// The secret is in no response and no log, and each tool sends its own.
#[tokio::test]
async fn the_agents_of_a_run_send_their_own_credentials() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let member = agent(&ada, &[lookup(&fake.base_url, "bearer")]).await;
    ada.put(&format!("{member}/tools/lookup/credential"), bearer()).await;
    let member_id = member.rsplit('/').next().unwrap();
    ada.patch(&member, json!({"name": "colleague"})).await;
    let header = json!({"type": "header", "header": "X-Shop-Key", "value": "key-0815"});
    let tools = [lookup(&fake.base_url, "header"), json!({"type": "agent", "agentId": member_id})];
    let leader = agent(&ada, &tools).await;
    ada.put(&format!("{leader}/tools/lookup/credential"), header).await;

    let leader_id = leader.rsplit('/').next().unwrap();
    let ask = |id: &str, message: &str| json!({"id": id, "type": "agent", "config": {"agentId": leader_id, "message": message}});
    let connection =
        |from: &str, to: &str| json!({"from": {"node": from, "port": "out"}, "to": {"node": to, "port": "in"}});
    let graph = json!({
        "nodes": [
            {"id": "start", "type": "input"},
            ask("own", "Please lookup it"),
            ask("other", "Please ask your colleague to lookup it"),
            {"id": "end", "type": "send_result"},
        ],
        "connections": [connection("start", "own"), connection("own", "other"), connection("other", "end")],
    });
    let flow = format!(
        "/builder/v1/workflows/{}",
        ada.post_json("/builder/v1/workflows", json!({"name": "Ask", "graph": graph})).await.id()
    );
    assert_eq!(ada.post(&format!("{flow}/publish")).await.status, "201 Created");
    let run = format!("{flow}/runs/{}", ada.post(&format!("{flow}/runs")).await.id());
    app.platform.drain().await;
    let ended = ada.get(&run).await;
    assert_eq!(ended.json["data"]["state"], "completed", "{}", ended.text);

    let sent = fake.take_requests();
    let keys: Vec<_> =
        sent.iter().map(|request| request.headers.get("x-shop-key").map(|key| key.to_str().unwrap())).collect();
    let tokens: Vec<_> =
        sent.iter().map(|request| request.headers.get("authorization").map(|token| token.to_str().unwrap())).collect();
    let token = format!("Bearer {SECRET}");
    assert!(keys.contains(&Some("key-0815")), "{keys:?}");
    assert_eq!(
        keys.iter().zip(&tokens).filter(|(key, token)| key.is_some() == token.is_some()).count(),
        0,
        "{keys:?} {tokens:?}"
    );
    assert!(tokens.iter().flatten().all(|sent| *sent == token));
    let runs = Runs::new(&app.platform.context()).unwrap();
    let events = format!("{:?}", runs.log(run.rsplit('/').next().unwrap().parse().unwrap()).await.unwrap());
    for text in [ended.text, events, ada.get(&leader).await.text, ada.get(&member).await.text] {
        assert!(!text.contains(SECRET) && !text.contains("key-0815"), "{text}");
    }
}

/// A run that waits has the tool as it was. The credential for another host stays away from the old one.
#[tokio::test]
async fn a_run_in_progress_sends_no_credential_of_another_host() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let path = agent(&ada, &[lookup(&fake.base_url, "bearer")]).await;
    ada.put(&format!("{path}/tools/lookup/credential"), bearer()).await;
    let credentials = ToolCredentials::new(&app.platform.context()).unwrap();
    let agent: AgentId = path.rsplit('/').next().unwrap().parse().unwrap();
    let open = async || credentials.open(app.account("ada"), agent, "lookup", &fake.base_url).await;
    assert!(open().await.is_ok());
    set_tools(&ada, &path, &[lookup("https://other.example", "bearer")]).await;
    ada.put(&format!("{path}/tools/lookup/credential"), bearer()).await;
    assert!(matches!(open().await, Err(Error::NotFound { kind: "credential" })));
}

#[tokio::test]
async fn another_users_agent_has_no_credentials() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let path = agent(&ada, &[lookup("https://shop.example", "bearer")]).await;
    let credential = format!("{path}/tools/lookup/credential");
    ada.put(&credential, bearer()).await;
    for refused in [bob.put(&credential, bearer()).await, bob.delete(&credential).await] {
        assert_eq!((&*refused.status, refused.code()), ("404 Not Found", "agent_not_found"));
    }
    assert_eq!(status(&ada, &path).await, "published");
}

#[tokio::test]
async fn the_routes_keep_their_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = agent(&ada, &[lookup("https://shop.example", "bearer")]).await;
    let credential = format!("{path}/tools/lookup/credential");
    ada.put(&credential, bearer()).await;
    assert_eq!(
        app.costs(ada.put(&credential, bearer())).await.to_string(),
        "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (9 units)"
    );
    assert_eq!(
        app.costs(ada.delete(&credential)).await.to_string(),
        "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (9 units)"
    );
}
