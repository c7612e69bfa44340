//! Sessions with real servers. A server is started by a test that then executes the same program, in which the authority of the
//! server's certificate is trusted. Without the servers, the tests print a line and end.

mod hostile;
mod mariadb;
mod postgresql;

use std::process::Command;
use std::time::Duration;

use effects::{DatabaseCall, DatabaseClients, Login};
use engine::drive::{EffectError, RetryHint};
use engine::nodes::database::DatabaseNode;
use outbound::{AddressGuard, Internet, Outbound};
use serde_json::{Value, json};
use testing::databases::{PASSWORD, TestDatabase, USER};
use tokio::time::Instant;

use crate::SqlClients;

const PORT: &str = "TEST_DATABASE_PORT";
const SAFE: RetryHint = RetryHint::After(Duration::ZERO);

/// Executes the ignored test `name` of this program.
fn in_a_process_of_its_own(name: &str, server: Option<TestDatabase>) {
    let Some(server) = server else { return };
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", name, "--ignored", "--nocapture"]);
    test.env("SSL_CERT_FILE", &server.authority).env(PORT, server.port.to_string());
    let output = test.output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{errors}");
}

/// The configuration of a node at the server that the first process has started.
fn config(server: &str, database: &str, statements: &[(&str, Value)]) -> Value {
    let port: u16 = std::env::var(PORT).expect("this test is executed by another").parse().unwrap();
    let statements: Vec<_> =
        statements.iter().map(|(sql, parameters)| json!({"sql": sql, "parameters": parameters})).collect();
    json!({
        "server": server, "host": "localhost", "port": port, "database": database, "security": "tls",
        "statements": statements,
    })
}

fn with(mut config: Value, changes: Value) -> Value {
    for (name, value) in changes.as_object().unwrap() {
        config[name] = value.clone();
    }
    config
}

async fn perform(config: Value) -> Result<Value, EffectError> {
    perform_as(config, PASSWORD, Duration::from_secs(300)).await
}

async fn perform_as(config: Value, password: &str, time: Duration) -> Result<Value, EffectError> {
    let node: DatabaseNode<Value> = serde_json::from_value(config).unwrap();
    let outbound = Outbound::new(AddressGuard::allowing(["127.0.0.0/8", "::1"]).unwrap(), Internet);
    let stream = outbound.open(&node.host, node.port.unwrap()).await.unwrap();
    let login = Login { username: USER.to_owned(), password: password.to_owned() };
    let deadline = Instant::now() + time;
    SqlClients.perform(DatabaseCall { node: &node, login, stream, outbound: &outbound, deadline }).await
}

async fn rows(config: Value) -> Value {
    perform(config).await.unwrap_or_else(|error| panic!("{error:?}"))["rows"].clone()
}

#[track_caller]
fn expect(result: &Result<Value, EffectError>, code: &str, retry: RetryHint) {
    match result {
        Err(error) => {
            assert_eq!((error.error.code.as_str(), error.retry), (code, retry), "{error:?}");
            assert!(!error.error.message.contains(PASSWORD), "{error:?}");
        }
        Ok(value) => panic!("{value}"),
    }
}
