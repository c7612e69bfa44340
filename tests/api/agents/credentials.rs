//! The credentials of the tools of agents: how they are stored, sent and dropped.

use domain::Error;
use domain::id::AgentId;
use serde_json::{Value, json};
use store::agents::ToolCredentials;
use tests::TestApp;
use tests::client::Person;
use tests::provider::{Behaviour, FakeProvider};

use super::{AGENTS, create_agent};

const SECRET: &str = "tok-4711";

fn bearer() -> Value {
    json!({"type": "bearer", "token": SECRET})
}

fn lookup(base_url: &str, auth: &str) -> Value {
    json!({"type": "http", "name": "lookup", "method": "GET", "url": format!("{base_url}/orders"), "auth": auth})
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
    let path = create_agent(&ada, json!({"tools": [lookup(&fake.base_url, "bearer")]})).await;
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
    let path = create_agent(&ada, json!({"tools": [lookup("https://shop.example", "bearer"), map]})).await;
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
    let path = create_agent(&ada, json!({"tools": [tool("bearer")]})).await;
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

/// A run that waits has the tool as it was. The credential for another host stays away from the old one.
#[tokio::test]
async fn a_run_in_progress_sends_no_credential_of_another_host() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let path = create_agent(&ada, json!({"tools": [lookup(&fake.base_url, "bearer")]})).await;
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
    let path = create_agent(&ada, json!({"tools": [lookup("https://shop.example", "bearer")]})).await;
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
    let path = create_agent(&ada, json!({"tools": [lookup("https://shop.example", "bearer")]})).await;
    let credential = format!("{path}/tools/lookup/credential");
    ada.put(&credential, bearer()).await;
    assert_eq!(
        app.costs(ada.put(&credential, bearer())).await.to_string(),
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (9 units)"
    );
    assert_eq!(
        app.costs(ada.delete(&credential)).await.to_string(),
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (9 units)"
    );
}
