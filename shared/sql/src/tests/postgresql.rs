//! Sessions with PostgreSQL.

use super::*;

#[test]
fn a_server_of_postgresql_is_used() {
    in_a_process_of_its_own("tests::postgresql::session", TestDatabase::postgresql());
}

fn node(statements: &[(&str, Value)]) -> Value {
    config("postgresql", "postgres", statements)
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
    let sql = "SELECT 7::int2 AS small, 9007199254740993 AS big, 12345678901234567890.10::numeric AS exact, 0.1::float4 AS near, \
        true AS yes, NULL AS nothing, 'ñ' AS text, '\\x00ff'::bytea AS bytes, '{\"a\": [1]}'::jsonb AS json, \
        '2026-03-02 10:00:00.5+01'::timestamptz AS moment, '2026-03-02 10:00'::timestamp AS local, '2026-03-02'::date AS day, \
        '10:00'::time AS clock, interval '1 day 2 hours' AS span, B'101' AS bits, ARRAY[1,NULL,3] AS list, \
        ARRAY[['a','b'],['c','d,\"\\']] AS matrix, 'd3b07384-d113-4ec6-a7a5-000000000000'::uuid AS id, int4range(1, 5) AS range, \
        '10.0.0.1'::inet AS address, ROW(1, 'x') AS record, 'NaN'::float8 AS nan";
    let value = perform(query(sql, json!([]))).await.unwrap();
    let expected = json!([{
        "small": 7, "big": "9007199254740993", "exact": "12345678901234567890.10", "near": 0.1, "yes": true, "nothing": null,
        "text": "ñ", "bytes": "AP8=", "json": {"a": [1]}, "moment": "2026-03-02T09:00:00.5Z", "local": "2026-03-02T10:00:00",
        "day": "2026-03-02", "clock": "10:00:00", "span": "P1DT2H", "bits": "101", "list": [1, null, 3],
        "matrix": [["a", "b"], ["c", "d,\"\\"]], "id": "d3b07384-d113-4ec6-a7a5-000000000000", "range": "[1,5)",
        "address": "10.0.0.1", "record": "(1,x)", "nan": "NaN",
    }]);
    assert_eq!(value, json!({"rows": expected, "rowCount": 1, "affectedRows": 0, "lastInsertId": null}));
}

