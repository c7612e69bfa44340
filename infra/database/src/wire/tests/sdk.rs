//! The SDK's own requests, and its reading of the answers.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, HttpClient, Region, RuntimeComponents};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{
    ConditionCheck, KeysAndAttributes, Put, ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure,
    Select, TransactWriteItem,
};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use tables::Key;
use tables::item::Item;

use super::super::{Api, Failure};
use super::api;

/// Passes the requests of a client to the API.
#[derive(Clone)]
struct Connection(Api);

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl HttpConnector for Connection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let api = self.0.clone();
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.rsplit('.').next().unwrap_or_default();
            let (status, body) = match api.call(operation, request.body().bytes().unwrap_or_default()).await {
                Ok(answer) => (200, answer),
                Err(Failure::Refused(refusal)) => (400, refusal.to_json().to_string().into_bytes()),
                Err(Failure::Database(error)) => panic!("{error}"),
            };
            Ok(HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body)))
        })
    }
}

impl HttpClient for Connection {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

fn client() -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("id", "secret", None, None, "test"))
        .http_client(Connection(api()));
    Client::from_conf(config.build())
}

fn text(text: &str) -> AttributeValue {
    S(text.to_owned())
}

fn key(sk: &str) -> Item {
    Key::new("a", sk).attributes()
}

#[tokio::test]
async fn the_sdk_reads_the_answers_of_reads() {
    let client = client();
    for sk in ["b", "c"] {
        let put = client.put_item().table_name("things").set_item(Some(key(sk))).item("n", N("1".to_owned()));
        put.send().await.unwrap();
    }
    let get = client.get_item().table_name("things").set_key(Some(key("b"))).consistent_read(true);
    let found = get.return_consumed_capacity(ReturnConsumedCapacity::Indexes).send().await.unwrap();
    assert_eq!(found.item.unwrap()["n"], N("1".to_owned()));
    assert_eq!(found.consumed_capacity.unwrap().table.unwrap().capacity_units, Some(1.0));

    let keys = KeysAndAttributes::builder().keys(key("b")).keys(key("none")).consistent_read(true).build().unwrap();
    let batch = client.batch_get_item().request_items("things", keys).send().await.unwrap();
    assert_eq!(batch.responses.unwrap()["things"].len(), 1);
    assert_eq!(batch.unprocessed_keys.unwrap().len(), 0);

    let query = || {
        let query = client.query().table_name("things").key_condition_expression("#pk = :v0");
        query.expression_attribute_names("#pk", "pk").expression_attribute_values(":v0", text("a"))
    };
    let page = query().limit(1).scan_index_forward(false).send().await.unwrap();
    assert_eq!((page.count, page.scanned_count, page.items().len()), (1, 1, 1));
    let rest = query().set_exclusive_start_key(page.last_evaluated_key).scan_index_forward(false).send().await.unwrap();
    assert_eq!(rest.items()[0]["sk"], text("b"));
    assert_eq!(query().select(Select::Count).send().await.unwrap().count, 2);
    let scanned = client.scan().table_name("things").into_paginator().items().send().try_collect().await.unwrap();
    assert_eq!(scanned.len(), 2);
    assert_eq!(client.list_tables().send().await.unwrap().table_names(), ["others", "things"]);
    let table = client.describe_table().table_name("things").send().await.unwrap().table.unwrap();
    assert_eq!(table.global_secondary_indexes()[0].index_name.as_deref(), Some("due"));
}

#[tokio::test]
async fn the_sdk_reads_the_answers_of_writes() {
    let client = client();
    let update = client.update_item().table_name("things").set_key(Some(key("b"))).return_values(ReturnValue::AllNew);
    let update = update.update_expression("ADD #calls :v0").expression_attribute_names("#calls", "calls");
    let updated = update.expression_attribute_values(":v0", N("2".to_owned())).send().await.unwrap();
    assert_eq!(updated.attributes.unwrap()["calls"], N("2".to_owned()));

    let put = client.put_item().table_name("things").set_item(Some(key("b")));
    let put = put.condition_expression("attribute_not_exists(#pk)").expression_attribute_names("#pk", "pk");
    let put = put.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let Err(PutItemError::ConditionalCheckFailedException(refused)) =
        put.send().await.map_err(aws_sdk_dynamodb::error::SdkError::into_service_error)
    else {
        panic!("the put replaces the item");
    };
    assert_eq!(refused.item.unwrap()["calls"], N("2".to_owned()));

    let check = ConditionCheck::builder().table_name("things").set_key(Some(key("none")));
    let check = check.condition_expression("attribute_exists(pk)").build().unwrap();
    let put = Put::builder().table_name("others").set_item(Some(key("b"))).build().unwrap();
    let transact = |items: Vec<TransactWriteItem>| {
        client.transact_write_items().client_request_token("one").set_transact_items(Some(items)).send()
    };
    let put = TransactWriteItem::builder().put(put).build();
    let check = TransactWriteItem::builder().condition_check(check).build();
    let error = transact(vec![put.clone(), check]).await.unwrap_err().into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(canceled) = error else { panic!("{error:?}") };
    let codes: Vec<_> = canceled.cancellation_reasons().iter().filter_map(|reason| reason.code()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    transact(vec![put.clone()]).await.unwrap();
    transact(vec![put]).await.unwrap();

    let deleted = client.delete_item().table_name("things").set_key(Some(key("b"))).return_values(ReturnValue::AllOld);
    assert_eq!(deleted.send().await.unwrap().attributes.unwrap()["calls"], N("2".to_owned()));
    let error = client.delete_item().table_name("none").set_key(Some(key("b"))).send().await.unwrap_err();
    assert!(error.into_service_error().is_resource_not_found_exception());
    let error = client.delete_item().table_name("things").send().await.unwrap_err();
    assert_eq!(error.code(), Some("ValidationException"));
}
