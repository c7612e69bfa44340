//! Calls with DynamoDB's JSON, as the SDK sends it.

mod reads;
mod sdk;
mod values;
mod writes;

use serde_json::{Value, json};

use super::refusal::VALIDATION;
use super::{Api, Failure, Refusal};
use crate::{Database, IndexSchema, Options, Projection, SortAttribute, TableSchema};

fn index(name: &str, partition: &str, sort: (&str, bool), projection: Projection) -> IndexSchema {
    let sort = SortAttribute { name: sort.0.to_owned(), is_number: sort.1 };
    IndexSchema { name: name.to_owned(), partition: partition.to_owned(), sort, projection }
}

fn api() -> Api {
    let indexes = vec![
        index("by_name", "pk", ("by_name", false), Projection::Some(vec!["head".to_owned()])),
        index("due", "due_shard", ("due_at", true), Projection::Keys),
    ];
    let things = TableSchema { name: "things".to_owned(), indexes, expiry: Some("expires_at".to_owned()) };
    let others = TableSchema { name: "others".to_owned(), indexes: Vec::new(), expiry: None };
    let options = Options { file: None, is_used: false, waits_for_disk: false, count_units: true };
    Api::new(Database::open(options, [things, others]).unwrap())
}

async fn call(api: &Api, operation: &str, request: Value) -> Value {
    match api.call(operation, request.to_string().as_bytes()).await {
        Ok(answer) => serde_json::from_slice(&answer).unwrap(),
        Err(failure) => panic!("{operation} {request}: {failure:?}"),
    }
}

async fn refuse(api: &Api, operation: &str, request: Value) -> Refusal {
    match api.call(operation, request.to_string().as_bytes()).await {
        Err(Failure::Refused(refusal)) => refusal,
        other => panic!("{operation} {request}: {other:?}"),
    }
}

/// Adds the fields of an object to another one.
fn with(mut request: Value, fields: Value) -> Value {
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    request
}

fn key(pk: &str, sk: &str) -> Value {
    json!({"pk": {"S": pk}, "sk": {"S": sk}})
}

async fn put(api: &Api, pk: &str, sk: &str, fields: Value) {
    let item = with(key(pk, sk), fields);
    assert_eq!(call(api, "PutItem", json!({"TableName": "things", "Item": item})).await, json!({}));
}

async fn get(api: &Api, pk: &str, sk: &str) -> Value {
    let answer = call(api, "GetItem", json!({"TableName": "things", "Key": key(pk, sk)})).await;
    answer["Item"].clone()
}

#[tokio::test]
async fn tables_are_listed_and_described() {
    let api = api();
    assert_eq!(call(&api, "ListTables", json!({})).await, json!({"TableNames": ["others", "things"]}));
    let first = call(&api, "ListTables", json!({"Limit": 1})).await;
    assert_eq!(first, json!({"TableNames": ["others"], "LastEvaluatedTableName": "others"}));
    let rest = call(&api, "ListTables", json!({"ExclusiveStartTableName": "others"})).await;
    assert_eq!(rest, json!({"TableNames": ["things"]}));

    let table = call(&api, "DescribeTable", json!({"TableName": "things"})).await["Table"].clone();
    assert_eq!(table["KeySchema"][0], json!({"AttributeName": "pk", "KeyType": "HASH"}));
    assert_eq!(table["AttributeDefinitions"][4], json!({"AttributeName": "due_at", "AttributeType": "N"}));
    let local = &table["LocalSecondaryIndexes"][0];
    assert_eq!(local["Projection"], json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["head"]}));
    assert_eq!(table["GlobalSecondaryIndexes"][0]["IndexName"], "due");
}

#[tokio::test]
async fn unknown_operations_tables_and_parameters_are_refused() {
    let api = api();
    assert_eq!(refuse(&api, "CreateTable", json!({})).await.kind, "UnknownOperationException");
    for operation in ["DescribeTable", "GetItem", "PutItem"] {
        let field = if operation == "PutItem" { "Item" } else { "Key" };
        let mut request = json!({"TableName": "none"});
        if operation != "DescribeTable" {
            request[field] = key("a", "b");
        }
        let refusal = refuse(&api, operation, request).await;
        assert_eq!(refusal.kind, "ResourceNotFoundException", "{operation}");
        assert_eq!(refusal.to_json()["__type"], "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException");
    }
    let expected = json!({"TableName": "things", "Item": key("a", "b"), "Expected": {"a": {"Exists": false}}});
    let refusal = refuse(&api, "PutItem", expected).await;
    assert_eq!(refusal.kind, VALIDATION);
    assert!(refusal.message.contains("Expected"), "{}", refusal.message);
}

#[tokio::test]
async fn bodies_that_are_not_requests_are_refused() {
    let api = api();
    let operations = [
        "BatchGetItem",
        "DeleteItem",
        "DescribeTable",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactWriteItems",
        "UpdateItem",
    ];
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for operation in operations {
        for body in ["", "null", "[]", "{", "{\"TableName\": 1}", "\u{0}", "{\"RequestItems\": {}}", &deep] {
            let Err(Failure::Refused(refusal)) = api.call(operation, body.as_bytes()).await else {
                panic!("{operation} accepts {body:?}");
            };
            assert_eq!(refusal.kind, VALIDATION, "{operation} {body:?}");
        }
    }
}
