//! The states of a batch, from its creation to its end.

use domain::id::BatchId;
use domain::money::Money;
use tests::provider::Gate;

use super::*;

#[tokio::test]
async fn a_batch_answers_each_request() {
    let app = TestApp::start().await;
    let customer = app.customer("answers", Money::from_usd(1)).await;
    let person = &customer.person;
    let wrong = line("wrong", CHATS, &ask("no-such-model", "Hello"));
    let file =
        upload(person, &format!("{}\n{wrong}", chats("dev-chat", 3))).await.json["id"].as_str().unwrap().to_owned();
    let body = json!({
        "input_file_id": file, "endpoint": CHATS, "completion_window": "24h", "metadata": {"job": "nightly"},
        "output_expires_after": {"anchor": "created_at", "seconds": 7200},
    });
    let created = person.post_json(BATCHES, body).await.json;
    let id = created["id"].as_str().unwrap();
    let created_at = created["created_at"].as_i64().unwrap();
    assert_eq!(
        created,
        json!({
            "id": id, "object": "batch", "endpoint": CHATS, "errors": null, "input_file_id": file, "completion_window": "24h",
            "status": "validating", "output_file_id": null, "error_file_id": null, "created_at": created_at,
            "in_progress_at": null, "expires_at": created_at + 86_400, "finalizing_at": null, "completed_at": null,
            "failed_at": null, "expired_at": null, "cancelling_at": null, "cancelled_at": null,
            "request_counts": {"total": 0, "completed": 0, "failed": 0}, "metadata": {"job": "nightly"},
        })
    );
    // The batch has what it needs of the file.
    assert_eq!(person.delete(&format!("{FILES}/{file}")).await.status, "200 OK");
    app.platform.drain().await;

    let batch = read(person, &format!("{BATCHES}/{id}")).await;
    assert_eq!((&batch["status"], &batch["errors"]), (&json!("completed"), &Value::Null), "{batch}");
    assert_eq!(batch["request_counts"], json!({"total": 4, "completed": 3, "failed": 1}));
    for time in ["in_progress_at", "finalizing_at", "completed_at"] {
        assert!(batch[time].as_i64().unwrap() >= created_at, "{time}");
    }
    let output = person.get(&format!("{FILES}/{}", batch["output_file_id"].as_str().unwrap())).await.json;
    assert_eq!(
        (&output["purpose"], &output["filename"], output["expires_at"].as_i64()),
        (
            &json!("batch_output"),
            &json!(format!("{id}_output.jsonl")),
            output["created_at"].as_i64().map(|at| at + 7200)
        )
    );
    let answers = answers(person, &batch).await;
    assert_eq!(answers.keys().collect::<Vec<_>>(), ["0", "1", "2"]);
    for (number, answer) in &answers {
        let response = &answer["response"];
        assert!(answer["id"].as_str().unwrap().starts_with("batch_req_"));
        assert_eq!((&answer["error"], &response["status_code"]), (&Value::Null, &json!(200)));
        assert!(response["request_id"].as_str().unwrap().starts_with("req_"));
        assert_eq!(response["body"]["object"], "chat.completion");
        let text = response["body"]["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(text.contains(&format!("Question {number}")), "{text}");
    }
    let errors = errors(person, &batch).await;
    let error = &errors["wrong"];
    assert_eq!((errors.len(), &error["response"]["status_code"], &error["error"]), (1, &json!(404), &Value::Null));
    assert_eq!(error["response"]["body"]["error"]["code"], "model_not_found");
    assert_eq!(app.sum_charges(customer.account.org).await.1, 3);
    // The input is deleted, and the results are those of the two files.
    assert_eq!(app.objects("batches"), 2);
}

#[tokio::test]
async fn a_wrong_file_fails_its_batch() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let input = format!(
        "{}not json\n{}{}",
        chats("dev-chat", 1),
        line("0", CHATS, &json!({})),
        line("2", "/v1/embeddings", &json!({}))
    );
    let path = start(&ada, CHATS, &input).await;
    app.platform.drain().await;
    let batch = read(&ada, &path).await;
    assert_eq!((&batch["status"], &batch["output_file_id"]), (&json!("failed"), &Value::Null));
    assert!(batch["failed_at"].as_i64() >= batch["created_at"].as_i64());
    let problems: Vec<Value> = batch["errors"]["data"].as_array().unwrap().clone();
    let problems: Vec<_> = problems.iter().map(|problem| json!([problem["line"], problem["code"]])).collect();
    let expected = [json!([2, "invalid_json_line"]), json!([3, "duplicate_custom_id"]), json!([4, "mismatched_url"])];
    assert_eq!(problems, expected, "{batch}");
    assert_eq!(batch["request_counts"], json!({"total": 0, "completed": 0, "failed": 0}));
}

