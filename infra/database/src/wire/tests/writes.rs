//! Writes, alone and in transactions.

use futures::poll;
use serde_json::{Value, json};

use super::{api, call, get, key, put, refuse, with};
use crate::wire::refusal::VALIDATION;

#[tokio::test]
async fn a_put_returns_what_it_replaces_and_refuses_with_the_stored_item() {
    let api = api();
    let item = with(key("a", "b"), json!({"n": {"N": "1"}, "due_shard": {"S": "0"}, "due_at": {"N": "1"}}));
    let request = json!({"TableName": "things", "Item": item, "ReturnValues": "ALL_OLD"});
    let counted =
        with(request.clone(), json!({"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "NONE"}));
    let consumed = json!({"TableName": "things", "CapacityUnits": 2.0, "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"due": {"CapacityUnits": 1.0}}});
    assert_eq!(call(&api, "PutItem", counted).await, json!({"ConsumedCapacity": consumed}));
    assert_eq!(call(&api, "PutItem", request.clone()).await, json!({"Attributes": item}));

    let conditional = with(request, json!({"ConditionExpression": "attribute_not_exists(pk)"}));
    let refusal = refuse(&api, "PutItem", conditional.clone()).await;
    assert_eq!((refusal.kind, &refusal.body), ("ConditionalCheckFailedException", &json!({})));
    let returning = with(conditional, json!({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}));
    let refusal = refuse(&api, "PutItem", returning).await;
    assert_eq!(refusal.body, json!({"Item": item}));
    assert_eq!(refusal.to_json()["Item"]["n"]["N"], "1");
}

#[tokio::test]
async fn an_update_changes_attributes_and_returns_the_item() {
    let api = api();
    put(&api, "a", "b", json!({"head": {"M": {"calls": {"N": "1"}}}, "old": {"S": "x"}})).await;
    let request = json!({
        "TableName": "things", "Key": key("a", "b"), "ReturnValues": "ALL_NEW",
        "UpdateExpression": "SET #head.calls = #head.calls + :two, title = :title ADD visits :two REMOVE old",
        "ConditionExpression": "attribute_exists(pk) AND (#head.calls < :two OR contains(old, :title))",
        "ExpressionAttributeNames": {"#head": "head"},
        "ExpressionAttributeValues": {":two": {"N": "2"}, ":title": {"S": "t"}},
    });
    let fields = json!({"head": {"M": {"calls": {"N": "3"}}}, "title": {"S": "t"}, "visits": {"N": "2"}});
    let item = with(key("a", "b"), fields);
    assert_eq!(call(&api, "UpdateItem", request.clone()).await, json!({"Attributes": item}));
    assert_eq!(refuse(&api, "UpdateItem", request).await.kind, "ConditionalCheckFailedException");
    let created = json!({"TableName": "things", "Key": key("a", "new"), "ReturnValues": "ALL_OLD"});
    assert_eq!(call(&api, "UpdateItem", created).await, json!({}));
    assert_eq!(get(&api, "a", "new").await, key("a", "new"));

    let update = |fields| with(json!({"TableName": "things", "Key": key("a", "b")}), fields);
    for wrong in [
        json!({"UpdateExpression": ""}),
        json!({"UpdateExpression": "REMOVE pk"}),
        json!({"UpdateExpression": "REMOVE none.field"}),
        json!({"UpdateExpression": "SET none = none + :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}),
        json!({"UpdateExpression": "ADD title :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}),
        json!({"UpdateExpression": "ADD none :n", "ExpressionAttributeValues": {":n": {"S": "1"}}}),
        json!({"UpdateExpression": "REMOVE old", "ExpressionAttributeValues": {":n": {"S": "1"}}}),
        json!({"UpdateExpression": "REMOVE old", "ExpressionAttributeValues": {}}),
        json!({"UpdateExpression": "REMOVE old", "ReturnValues": "UPDATED_NEW"}),
        json!({"Item": key("a", "b")}),
        json!({"AttributeUpdates": {}}),
    ] {
        assert_eq!(refuse(&api, "UpdateItem", update(wrong.clone())).await.kind, VALIDATION, "{wrong}");
    }
    assert_eq!(get(&api, "a", "b").await, item);
}

#[tokio::test]
async fn a_delete_returns_what_it_deletes() {
    let api = api();
    put(&api, "a", "b", json!({})).await;
    let request = json!({"TableName": "things", "Key": key("a", "b"), "ReturnValues": "ALL_OLD"});
    let conditional = with(request.clone(), json!({"ConditionExpression": "attribute_exists(n)"}));
    assert_eq!(refuse(&api, "DeleteItem", conditional).await.kind, "ConditionalCheckFailedException");
    assert_eq!(call(&api, "DeleteItem", request.clone()).await, json!({"Attributes": key("a", "b")}));
    assert_eq!(call(&api, "DeleteItem", request.clone()).await, json!({}));
    for wrong in [json!({"ReturnValues": "ALL_NEW"}), json!({"UpdateExpression": "REMOVE a"})] {
        assert_eq!(refuse(&api, "DeleteItem", with(request.clone(), wrong)).await.kind, VALIDATION);
    }
}

/// A transaction that adds to a counter. It has no condition, so only its token makes a retry safe.
fn addition(token: &str, number: u32) -> Value {
    json!({"ClientRequestToken": token, "TransactItems": [{"Update": {
        "TableName": "things", "Key": key("a", "counter"), "UpdateExpression": "ADD calls :n, tokens :t",
        "ExpressionAttributeValues": {":n": {"N": number.to_string()}, ":t": {"N": "1"}},
    }}]})
}

#[tokio::test]
async fn a_transaction_does_all_or_nothing() {
    let api = api();
    put(&api, "a", "old", json!({"n": {"N": "1"}})).await;
    let exists =
        |sk: &str| json!({"TableName": "things", "Key": key("a", sk), "ConditionExpression": "attribute_exists(pk)"});
    let new = json!({"TableName": "others", "Item": key("a", "b"), "ConditionExpression": "attribute_not_exists(pk)"});
    let items = json!([{"ConditionCheck": exists("old")}, {"Put": new}]);
    let request = json!({"TransactItems": items, "ReturnConsumedCapacity": "TOTAL"});
    let consumed =
        json!([{"TableName": "others", "CapacityUnits": 2.0}, {"TableName": "things", "CapacityUnits": 2.0}]);
    assert_eq!(call(&api, "TransactWriteItems", request).await, json!({"ConsumedCapacity": consumed}));

    let missing = with(exists("old"), json!({"ConditionExpression": "attribute_not_exists(n)"}));
    let missing = with(missing, json!({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}));
    let items = json!([{"Put": new}, {"Put": {"TableName": "things", "Item": key("a", "c")}}, {"Delete": missing}]);
    let refusal = refuse(&api, "TransactWriteItems", json!({"TransactItems": items})).await;
    let failed = json!({"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"});
    let with_item = with(failed.clone(), json!({"Item": with(key("a", "old"), json!({"n": {"N": "1"}}))}));
    assert_eq!(refusal.kind, "TransactionCanceledException");
    assert_eq!(refusal.body, json!({"CancellationReasons": [failed, {"Code": "None"}, with_item]}));
    assert_eq!(get(&api, "a", "c").await, Value::Null);
}

#[tokio::test]
async fn transactions_that_dynamodb_refuses_are_refused() {
    let api = api();
    let put = json!({"Put": {"TableName": "things", "Item": key("a", "b")}});
    let bare = json!({"TableName": "things", "Key": key("a", "b")});
    let many: Vec<_> =
        (0..101).map(|n| json!({"Delete": {"TableName": "things", "Key": key("a", &n.to_string())}})).collect();
    for items in [
        json!([]),
        json!([{}]),
        json!([{"Get": bare}]),
        json!([put, put]),
        json!([{"ConditionCheck": bare}]),
        json!([{"Update": bare}]),
        json!([{"Delete": with(bare.clone(), json!({"ReturnValues": "ALL_OLD"}))}]),
        json!(many),
    ] {
        let refusal = refuse(&api, "TransactWriteItems", json!({"TransactItems": items})).await;
        assert_eq!(refusal.kind, VALIDATION, "{items}");
    }
    let long = json!({"TransactItems": [put], "ClientRequestToken": "x".repeat(37)});
    assert_eq!(refuse(&api, "TransactWriteItems", long).await.kind, VALIDATION);
}

#[tokio::test]
async fn a_token_makes_a_retry_safe() {
    let api = api();
    for _ in 0..3 {
        assert_eq!(call(&api, "TransactWriteItems", addition("one", 1)).await, json!({}));
    }
    assert_eq!(get(&api, "a", "counter").await["calls"]["N"], "1");
    let refusal = refuse(&api.clone(), "TransactWriteItems", addition("one", 2)).await;
    assert_eq!(refusal.kind, "IdempotentParameterMismatchException");
    call(&api, "TransactWriteItems", addition("two", 1)).await;
    assert_eq!(get(&api, "a", "counter").await["calls"]["N"], "2");
}

#[tokio::test]
async fn a_refused_transaction_can_be_tried_again() {
    let api = api();
    let mut request = addition("one", 1);
    request["TransactItems"][0]["Update"]["ConditionExpression"] = json!("calls = :t");
    assert_eq!(refuse(&api, "TransactWriteItems", request.clone()).await.kind, "TransactionCanceledException");
    call(&api, "TransactWriteItems", addition("two", 1)).await;
    call(&api, "TransactWriteItems", request).await;
    assert_eq!(get(&api, "a", "counter").await["calls"]["N"], "2");
}

#[tokio::test]
async fn a_transaction_whose_client_disconnects_is_remembered() {
    let api = api();
    let body = addition("one", 1).to_string();
    {
        let mut answer = std::pin::pin!(api.call("TransactWriteItems", body.as_bytes()));
        let first = std::future::poll_fn(|context| std::task::Poll::Ready(answer.as_mut().poll(context).is_ready()));
        first.await;
    }
    assert_eq!(call(&api, "TransactWriteItems", addition("one", 1)).await, json!({}));
    assert_eq!(get(&api, "a", "counter").await["calls"]["N"], "1");
}

#[tokio::test]
async fn a_caller_that_is_dropped_before_its_turn_has_written_nothing() {
    let api = api();
    let mut dropped = Box::pin(put(&api, "a", "1", json!({})));
    assert!(poll!(&mut dropped).is_pending());
    drop(dropped);
    put(&api, "a", "2", json!({})).await;
    assert_eq!((get(&api, "a", "1").await, get(&api, "a", "2").await), (Value::Null, key("a", "2")));
}
