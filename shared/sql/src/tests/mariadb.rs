//! Sessions with MariaDB.

use super::*;

#[test]
fn a_server_of_mariadb_is_used() {
    in_a_process_of_its_own("tests::mariadb::session", TestDatabase::mariadb());
}

fn node(statements: &[(&str, Value)]) -> Value {
    config("mysql", "shop", statements)
}

fn query(sql: &str, parameters: Value) -> Value {
    node(&[(sql, parameters)])
}

#[tokio::test]
#[ignore = "executed by the test above"]
async fn session() {
    values().await;
    parameters().await;
    transactions().await;
    refusals().await;
    limits().await;
    broken_connections().await;
    encryption().await;
}

async fn values() {
    let create = "CREATE TABLE types (id int AUTO_INCREMENT PRIMARY KEY, tiny tinyint, big bigint unsigned, exact decimal(30,2), \
        near float, text varchar(20), bytes varbinary(9), moment timestamp(6) NULL, local datetime(3), day date, clock time, \
        bits bit(10), colour enum('red','blue'), data json, nothing text) CHARACTER SET utf8mb4";
    perform(query(create, json!([]))).await.unwrap();
    let insert = "INSERT INTO types (tiny, big, exact, near, text, bytes, moment, local, day, clock, bits, colour, data) \
        VALUES (?, ?, ?, ?, ?, x'00ff', ?, ?, ?, ?, b'1000000001', ?, ?)";
    let given = json!([
        true, 18_446_744_073_709_551_615_u64, "12345678901234567890.10", 0.1, "ñ🦀", "2026-03-02 10:00:00.5",
        "2026-03-02 10:00:00", "2026-03-02", "-51:04:05", "blue", {"a": [1]},
    ]);
    let inserted = perform(query(insert, given)).await.unwrap();
    assert_eq!(inserted, json!({"rows": [], "rowCount": 0, "affectedRows": 1, "lastInsertId": 1}));
    let expected = json!([{
        "id": 1, "tiny": 1, "big": "18446744073709551615", "exact": "12345678901234567890.10", "near": 0.1, "text": "ñ🦀",
        "bytes": "AP8=", "moment": "2026-03-02T10:00:00.5Z", "local": "2026-03-02T10:00:00", "day": "2026-03-02",
        "clock": "-51:04:05", "bits": "1000000001", "colour": "blue", "data": "{\"a\":[1]}", "nothing": null,
    }]);
    assert_eq!(rows(query("SELECT * FROM types", json!([]))).await, expected);
}

