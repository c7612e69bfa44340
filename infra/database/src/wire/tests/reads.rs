//! `GetItem`, `BatchGetItem`, `Query` and `Scan`.

use serde_json::{Value, json};

use super::{Api, api, call, get, key, put, refuse, with};
use crate::wire::refusal::VALIDATION;

/// Puts the items `b0` to `b9` into the partition `a`, and one into each index.
async fn fill(api: &Api) {
    for number in 0..10 {
        put(api, "a", &format!("b{number}"), json!({"n": {"N": number.to_string()}})).await;
    }
    put(api, "a", "c", json!({"by_name": {"S": "x"}, "head": {"M": {"t": {"S": "h"}}}, "n": {"N": "10"}})).await;
    put(api, "d", "e", json!({"due_shard": {"S": "0"}, "due_at": {"N": "5"}, "n": {"N": "11"}})).await;
}

fn query(condition: &str, values: Value) -> Value {
    json!({"TableName": "things", "KeyConditionExpression": condition, "ExpressionAttributeValues": values})
}

/// The sort keys of the items of an answer.
fn sort_keys(answer: &Value) -> Vec<&str> {
    answer["Items"].as_array().unwrap().iter().map(|item| item["sk"]["S"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_item_is_read_whole_or_in_part() {
    let api = api();
    put(&api, "a", "b", json!({"head": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"S": "t"}}}}}, "status": {"S": "s"}}))
        .await;
    assert_eq!(get(&api, "a", "none").await, Value::Null);
    let request = json!({
        "TableName": "things", "Key": key("a", "b"), "ConsistentRead": false, "ReturnConsumedCapacity": "INDEXES",
        "ProjectionExpression": "pk, #head.y.z, none, head.none.x, #s",
        "ExpressionAttributeNames": {"#head": "head", "#s": "status"},
    });
    let projected = json!({"pk": {"S": "a"}, "head": {"M": {"y": {"M": {"z": {"S": "t"}}}}}, "status": {"S": "s"}});
    let consumed = json!({"TableName": "things", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}});
    assert_eq!(call(&api, "GetItem", request).await, json!({"Item": projected, "ConsumedCapacity": consumed}));
    let consistent =
        json!({"TableName": "things", "Key": key("a", "c"), "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL"});
    let consumed = json!({"TableName": "things", "CapacityUnits": 1.0});
    assert_eq!(call(&api, "GetItem", consistent).await, json!({"ConsumedCapacity": consumed}));

    for wrong in [json!({}), json!({"pk": {"S": "a"}}), with(key("a", "b"), json!({"x": {"S": "c"}})), key("", "b")] {
        assert_eq!(refuse(&api, "GetItem", json!({"TableName": "things", "Key": wrong})).await.kind, VALIDATION);
    }
    let unused = json!({"TableName": "things", "Key": key("a", "b"), "ExpressionAttributeNames": {"#a": "a"}});
    assert!(refuse(&api, "GetItem", unused).await.message.contains("#a"));
}

#[tokio::test]
async fn a_batch_reads_several_tables() {
    let api = api();
    fill(&api).await;
    let keys = json!([key("a", "b1"), key("a", "b2"), key("a", "none")]);
    let request = json!({"ReturnConsumedCapacity": "TOTAL", "RequestItems": {
        "things": {"Keys": keys, "ConsistentRead": true, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}},
        "others": {"Keys": [key("a", "b")]},
    }});
    let answer = json!({
        "Responses": {"things": [{"n": {"N": "1"}}, {"n": {"N": "2"}}], "others": []},
        "UnprocessedKeys": {},
        "ConsumedCapacity": [
            {"TableName": "others", "CapacityUnits": 0.5}, {"TableName": "things", "CapacityUnits": 3.0},
        ],
    });
    assert_eq!(call(&api, "BatchGetItem", request).await, answer);
    let many: Vec<_> = (0..101).map(|number| key("a", &number.to_string())).collect();
    for keys in [json!([]), json!([key("a", "b"), key("a", "b")]), json!(many)] {
        let request = json!({"RequestItems": {"things": {"Keys": keys}}});
        assert_eq!(refuse(&api, "BatchGetItem", request).await.kind, VALIDATION);
    }
}

