//! IAM permissions: functions are limited to their policies in the template. All other tests check that the policies
//! suffice: they fail when a call was denied.

use aws_sdk_dynamodb::error::DisplayErrorContext;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, Put, TransactWriteItem};
use platform::bucket::Bucket;
use platform::queue::Queue;
use platform::secrets::Secrets;
use platform::{Context, config};
use tests::TestApp;

const ENTITIES: &str = "EntitiesTable";

#[tokio::test]
async fn a_function_may_do_what_its_policies_allow() {
    let app = TestApp::start().await;
    let may = app.platform.context_of("agents").aws.dynamodb();
    may.put_item().table_name(ENTITIES).item("pk", S("a".into())).item("sk", S("b".into())).send().await.unwrap();
    let query = may.query().table_name(ENTITIES).index_name("by_name").key_condition_expression("pk = :pk");
    query.expression_attribute_values(":pk", S("a".into())).send().await.unwrap();

    let bucket = Bucket::new(&app.platform.context_of("workflows"), config::BUCKET_FILES).unwrap();
    bucket.put("graphs/one.json", "application/json", b"{}".to_vec()).await.unwrap();
    assert_eq!(bucket.get("graphs/none.json").await.unwrap(), None);
}

#[tokio::test]
async fn a_function_may_do_nothing_else() {
    let app = TestApp::start().await;
    let refused = || app.platform.take_denied_calls().join("; ");

    let reference = app.platform.context_of("reference").aws.dynamodb();
    let put = reference.put_item().table_name(ENTITIES).item("pk", S("a".into())).item("sk", S("b".into()));
    let error = put.send().await.unwrap_err();
    let said = refused();
    assert_eq!(
        said,
        "reference may not call dynamodb:PutItem on EntitiesTable; allow it in the Policies of the function in infra/template.yaml"
    );
    assert!(DisplayErrorContext(error).to_string().contains(&said), "the caller sees the reason");

    // Denied: a part of a transaction, an index, another table, another folder of the bucket, one direction of a key.
    let worker = app.platform.context_of("attention-worker").aws.dynamodb();
    let put = Put::builder().table_name(ENTITIES).item("pk", S("a".into())).item("sk", S("b".into())).build().unwrap();
    let check = ConditionCheck::builder().table_name(ENTITIES).key("pk", S("a".into())).key("sk", S("c".into()));
    let check = check.condition_expression("attribute_not_exists(pk)").build().unwrap();
    let put = TransactWriteItem::builder().put(put).build();
    let check = TransactWriteItem::builder().condition_check(check).build();
    worker.transact_write_items().transact_items(put).transact_items(check).send().await.unwrap_err();
    assert!(refused().contains("attention-worker may not call dynamodb:ConditionCheckItem on EntitiesTable"));

    let query = worker.query().table_name(ENTITIES).index_name("due").key_condition_expression("due_shard = :of");
    query.expression_attribute_values(":of", S("0".into())).send().await.unwrap_err();
    assert!(refused().contains("dynamodb:Query on EntitiesTable/index/due"));

    let key = [("pk", "a"), ("sk", "b")].map(|(name, value)| (name.to_owned(), S(value.to_owned())));
    worker.get_item().table_name("JournalTable").set_key(Some(key.into())).send().await.unwrap_err();
    assert!(refused().contains("dynamodb:GetItem on JournalTable"));

    let context = Context { config: app.platform.context().config, ..app.platform.context_of("attention-worker") };
    assert!(Queue::new(&context, config::QUEUE_RUNS).unwrap().send(&"hint").await.is_err());
    assert!(refused().contains("attention-worker may not call sqs:SendMessage on"));

    let bucket = Bucket::new(&app.platform.context_of("channels"), config::BUCKET_FILES).unwrap();
    assert!(bucket.put("graphs/one.json", "application/json", Vec::new()).await.is_err());
    assert!(refused().contains("s3:PutObject on filesbucket/graphs/one.json"));
    assert!(bucket.get("tmp/answers/one.json").await.is_err());
    assert!(refused().contains("s3:GetObject on filesbucket/tmp/answers/one.json"));

    let secrets = Secrets::of_credentials(&app.platform.context_of("inference")).unwrap();
    assert!(secrets.seal("place", b"hunter2").await.is_err());
    assert!(refused().contains("inference may not call kms:GenerateDataKey on alias/SecretsKey"));

    let credentials = Secrets::of_credentials(&app.platform.context_of("hooks")).unwrap();
    assert!(credentials.seal("place", b"hunter2").await.is_err());
    assert!(refused().contains(r#"with {"kms:EncryptionContext:purpose": "atelier-secret"}"#));
}

#[tokio::test]
async fn a_missing_object_is_an_error_without_permission_to_list() {
    let app = TestApp::start().await;
    let bucket = Bucket::new(&app.platform.context_of("inference"), config::BUCKET_FILES).unwrap();
    assert!(bucket.get("tmp/answers/none").await.is_err());
    assert!(app.platform.take_denied_calls().join("; ").contains("s3:ListBucket on filesbucket"));
}
