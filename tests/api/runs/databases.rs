//! Nodes of the type `database`, at a real PostgreSQL. Without one, the tests print a line and end.

use testing::databases::{PASSWORD, TestDatabase, USER};

use super::*;

/// A workflow with the credential of a database.
pub struct Shop {
    pub workflow: String,
    credential: String,
    database: TestDatabase,
}

impl Shop {
    /// None if PostgreSQL is not installed.
    pub async fn open(ada: &Person) -> Option<Self> {
        let database = tokio::task::spawn_blocking(TestDatabase::postgresql).await.unwrap()?;
        let created = ada.post_json(WORKFLOWS, json!({"name": "Shop"})).await;
        let workflow = created.id().to_owned();
        let credential =
            store_credential(ada, &workflow, json!({"type": "basic", "username": USER, "password": PASSWORD}));
        Some(Self { credential: credential.await, workflow, database })
    }

    /// The configuration of a node.
    pub fn config(&self, changes: Value) -> Value {
        let mut config = json!({
            "server": "postgresql", "host": "127.0.0.1", "port": self.database.port, "database": self.database.database,
            "security": "none", "credentialId": self.credential,
        });
        config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        config
    }

    /// Publishes a node between an input and the results of its ports, and returns its run.
    pub async fn run(&self, app: &TestApp, ada: &Person, config: Value, input: Value) -> Value {
        publish_again(ada, &self.workflow, self.graph(config)).await;
        let path = start_run(ada, &self.workflow, input).await;
        app.platform.drain().await;
        read(ada, &path).await
    }

    fn graph(&self, config: Value) -> Value {
        let end = |id: &str| node(id, "send_result", json!({"output": "input"}));
        let query = node("query", "database", config.clone());
        let nodes = [node("start", "input", json!({})), query, end("end"), end("failed")];
        let mut ports = vec!["start.out query", "query.out end"];
        if config["onError"] == "branch" {
            ports.push("query.error failed");
            return graph(&nodes, &ports);
        }
        graph(&nodes[..3], &ports)
    }
}

async fn store_credential(ada: &Person, workflow: &str, mut body: Value) -> String {
    body["name"] = json!("Shop");
    let stored = ada.post_json(&format!("{WORKFLOWS}/{workflow}/webhook-credentials/outbound"), body).await;
    assert_eq!(stored.status, "201 Created", "{}", stored.text);
    stored.id().to_owned()
}

fn statement(sql: &str, parameters: &str) -> Value {
    json!({"statements": [{"sql": sql, "parameters": parameters}]})
}

#[tokio::test]
async fn a_run_reads_and_writes_a_database() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let Some(shop) = Shop::open(&ada).await else { return };
    let create =
        shop.config(json!({"statements": [{"sql": "CREATE TABLE orders (id int PRIMARY KEY, name text, card text)"}]}));
    assert_eq!(shop.run(&app, &ada, create, json!({})).await["output"]["affectedRows"], 0);

    // Once for each element of a list.
    let mut insert = shop
        .config(statement("INSERT INTO orders VALUES ($1, $2, $3)", "[input.id, input.name, '4111 1111 1111 1111']"));
    insert["each"] = json!({"items": "input", "concurrency": 2});
    let orders = json!([{"id": 1, "name": "Ada"}, {"id": 2, "name": "'); DROP TABLE orders; --"}]);
    let run = shop.run(&app, &ada, insert, orders).await;
    assert_eq!(run["output"].as_array().map(Vec::len), Some(2), "{run}");

    let mut select = shop.config(statement("SELECT * FROM orders WHERE id = ANY($1) ORDER BY id", "[input.ids]"));
    select["redact"] = json!(["output.rows.*.card"]);
    let run = shop.run(&app, &ada, select, json!({"ids": [1, 2]})).await;
    assert_eq!(run["output"]["rowCount"], 2, "{run}");
    assert_eq!(run["output"]["rows"][1]["name"], "'); DROP TABLE orders; --");
    assert!(!run.to_string().contains("4111 1111"), "{run}");

    // All statements, or none.
    let transfer = json!({"onError": "branch", "statements": [
        {"sql": "DELETE FROM orders"}, {"sql": "INSERT INTO orders (id) VALUES ($1)", "parameters": "[input.id]"},
    ]});
    let failed = shop.run(&app, &ada, shop.config(transfer), json!({"id": null})).await;
    assert_eq!(failed["output"]["code"], "database_refused", "{failed}");
    let count = shop.config(json!({"readOnly": true, "statements": [{"sql": "SELECT count(*) AS n FROM orders"}]}));
    assert_eq!(shop.run(&app, &ada, count.clone(), json!({})).await["output"]["rows"], json!([{"n": 2}]));

    // A preview has no clients.
    ada.patch(&format!("{WORKFLOWS}/{}", shop.workflow), json!({"graph": shop.graph(count)})).await;
    let tried = ada.post_json(&format!("{WORKFLOWS}/{}/preview", shop.workflow), json!({"input": {}})).await;
    assert!(tried.text.contains("not_in_preview") && tried.text.contains("pin the output"), "{}", tried.text);
}

#[tokio::test]
async fn a_run_says_why_a_database_cannot_be_used() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let Some(shop) = Shop::open(&ada).await else { return };
    let wrong = json!({"type": "basic", "username": USER, "password": "wrong-password"});
    let wrong = store_credential(&ada, &shop.workflow, wrong).await;
    for (changes, code) in [
        (json!({"host": "10.0.0.1"}), "destination_forbidden"),
        (json!({"host": "169.254.169.254"}), "destination_forbidden"),
        (json!({"security": "tls"}), "database_not_encrypted"),
        (json!({"credentialId": wrong}), "database_login_refused"),
        (json!({"database": "nowhere"}), "database_unknown"),
        (json!({"server": "mysql", "timeoutMs": 2000}), "database_timeout"),
        (json!({"statements": [{"sql": "SELECT $1", "parameters": "input"}]}), "invalid_value"),
        (json!({"maxRows": 1, "statements": [{"sql": "SELECT generate_series(1, 2)"}]}), "too_many_rows"),
    ] {
        let mut config = shop.config(json!({"onError": "branch", "statements": [{"sql": "SELECT 1"}]}));
        config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let run = shop.run(&app, &ada, config, json!({})).await;
        assert_eq!(run["output"]["code"], code, "{changes}: {run}");
        assert!(!run.to_string().contains(PASSWORD) && !run.to_string().contains("wrong-password"), "{run}");
    }
}

#[tokio::test]
async fn a_statement_is_no_template() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for sql in ["SELECT * FROM {{ input.table }}", "COMMIT", ""] {
        let config = json!({
            "server": "mysql", "host": "db.example.com", "database": "shop", "statements": [{"sql": sql}],
        });
        let nodes = [
            node("start", "input", json!({})),
            node("query", "database", config),
            node("end", "send_result", json!({})),
        ];
        let created = ada.post_json(
            WORKFLOWS,
            json!({"name": "Flow", "graph": graph(&nodes, &["start.out query", "query.out end"])}),
        );
        let published = ada.post(&format!("{WORKFLOWS}/{}/publish", created.await.id())).await;
        assert!(published.text.contains("statements[0].sql"), "{sql}: {}", published.text);
    }
}