#[tokio::test]
async fn key_conditions_select_ranges_of_a_partition() {
    let api = api();
    fill(&api).await;
    let selected = [
        ("pk = :p AND sk = :x", vec!["b3"]),
        ("(sk < :x) AND (pk = :p)", vec!["b0", "b1", "b2"]),
        ("pk = :p AND sk <= :x", vec!["b0", "b1", "b2", "b3"]),
        ("pk = :p AND sk > :y", vec!["b6", "b7", "b8", "b9", "c"]),
        ("(pk = :p AND sk >= :y)", vec!["b5", "b6", "b7", "b8", "b9", "c"]),
        ("pk = :p AND sk BETWEEN :x AND :y", vec!["b3", "b4", "b5"]),
        ("pk = :p AND begins_with(sk, :x)", vec!["b3"]),
    ];
    for (condition, keys) in selected {
        let mut values = json!({":p": {"S": "a"}});
        for (placeholder, value) in
            [(":x", "b3"), (":y", "b5")].into_iter().filter(|(name, _)| condition.contains(name))
        {
            values[placeholder] = json!({"S": value});
        }
        assert_eq!(sort_keys(&call(&api, "Query", query(condition, values)).await), keys, "{condition}");
    }
    let values = json!({":p": {"S": "a"}, ":x": {"N": "1"}});
    for wrong in [
        "sk = :p",
        "pk > :p",
        "pk = :p AND pk = :p",
        "pk = :p AND n = :x",
        "pk = :p AND sk = :x",
        "pk = :x",
        "pk = :p OR sk = :p",
        "pk IN (:p)",
        "pk = :p AND size(sk) = :x",
        "pk = :p AND sk.a = :p",
    ] {
        let used = values.as_object().unwrap().iter().filter(|(name, _)| wrong.contains(name.as_str()));
        let used = used.map(|(name, value)| (name.clone(), value.clone())).collect::<serde_json::Map<_, _>>();
        assert_eq!(refuse(&api, "Query", query(wrong, used.into())).await.kind, VALIDATION, "{wrong}");
    }
}

#[tokio::test]
async fn a_query_has_pages_a_filter_an_order_and_a_count() {
    let api = api();
    fill(&api).await;
    let filtered =
        with(query("pk = :p", json!({":p": {"S": "a"}, ":n": {"N": "4"}})), json!({"FilterExpression": "n >= :n"}));
    let first =
        with(filtered.clone(), json!({"Limit": 3, "ScanIndexForward": false, "ReturnConsumedCapacity": "TOTAL"}));
    let page = call(&api, "Query", first.clone()).await;
    assert_eq!(
        (sort_keys(&page), &page["Count"], &page["ScannedCount"]),
        (vec!["c", "b9", "b8"], &json!(3), &json!(3))
    );
    assert_eq!(page["ConsumedCapacity"], json!({"TableName": "things", "CapacityUnits": 0.5}));
    let next = with(first, json!({"ExclusiveStartKey": page["LastEvaluatedKey"], "Limit": 7}));
    let page = call(&api, "Query", next).await;
    assert_eq!((sort_keys(&page), &page["ScannedCount"]), (vec!["b7", "b6", "b5", "b4"], &json!(7)));

    let count = call(&api, "Query", with(filtered.clone(), json!({"Select": "COUNT"}))).await;
    assert_eq!(count, json!({"Count": 7, "ScannedCount": 11}));
    for wrong in [
        json!({"Limit": 0}),
        json!({"Limit": -1}),
        json!({"ExclusiveStartKey": key("x", "b")}),
        json!({"ExclusiveStartKey": {"pk": {"S": "a"}}}),
        json!({"Select": "SPECIFIC_ATTRIBUTES"}),
        json!({"IndexName": "none"}),
        json!({"KeyConditions": {}}),
    ] {
        assert_eq!(refuse(&api, "Query", with(filtered.clone(), wrong.clone())).await.kind, VALIDATION, "{wrong}");
    }
}