#[tokio::test]
async fn wrong_batches_are_refused() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let file = upload(&ada, "{}").await.json["id"].as_str().unwrap().to_owned();
    let body = json!({"input_file_id": file, "endpoint": CHATS, "completion_window": "24h"});
    for (field, value) in [
        ("input_file_id", json!("file-x")),
        ("input_file_id", json!("file-019cb8e23f4a7c219b6d000000000002")),
        ("endpoint", json!("/v1/images/generations")),
        ("completion_window", json!("1h")),
        ("metadata", json!({"a": "x".repeat(513)})),
        ("output_expires_after", json!({"anchor": "created_at", "seconds": 1})),
        ("other", json!(1)),
    ] {
        let mut wrong = body.clone();
        wrong[field] = value;
        let refused = ada.post_json(BATCHES, wrong).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{field}: {}", refused.text);
        let param = refused.json["error"]["param"].as_str().unwrap_or_default();
        assert!(param.is_empty() || param.starts_with(field), "{field}: {}", refused.text);
    }
    let tagged = ada.request(Method::POST, BATCHES).header("x-svc-tags", "x".repeat(65)).json(&body);
    assert_eq!(refusal(&send(tagged).await), ("400", "invalid_query"));
    let by_token = app.person("ada").post_json(BATCHES, body).await;
    assert_eq!(refusal(&by_token), ("403", "api_key_required"));
    assert_eq!(ada.get(BATCHES).await.json["data"], json!([]));
}

#[tokio::test]
async fn batches_are_listed_in_pages_and_their_outputs_are_no_inputs() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(start(&ada, CHATS, &chats("dev-chat", 1)).await);
    }
    let first = ada.get(&format!("{BATCHES}?limit=2")).await;
    assert_eq!((first.column("id").len(), &first.json["has_more"]), (2, &json!(true)));
    let after = first.json["last_id"].as_str().unwrap();
    let last = ada.get(&format!("{BATCHES}?limit=2&after={after}")).await;
    let listed: Vec<String> =
        [first.column("id"), last.column("id")].concat().iter().map(|id| format!("{BATCHES}/{id}")).collect();
    paths.reverse();
    assert_eq!((listed, &last.json["has_more"]), (paths.clone(), &json!(false)));
    assert_eq!(refusal(&ada.get(&format!("{BATCHES}?after={FILES}")).await), ("400", "invalid_query"));
    app.platform.drain().await;
    let output = read(&ada, &paths[0]).await["output_file_id"].as_str().unwrap().to_owned();
    assert_eq!(refusal(&create(&ada, CHATS, &output).await), ("400", "invalid_body"));
}

