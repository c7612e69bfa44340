//! The kubeconfig of the cluster of workbenches: stored encrypted, shown without its credentials.

use serde_json::{Value, json};
use store::WorkbenchCluster;
use tests::TestApp;

use super::{ADMIN, assert_refused, last_audit_entry};

fn path() -> String {
    format!("{ADMIN}/workbench-cluster")
}

fn kubeconfig(server: &str, user: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "labs",
        "clusters": [{"name": "labs", "cluster": {"server": server}}],
        "users": [{"name": "platform", "user": user}],
        "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform"}}],
    })
}

/// The stored item as text.
async fn stored_text(app: &TestApp) -> String {
    let context = app.platform.context();
    let table = context.config.required("TABLE_ENTITIES").unwrap().to_owned();
    let key = store::keys::workbench_cluster().attributes();
    let found = context.aws.dynamodb().get_item().table_name(table).set_key(Some(key)).send().await.unwrap();
    format!("{:?}", found.item)
}

#[tokio::test]
async fn a_kubeconfig_is_stored_encrypted_and_never_returned() {
    let app = TestApp::start().await;
    let operator = app.operator();
    assert_refused(&operator.get(&path()).await, "404 Not Found", "workbench_cluster_not_found");
    assert_refused(&operator.delete(&path()).await, "404 Not Found", "workbench_cluster_not_found");

    let put = operator.put(&path(), kubeconfig("https://10.0.0.1:6443", &json!({"token": "first-secret"}))).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
    assert_eq!((&put.json["server"], &put.json["login"]), (&json!("https://10.0.0.1:6443"), &json!("token")));
    assert_eq!(operator.get(&path()).await.json, put.json);
    let first = last_audit_entry(&app).await;
    assert_eq!((&first["action"], &first["before"]), (&json!("workbench_cluster.put"), &Value::Null));
    assert_eq!(first["after"], put.json);

    let second = kubeconfig("https://labs.example", &json!({"token": "second-secret"}));
    assert_eq!(operator.put(&path(), second).await.status, "200 OK");
    assert_eq!(last_audit_entry(&app).await["before"], put.json);
    let stored = stored_text(&app).await;
    assert!(stored.contains("https://labs.example") && !stored.contains("second-secret"), "{stored}");
    let audit = operator.get(&format!("{ADMIN}/audit?limit=100")).await.text;
    assert!(!audit.contains("-secret"), "{audit}");

    // Only the worker can decrypt it, and it gets what was stored last.
    let cluster = WorkbenchCluster::new(&app.platform.context_of("workbench-worker")).unwrap();
    let access = cluster.open(&cluster.find().await.unwrap().unwrap()).await.unwrap();
    assert_eq!(access.server, "https://labs.example");
    assert_eq!(access.login, domain::workbench::ClusterLogin::Token("second-secret".to_owned()));

    assert_eq!(operator.delete(&path()).await.status, "204 No Content");
    assert_eq!(last_audit_entry(&app).await["action"], "workbench_cluster.delete");
    assert_refused(&operator.get(&path()).await, "404 Not Found", "workbench_cluster_not_found");
}

#[tokio::test]
async fn a_kubeconfig_that_a_function_cannot_use_is_refused_with_what_to_send() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let server = "https://10.0.0.1:6443";
    for (body, field, advice) in [
        (json!({}), "current-context", "missing"),
        (kubeconfig("http://10.0.0.1:6443", &json!({"token": "t"})), "cluster.server", "https://"),
        (kubeconfig(server, &json!({})), "user", "client-certificate-data"),
        (kubeconfig(server, &json!({"exec": {"command": "aws"}})), "user.exec", "token of a service account"),
        (kubeconfig(server, &json!({"tokenFile": "/token"})), "user.tokenFile", "token of a service account"),
        (kubeconfig(server, &json!({"client-certificate": "/a.pem"})), "user.client-certificate", "-data"),
    ] {
        let refused = operator.put(&path(), body).await;
        assert_refused(&refused, "400 Bad Request", "invalid_body");
        assert_eq!(refused.json["error"]["param"], field, "{}", refused.text);
        assert!(refused.json["error"]["message"].as_str().unwrap().contains(advice), "{}", refused.text);
    }
    assert_refused(&operator.get(&path()).await, "404 Not Found", "workbench_cluster_not_found");
}

#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body = || kubeconfig("https://10.0.0.1:6443", &json!({"token": "secret"}));
    assert_eq!(operator.put(&path(), body()).await.status, "200 OK");
    let put = app.costs(operator.put(&path(), body())).await.to_string();
    let get = app.costs(operator.get(&path())).await.to_string();
    let delete = app.costs(operator.delete(&path())).await.to_string();
    insta::assert_snapshot!(format!("put: {put}\nget: {get}\ndelete: {delete}"), @r"
    put: 2 dynamodb:BatchGetItem (6 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (13 units)
    get: 1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)
    delete: 2 dynamodb:BatchGetItem (6 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (13 units)
    ");
}
