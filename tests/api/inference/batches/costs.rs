//! What files and batches cost in AWS calls.

use domain::money::Money;
use tests::budgets::{BATCH_CALLS_WRITE_UNITS, BATCH_WRITE_UNITS};

use super::*;

#[tokio::test]
async fn routes_cost_few_calls() {
    let app = TestApp::start().await;
    let customer = app.customer("costs", Money::from_usd(1)).await;
    let person = &customer.person;
    let path = start(person, CHATS, &chats("dev-chat", 2)).await;
    let input = read(person, &path).await["input_file_id"].as_str().unwrap().to_owned();
    let file = format!("{FILES}/{input}");
    assert_eq!(
        app.costs(upload(person, "{}")).await.to_string(),
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:TransactWriteItems (4 units), 1 s3:PutObject"
    );
    assert_eq!(
        app.costs(create(person, CHATS, &input)).await.to_string(),
        "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:TransactWriteItems (5 units), 1 s3:GetObject, 1 s3:PutObject, 1 sqs:SendMessage"
    );
    for (path, expected) in [
        (file.clone(), "2 dynamodb:BatchGetItem (7 units)"),
        (format!("{file}/content"), "2 dynamodb:BatchGetItem (7 units), 1 s3:GetObject"),
        (FILES.to_owned(), "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:Query (2 units)"),
        (path, "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)"),
        (BATCHES.to_owned(), "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:Query (1 units)"),
    ] {
        assert_eq!(app.costs(person.get(&path)).await.to_string(), expected, "{path}");
    }
}

/// The writes of a batch of 100 requests, which run eight at a time: of its calls, and of the batch itself.
#[tokio::test]
async fn a_request_costs_few_units() {
    let app = TestApp::start().await;
    insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("units", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 100)).await;
    app.recorder.take();
    worker_at(&app, Time::now()).handle_hint(hint(&customer, &path)).await.unwrap();
    let calls = app.recorder.take();
    assert_eq!(read(&customer.person, &path).await["request_counts"]["completed"], 100);
    let units = |of: &str| {
        let writes = calls.iter().flat_map(|call| &call.writes);
        let of_batch = |partition: &String| partition.starts_with("BATCH") || partition.starts_with("FILE");
        let writes = writes.filter(|write| write.partitions.iter().any(of_batch) == (of == "batch"));
        writes.map(|write| write.units).sum::<f64>()
    };
    let (of_batch, of_calls) = (units("batch"), units("calls"));
    assert!(of_batch <= BATCH_WRITE_UNITS, "{of_batch} units");
    // How many charges share a record, and how fast leases grow, depends on the time. It was 704 units.
    assert!(of_calls <= BATCH_CALLS_WRITE_UNITS, "{of_calls} units");
}