async fn parameters() {
    for hostile in ["'; DROP TABLE types; -- ", "\\'; DROP TABLE types; -- ", "?", "' OR '1'='1"] {
        let found =
            rows(query("SELECT ? AS given, count(*) AS count FROM types WHERE ? = text", json!([hostile, hostile])))
                .await;
        assert_eq!(found, json!([{"given": hostile, "count": 0}]));
    }
    expect(&perform(query("SELECT 1; DROP TABLE types", json!([]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("SELECT ?", json!([]))).await, "database_parameters", RetryHint::Never);
    let local_file = "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE types";
    assert!(perform(query(local_file, json!([]))).await.is_err());
    assert_eq!(rows(query("SELECT count(*) AS n FROM types", json!([]))).await, json!([{"n": 1}]));
}

async fn transactions() {
    let create = "CREATE TABLE accounts (name varchar(20) PRIMARY KEY, cents int, CHECK (cents >= 0))";
    perform(query(create, json!([]))).await.unwrap();
    let add = "INSERT INTO accounts VALUES (?, ?)";
    let value = perform(node(&[(add, json!(["ada", 5])), (add, json!(["bob", 5]))])).await.unwrap();
    assert_eq!(value["affectedRows"], 2);
    let pay = "UPDATE accounts SET cents = cents + ? WHERE name = ?";
    let failed = perform(node(&[(pay, json!([9, "bob"])), (pay, json!([-9, "ada"]))])).await;
    expect(&failed, "database_refused", RetryHint::Never);
    let all = query("SELECT name, cents FROM accounts ORDER BY name", json!([]));
    assert_eq!(rows(all.clone()).await, json!([{"name": "ada", "cents": 5}, {"name": "bob", "cents": 5}]));

    let read_only = json!({"readOnly": true});
    for sql in ["DELETE FROM accounts", "DROP TABLE accounts"] {
        expect(&perform(with(query(sql, json!([])), read_only.clone())).await, "database_read_only", RetryHint::Never);
    }
    assert_eq!(rows(with(all, read_only)).await.as_array().unwrap().len(), 2);
    // What would follow a statement that commits is not done.
    let delete = ("DELETE FROM accounts", json!([]));
    let ended = perform(node(&[("CREATE TABLE more (n int)", json!([])), delete.clone()])).await;
    expect(&ended, "database_transaction_ended", RetryHint::Never);
    let escape = [("SET SESSION TRANSACTION READ WRITE", json!([])), ("LOCK TABLES accounts WRITE", json!([])), delete];
    assert!(perform(with(node(&escape), json!({"readOnly": true}))).await.is_err());
    assert_eq!(rows(query("SELECT count(*) AS n FROM accounts", json!([]))).await, json!([{"n": 2}]));
    // A procedure has several results: the last one with rows counts.
    let procedure = "CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS b; END";
    perform(query(procedure, json!([]))).await.unwrap();
    assert_eq!(rows(query("CALL two()", json!([]))).await, json!([{"b": 2}]));
}

async fn refusals() {
    let simple = || query("SELECT 1", json!([]));
    let wrong = perform_as(simple(), "wrong", Duration::from_secs(60)).await;
    expect(&wrong, "database_login_refused", RetryHint::Never);
    expect(&perform(with(simple(), json!({"database": "nowhere"}))).await, "database_unknown", RetryHint::Never);
    expect(&perform(query("SELEC 1", json!([]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("SELECT 1 AS a, 2 AS a", json!([]))).await, "database_duplicate_column", RetryHint::Never);
}

async fn limits() {
    let many = |count: u32| query(&format!("SELECT seq AS n FROM seq_1_to_{count}"), json!([]));
    assert_eq!(rows(many(1_000)).await.as_array().unwrap().len(), 1_000);
    expect(&perform(many(1_001)).await, "too_many_rows", RetryHint::Never);
    let huge = query("SELECT repeat('x', 1000000) AS text FROM seq_1_to_9", json!([]));
    expect(&perform(huge).await, "result_too_large", RetryHint::Never);
    let sleep = with(query("SELECT sleep(600) AS s", json!([])), json!({"readOnly": true}));
    let slow = perform_as(sleep, PASSWORD, Duration::from_secs(3)).await;
    expect(&slow, "database_timeout", SAFE);
}

/// A statement that writes may have taken effect: the server has tables without transactions.
async fn broken_connections() {
    let insert = "INSERT INTO accounts VALUES ('eve', 1)";
    let suicide = "KILL CONNECTION CONNECTION_ID()";
    let broken = || node(&[(insert, json!([])), (suicide, json!([]))]);
    expect(&perform(broken()).await, "database_unavailable", RetryHint::Uncertain);
    let read_only = with(query(suicide, json!([])), json!({"readOnly": true}));
    expect(&perform(read_only).await, "database_unavailable", SAFE);
    assert_eq!(rows(query("SELECT count(*) AS n FROM accounts", json!([]))).await, json!([{"n": 2}]));
}

async fn encryption() {
    let sql = "SHOW STATUS LIKE 'Ssl_version'";
    assert_eq!(rows(query(sql, json!([]))).await[0]["Value"], "TLSv1.3");
    assert_eq!(rows(with(query(sql, json!([])), json!({"security": "none"}))).await[0]["Value"], "");
    let other_name = with(query(sql, json!([])), json!({"host": "127.0.0.1"}));
    expect(&perform(other_name).await, "database_not_encrypted", RetryHint::Never);
}