#[tokio::test]
async fn a_batch_that_has_not_begun_is_cancelled_at_once() {
    let app = TestApp::start().await;
    let customer = app.customer("cancelled", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("dev-chat", 2)).await;
    let cancel = format!("{path}/cancel");
    let cancelled = customer.person.post(&cancel).await.json;
    assert_eq!(cancelled["status"], "cancelling");
    assert_eq!(customer.person.post(&cancel).await.json, cancelled, "a repeated request");
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!((&batch["status"], &batch["output_file_id"]), (&json!("cancelled"), &Value::Null));
    assert!(batch["cancelled_at"].as_i64() >= batch["cancelling_at"].as_i64());
    assert_eq!(refusal(&customer.person.post(&cancel).await), ("409", "invalid_state"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
}

#[tokio::test]
async fn a_cancelled_batch_keeps_the_answers_of_the_calls_in_flight() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "gated", |_| {}).await;
    let gate = Gate::closed();
    fake.respond_with(completion("Hi").gated_by(&gate));
    let customer = app.customer("in-flight", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("gated", 30)).await;
    let user = async {
        let mut calls = 0;
        tests::polling::eventually("calls in flight", async || {
            calls += fake.take_requests().len();
            (calls == 8).then_some(())
        })
        .await;
        let cancelled = customer.person.post(&format!("{path}/cancel")).await;
        assert_eq!(cancelled.json["status"], "cancelling", "{}", cancelled.text);
        gate.open();
    };
    let worker = worker_at(&app, Time::now());
    let (handled, ()) = tokio::join!(worker.handle_hint(hint(&customer, &path)), user);
    handled.unwrap();
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["status"], "cancelled", "{batch}");
    let answered = answers(&customer.person, &batch).await.len();
    assert_eq!(app.sum_charges(customer.account.org).await, (CALL_COST.times(answered as u64), answered));
    assert!((8..=30).contains(&answered), "{answered}");
}

#[tokio::test]
async fn a_lost_hint_is_sent_again() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let path = start(&ada, CHATS, &chats("dev-chat", 1)).await;
    let context = app.platform.context();
    let queue = context.config.required("QUEUE_BATCHES").unwrap();
    let received = context.aws.sqs().receive_message().queue_url(queue).send().await.unwrap();
    assert_eq!(received.messages().len(), 1);
    assert_eq!(app.platform.tick(Time::now()).await.unwrap(), 0);
    assert_eq!(app.platform.tick(Time::now().plus(minutes(2))).await.unwrap(), 1);
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(read(&ada, &path).await["status"], "completed");
    assert_eq!(app.platform.tick(Time::now().plus(minutes(90))).await.unwrap(), 0, "a batch that has ended is not due");
}

#[tokio::test]
async fn large_outputs_are_stored_in_parts() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "long", |_| {}).await;
    fake.respond_with(completion(&"long ".repeat(200_000)));
    let customer = app.customer("long", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("long", 20)).await;
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["request_counts"], json!({"total": 20, "completed": 20, "failed": 0}), "{batch}");
    let output = batch["output_file_id"].as_str().unwrap();
    let content = customer.person.get(&format!("{FILES}/{output}/content")).await.text;
    let file = customer.person.get(&format!("{FILES}/{output}")).await.json;
    assert_eq!((content.lines().count(), &file["bytes"]), (20, &json!(content.len())));
    assert!((2..=20).contains(&app.objects("batches")), "{}", app.objects("batches"));
    // All parts are deleted with the file.
    customer.person.delete(&format!("{FILES}/{output}")).await;
    assert_eq!(app.objects("batches"), 0);
}

#[tokio::test]
async fn a_user_has_a_limited_number_of_batches_that_have_not_ended() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let file = upload(&ada, &chats("dev-chat", 1)).await.json["id"].as_str().unwrap().to_owned();
    let mut last = String::new();
    for _ in 0..domain::batch::MAX_UNFINISHED {
        last = create(&ada, CHATS, &file).await.json["id"].as_str().unwrap().to_owned();
    }
    assert!(last.parse::<BatchId>().is_ok());
    assert_eq!(refusal(&create(&ada, CHATS, &file).await), ("409", "too_many_batches"));
    assert_eq!(app.objects("batches"), domain::batch::MAX_UNFINISHED);
    app.platform.drain().await;
    assert_eq!(create(&ada, CHATS, &file).await.status, "200 OK");
}