#[tokio::test]
async fn indexes_have_what_they_project() {
    let api = api();
    fill(&api).await;
    let local = with(
        query("pk = :p", json!({":p": {"S": "a"}})),
        json!({"IndexName": "by_name", "ReturnConsumedCapacity": "INDEXES"}),
    );
    let page = call(&api, "Query", with(local.clone(), json!({"Limit": 1, "ConsistentRead": true}))).await;
    let item = with(key("a", "c"), json!({"by_name": {"S": "x"}, "head": {"M": {"t": {"S": "h"}}}}));
    assert_eq!(page["Items"], json!([item]));
    let consumed = json!({"TableName": "things", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 0.0},
        "LocalSecondaryIndexes": {"by_name": {"CapacityUnits": 1.0}}});
    assert_eq!(page["ConsumedCapacity"], consumed);
    let cursor = with(key("a", "c"), json!({"by_name": {"S": "x"}}));
    assert_eq!(page["LastEvaluatedKey"], cursor);
    let rest = call(&api, "Query", with(local.clone(), json!({"ExclusiveStartKey": cursor}))).await;
    assert_eq!((&rest["Count"], &rest["LastEvaluatedKey"]), (&json!(0), &Value::Null));
    for wrong in [json!({"ProjectionExpression": "n"}), json!({"Select": "ALL_ATTRIBUTES"})] {
        assert_eq!(refuse(&api, "Query", with(local.clone(), wrong)).await.kind, VALIDATION);
    }

    let values = json!({":s": {"S": "0"}, ":at": {"N": "5.0"}});
    let global = with(
        query("due_shard = :s AND due_at <= :at", values),
        json!({"IndexName": "due", "ReturnConsumedCapacity": "INDEXES"}),
    );
    let page = call(&api, "Query", global.clone()).await;
    assert_eq!(page["Items"], json!([with(key("d", "e"), json!({"due_shard": {"S": "0"}, "due_at": {"N": "5"}}))]));
    assert_eq!(page["ConsumedCapacity"]["GlobalSecondaryIndexes"], json!({"due": {"CapacityUnits": 0.5}}));
    assert_eq!(refuse(&api, "Query", with(global, json!({"ConsistentRead": true}))).await.kind, VALIDATION);
}

#[tokio::test]
async fn a_scan_reads_the_whole_table_in_pages() {
    let api = api();
    fill(&api).await;
    let text = "x".repeat(200_000);
    for number in 0..12 {
        put(&api, "large", &number.to_string(), json!({"text": {"S": text}})).await;
    }
    let (mut found, mut pages, mut after) = (0, 0, Value::Null);
    loop {
        let page = call(&api, "Scan", json!({"TableName": "things", "ExclusiveStartKey": after})).await;
        (found, pages) = (found + sort_keys(&page).len(), pages + 1);
        after = page["LastEvaluatedKey"].clone();
        if after.is_null() {
            break;
        }
    }
    assert_eq!((found, pages), (24, 3));

    let request = json!({"TableName": "things", "FilterExpression": "attribute_exists(due_at)", "Limit": 13, "ProjectionExpression": "sk",
        "ExclusiveStartKey": key("a", "b5"), "ReturnConsumedCapacity": "TOTAL"});
    let page = call(&api, "Scan", request).await;
    assert_eq!((sort_keys(&page), &page["ScannedCount"]), (vec!["e"], &json!(11)));
    let count = call(&api, "Scan", json!({"TableName": "things", "Limit": 5, "Select": "COUNT"})).await;
    assert_eq!(count, json!({"Count": 5, "ScannedCount": 5, "LastEvaluatedKey": key("a", "b4")}));
    for wrong in [json!({"TotalSegments": 2, "Segment": 0}), json!({"IndexName": "due"}), json!({"Limit": 0})] {
        assert_eq!(refuse(&api, "Scan", with(json!({"TableName": "things"}), wrong)).await.kind, VALIDATION);
    }
}
