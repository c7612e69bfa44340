//! The catalogue of services, and the nodes of their operations. `tests/providers/services.rs` tests the requests.

use axum::http::Method;
use tests::TestApp;
use tests::client::send;

use super::*;

const SERVICES: &str = "/builder/v1/workflows/services";

async fn create_node(ada: &Person, path: &str, body: Value) -> Answer {
    ada.post_json(&format!("{SERVICES}/{path}/node"), body).await
}

#[tokio::test]
async fn services_are_listed_and_searched() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let listed = ada.get(SERVICES).await;
    assert_eq!(listed.status, "200 OK");
    assert_eq!(listed.column("id").len(), ::services::all().len());
    let docs = listed.json["data"].as_array().unwrap().iter().find(|service| service["id"] == "google-docs").unwrap();
    assert_eq!(docs["name"], "Google Docs");
    assert_eq!(docs["categories"], json!(["documents"]));
    assert_eq!(docs["authentication"][0]["type"], "oauth2_authorization_code");
    assert_eq!(docs["authentication"][0]["authorizeParameters"]["access_type"], "offline");
    assert_eq!((&docs["operationCount"], docs["operations"].as_array().unwrap().len()), (&json!(6), 6));
    let get = json!({
        "id": "get-document", "name": docs["operations"][0]["name"], "description": docs["operations"][0]["description"],
    });
    assert_eq!(docs["operations"][0], get);

    assert_eq!(ada.get(&format!("{SERVICES}?q=SPREADSHEETS+of")).await.column("id"), ["google-sheets"]);
    // An operation is found, too.
    assert_eq!(ada.get(&format!("{SERVICES}?q=find+busy")).await.column("id"), ["google-calendar"]);
    assert_eq!(ada.get(&format!("{SERVICES}?q=zzz")).await.json["data"], json!([]));
    assert_eq!(ada.get(&format!("{SERVICES}?search=x")).await.status[..3], *"400");
    assert_eq!(app.anonymous().get(SERVICES).await.status[..3], *"401");
}

#[tokio::test]
async fn a_service_has_forms() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = ada.get(&format!("{SERVICES}/google-sheets")).await.json["data"].clone();
    let operations = shown["operations"].as_array().unwrap();
    let append = operations.iter().find(|operation| operation["id"] == "append-rows").unwrap();
    assert_eq!((&append["name"], &append["method"]), (&json!("Append rows"), &json!("POST")));
    let form = &append["form"];
    assert_eq!(form["required"], json!(["spreadsheetId", "range", "values"]));
    assert_eq!(form["properties"]["values"]["x-expression"], "cel");
    assert_eq!(form["properties"]["range"]["x-expression"], "jinja");
    assert_eq!(form["properties"]["valueInputOption"]["default"], "USER_ENTERED");
    let drive = ada.get(&format!("{SERVICES}/google-drive")).await.json["data"].clone();
    let search = drive["operations"].as_array().unwrap().iter().find(|it| it["id"] == "search-files").unwrap();
    assert_eq!(search["paging"], json!({"type": "cursor", "parameter": "pageToken", "next": "nextPageToken"}));
    assert_eq!(search["returns"]["items"], "files");

    let unknown = ada.get(&format!("{SERVICES}/nothing")).await;
    assert_eq!((&unknown.status[..3], &unknown.json["error"]["code"]), ("404", &json!("service_not_found")));
    assert_eq!(app.anonymous().get(&format!("{SERVICES}/gmail")).await.status[..3], *"401");
}

#[tokio::test]
async fn a_node_of_an_operation_is_valid_in_a_graph() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let body = json!({
        "values": {"spreadsheetId": "1", "range": "Orders!A:C"},
        "expressions": {"values": "[[input.name]]"},
    });
    let made = create_node(&ada, "google-sheets/operations/append-rows", body).await;
    assert_eq!(
        made.json["data"],
        json!({
            "type": "http",
            "name": "Google Sheets: Append rows",
            "config": {
                "method": "POST",
                "url": "https://sheets.googleapis.com/v4/spreadsheets/1/values/Orders%21A%3AC:append",
                "query": {"valueInputOption": "USER_ENTERED"},
                "body": {"type": "json", "value": "{'values': [[input.name]]}"},
            },
        })
    );
    let node =
        json!({"id": "call", "type": "http", "name": made.json["data"]["name"], "config": made.json["data"]["config"]});
    let end = json!({"id": "end", "type": "send_result", "name": "", "config": {"output": "nodes.call.output"}});
    let edge = |from: &str, to: &str| json!({"from": {"node": from, "port": "out"}, "to": {"node": to, "port": "in"}});
    let graph = json!({
        "nodes": [{"id": "start", "type": "input", "name": "", "config": {}}, node, end],
        "connections": [edge("start", "call"), edge("call", "end")],
    });
    let id = create_workflow(&ada, "Rows", graph).await;
    let validated = post_action(&ada, &id, "validate").await;
    assert_eq!(validated.json["data"], json!({"valid": true, "problems": []}));

    let credential = "019cb8e2-3f4a-7c21-9b6d-000000000000";
    let made = create_node(&ada, "gmail/operations/list-labels", json!({"credentialId": credential})).await;
    assert_eq!(made.json["data"]["config"]["credentialId"], credential);
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = "google-sheets/operations/append-rows";
    let body = json!({"values": {"range": 7}, "expressions": {"values": "[[input.name]", "other": "1"}});
    let refused = create_node(&ada, path, body).await;
    assert_eq!((&refused.status[..3], &refused.json["error"]["code"]), ("400", &json!("invalid_body")));
    let message = refused.json["error"]["message"].as_str().unwrap();
    for field in ["values.spreadsheetId", "values.range", "expressions.values", "expressions.other"] {
        assert!(message.contains(field), "{field}: {message}");
    }
    let spanish = ada.request(Method::POST, &format!("{SERVICES}/{path}/node")).header("accept-language", "es");
    let spanish = send(spanish.json(&json!({"expressions": {"other": "1"}}))).await;
    assert!(spanish.json["error"]["message"].as_str().unwrap().contains("no tiene ese parámetro"), "{}", spanish.json);

    // An expression of a node has at most 4 KiB.
    let long = json!({"values": {"spreadsheetId": "1", "range": "A", "values": [["x".repeat(5_000)]]}});
    let refused = create_node(&ada, path, long).await;
    assert!(refused.json["error"]["message"].as_str().unwrap().starts_with("config.body.value"), "{}", refused.json);

    let unknown = create_node(&ada, "google-sheets/operations/nothing", json!({})).await;
    assert_eq!((&unknown.status[..3], &unknown.json["error"]["code"]), ("404", &json!("operation_not_found")));
    let unknown = create_node(&ada, "nothing/operations/append-rows", json!({})).await;
    assert_eq!((&unknown.status[..3], &unknown.json["error"]["code"]), ("404", &json!("service_not_found")));
    assert_eq!(create_node(&app.anonymous(), path, json!({})).await.status[..3], *"401");
}