async fn parameters() {
    let create = [
        ("CREATE TYPE colour AS ENUM ('red', 'dark blue')", json!([])),
        (
            "CREATE TABLE things (id serial, n int8, exact numeric(30, 2), moment timestamptz, data jsonb, bytes bytea, words text[], \
             colour colour, colours colour[], yes bool, id2 uuid)",
            json!([]),
        ),
    ];
    perform(node(&create)).await.unwrap();
    let given = json!([
        9_007_199_254_740_993_i64, "12345678901234567890.10", "2026-03-02T10:00:00.5Z", {"it's": ["\"", null]}, "AP8=",
        ["a\"b", null, "{c}", "d\\"], "dark blue", ["red", "dark blue"], true, "d3b07384-d113-4ec6-a7a5-000000000000",
    ]);
    let insert = "INSERT INTO things (n, exact, moment, data, bytes, words, colour, colours, yes, id2) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
        RETURNING n, exact, moment, data, bytes, words, colour, colours::text[], yes, id2";
    let value = perform(query(insert, given.clone())).await.unwrap();
    assert_eq!(value["affectedRows"], 1);
    let mut returned: Vec<Value> = value["rows"][0].as_object().unwrap().values().cloned().collect();
    assert_eq!(returned[0], "9007199254740993");
    returned[0] = given[0].clone();
    assert_eq!(Value::from(returned), given);

    // A value is never part of the SQL.
    for hostile in ["'; DROP TABLE things; --", "\\'; DROP TABLE things; --", "$1", "' OR '1'='1"] {
        let found =
            rows(query("SELECT $1 AS given, count(*) AS count FROM things WHERE $1 = 'x'", json!([hostile]))).await;
        assert_eq!(found, json!([{"given": hostile, "count": 0}]));
    }
    expect(&perform(query("SELECT 1; DROP TABLE things", json!([]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("SELECT $1::int", json!([]))).await, "database_parameters", RetryHint::Never);
    expect(&perform(query("SELECT $1::int", json!(["x"]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("SELECT $1::bytea", json!(["%"]))).await, "database_parameters", RetryHint::Never);
    assert_eq!(rows(query("SELECT count(*) FROM things", json!([]))).await, json!([{"count": 1}]));
}

async fn transactions() {
    perform(query("CREATE TABLE accounts (name text PRIMARY KEY, cents int CHECK (cents >= 0))", json!([])))
        .await
        .unwrap();
    let add = "INSERT INTO accounts VALUES ($1, $2)";
    let value = perform(node(&[(add, json!(["ada", 5])), (add, json!(["bob", 5]))])).await.unwrap();
    assert_eq!(value["affectedRows"], 2);
    let pay = "UPDATE accounts SET cents = cents + $1 WHERE name = $2";
    let failed = perform(node(&[(pay, json!([9, "bob"])), (pay, json!([-9, "ada"]))])).await;
    expect(&failed, "database_refused", RetryHint::Never);
    assert!(failed.unwrap_err().error.message.starts_with("statements[1]: "));
    let all = query("SELECT name, cents FROM accounts ORDER BY name", json!([]));
    assert_eq!(rows(all.clone()).await, json!([{"name": "ada", "cents": 5}, {"name": "bob", "cents": 5}]));

    let serializable = ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", json!([]));
    let level = node(&[serializable, ("SELECT current_setting('transaction_isolation') AS level", json!([]))]);
    assert_eq!(rows(level).await, json!([{"level": "serializable"}]));

    let read_only = json!({"readOnly": true});
    for sql in ["DELETE FROM accounts", "DROP TABLE accounts", "SELECT nextval('things_id_seq')"] {
        expect(&perform(with(query(sql, json!([])), read_only.clone())).await, "database_read_only", RetryHint::Never);
    }
    for escape in ["SET TRANSACTION READ WRITE", "SELECT set_config('transaction_read_only', 'off', true)"] {
        let tried = node(&[(escape, json!([])), ("DELETE FROM accounts", json!([]))]);
        assert!(perform(with(tried, read_only.clone())).await.is_err(), "{escape}");
    }
    assert_eq!(rows(with(all, read_only)).await.as_array().unwrap().len(), 2);
}

async fn refusals() {
    let simple = || query("SELECT 1", json!([]));
    let wrong = perform_as(simple(), "wrong", Duration::from_secs(60)).await;
    expect(&wrong, "database_login_refused", RetryHint::Never);
    expect(&perform(with(simple(), json!({"database": "nowhere"}))).await, "database_unknown", RetryHint::Never);
    expect(&perform(query("SELEC 1", json!([]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("SELECT 1 AS a, 2 AS a", json!([]))).await, "database_duplicate_column", RetryHint::Never);
    expect(&perform(query("COPY accounts TO STDOUT", json!([]))).await, "database_refused", RetryHint::Never);
    expect(&perform(query("COMMIT", json!([]))).await, "database_invalid_answer", RetryHint::Never);
}

async fn limits() {
    let many = |count: u32| query("SELECT generate_series(1, $1::int) AS n", json!([count]));
    assert_eq!(rows(many(1_000)).await.as_array().unwrap().len(), 1_000);
    expect(&perform(many(1_001)).await, "too_many_rows", RetryHint::Never);
    let few = json!({"maxRows": 2});
    assert_eq!(rows(with(many(2), few.clone())).await, json!([{"n": 1}, {"n": 2}]));
    // With too many rows, nothing is changed either.
    let delete = "DELETE FROM accounts RETURNING name";
    expect(&perform(with(query(delete, json!([])), json!({"maxRows": 1}))).await, "too_many_rows", RetryHint::Never);
    assert_eq!(rows(query("SELECT count(*) FROM accounts", json!([]))).await, json!([{"count": 2}]));
    let huge = query("SELECT repeat('x', 1000000) AS text FROM generate_series(1, 9)", json!([]));
    expect(&perform(huge).await, "result_too_large", RetryHint::Never);
    let slow = perform_as(query("SELECT pg_sleep(600)", json!([])), PASSWORD, Duration::from_secs(3)).await;
    expect(&slow, "database_timeout", SAFE);
}

/// An attempt is uncertain only if the connection breaks at the commit.
async fn broken_connections() {
    let suicide = "SELECT pg_terminate_backend(pg_backend_pid())";
    let insert = "INSERT INTO accounts VALUES ('eve', 1)";
    let broken = perform(node(&[(insert, json!([])), (suicide, json!([]))])).await;
    expect(&broken, "database_unavailable", SAFE);
    let at_commit = [
        ("CREATE TABLE fragile (n int)", json!([])),
        (
            "CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(600); RETURN NULL; END $$",
            json!([]),
        ),
        (
            "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON fragile DEFERRABLE INITIALLY DEFERRED \
             FOR EACH ROW EXECUTE FUNCTION end_session()",
            json!([]),
        ),
    ];
    perform(node(&at_commit)).await.unwrap();
    let broken = perform(query("INSERT INTO fragile VALUES (1)", json!([]))).await;
    expect(&broken, "database_unavailable", RetryHint::Uncertain);
    let left = "SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM fragile) AS fragile";
    assert_eq!(rows(query(left, json!([]))).await, json!([{"accounts": 2, "fragile": 0}]));
}

async fn encryption() {
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert_eq!(rows(query(sql, json!([]))).await, json!([{"ssl": true}]));
    assert_eq!(rows(with(query(sql, json!([])), json!({"security": "none"}))).await, json!([{"ssl": false}]));
    let other_name = with(query(sql, json!([])), json!({"host": "127.0.0.1"}));
    expect(&perform(other_name).await, "database_not_encrypted", RetryHint::Never);
}
