//! Files that users upload, list, read and delete.

use domain::file::{FilePart, FilePurpose, MAX_FILES, StoredFile};
use domain::id::FileId;
use domain::money::Money;
use futures::future::try_join_all;
use store::Files;

use super::*;

#[tokio::test]
async fn a_file_is_uploaded_read_listed_and_deleted() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let content = chats("dev-chat", 3);
    let file = upload(&ada, &content).await;
    assert_eq!(file.status, "200 OK", "{}", file.text);
    let (id, created_at) = (file.json["id"].as_str().unwrap(), file.json["created_at"].as_i64().unwrap());
    let shown = json!({
        "id": id, "object": "file", "bytes": content.len(), "created_at": created_at, "expires_at": created_at + 30 * 86_400,
        "filename": "requests.jsonl", "purpose": "batch", "status": "processed",
    });
    assert!(id.starts_with("file-"));
    assert_eq!(file.json, shown);
    let path = format!("{FILES}/{id}");
    assert_eq!(ada.get(&path).await.json, shown);
    let listed = json!({"object": "list", "data": [shown], "first_id": id, "last_id": id, "has_more": false});
    assert_eq!(ada.get(FILES).await.json, listed);
    // The same user with an access token.
    assert_eq!(app.person("ada").get(FILES).await.json, listed);
    let read = ada.get(&format!("{path}/content")).await;
    assert_eq!((read.text, read.headers["content-type"].to_str().unwrap()), (content, "application/octet-stream"));

    assert_eq!(ada.delete(&path).await.json, json!({"id": id, "object": "file", "deleted": true}));
    for gone in [ada.get(&path).await, ada.get(&format!("{path}/content")).await, ada.delete(&path).await] {
        assert_eq!(refusal(&gone), ("404", "file_not_found"));
    }
    assert_eq!(app.objects("files"), 0);
}

#[tokio::test]
async fn wrong_uploads_are_refused() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let file = ("\"file\"; filename=\"a.jsonl\"", "{}");
    let purpose = ("\"purpose\"", "batch");
    type Parts<'a> = &'a [(&'a str, &'a str)];
    let faults: [(Parts<'_>, &str, &str); 10] = [
        (&[purpose], "file", "is required"),
        (&[file], "purpose", "is required"),
        (&[file, ("\"purpose\"", "fine-tune")], "purpose", "files with the purpose fine-tune are not supported"),
        (&[file, ("\"purpose\"", "other")], "purpose", "must be `batch`"),
        (&[purpose, ("\"file\"", "{}")], "file", "must be a file"),
        (&[purpose, ("\"file\"; filename=\"a\"", "")], "file", "is empty"),
        (&[purpose, file, ("\"expires_after[seconds]\"", "60")], "expires_after[seconds]", "from 3600 to 2592000"),
        (&[purpose, file, ("\"expires_after[anchor]\"", "used_at")], "expires_after[anchor]", "`created_at`"),
        (&[purpose, file, ("\"extra\"", "1")], "extra", "is not a field"),
        (&[purpose, file, file], "file", "must be sent once"),
    ];
    for (parts, field, problem) in faults {
        let refused = send_form(&ada, parts).await;
        assert_eq!((refusal(&refused), &refused.json["error"]["param"]), (("400", "invalid_body"), &json!(field)));
        assert!(refused.json["error"]["message"].as_str().unwrap().contains(problem), "{}", refused.text);
    }
    let json = ada.post_json(FILES, json!({"purpose": "batch"})).await;
    assert_eq!(refusal(&json), ("415", "unsupported_media_type"));
    let large = upload(&ada, &"x".repeat(4 * 1024 * 1024)).await;
    assert_eq!(refusal(&large), ("413", "payload_too_large"));
    let hour = [purpose, file, ("\"expires_after[anchor]\"", "created_at"), ("\"expires_after[seconds]\"", "3600")];
    let kept = send_form(&ada, &hour).await.json;
    assert_eq!(kept["expires_at"].as_i64().unwrap() - kept["created_at"].as_i64().unwrap(), 3_600);
}

#[tokio::test]
async fn files_are_listed_in_pages() {
    let app = TestApp::start().await;
    let customer = app.customer("pages", Money::from_usd(1)).await;
    let person = &customer.person;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(upload(person, "{}").await.json["id"].as_str().unwrap().to_owned());
    }
    let batch = start(person, CHATS, &chats("dev-chat", 1)).await;
    app.platform.drain().await;
    let output = read(person, &batch).await["output_file_id"].as_str().unwrap().to_owned();
    let input = read(person, &batch).await["input_file_id"].as_str().unwrap().to_owned();
    ids.extend([input, output.clone()]);

    for (order, expected) in [("asc", ids.clone()), ("desc", ids.iter().rev().cloned().collect())] {
        let (mut listed, mut after) = (Vec::new(), String::new());
        loop {
            let page = person.get(&format!("{FILES}?limit=2&order={order}{after}")).await;
            let found: Vec<String> = page.column("id").into_iter().map(str::to_owned).collect();
            assert_eq!((&page.json["first_id"], &page.json["last_id"]), (&json!(found[0]), &json!(found.last())));
            listed.extend(found);
            match page.json["has_more"].as_bool().unwrap() {
                true => after = format!("&after={}", page.json["last_id"].as_str().unwrap()),
                false => break,
            }
        }
        assert_eq!(listed, expected, "{order}");
    }
    assert_eq!(person.get(&format!("{FILES}?purpose=batch_output")).await.column("id"), [output]);
    assert_eq!(person.get(&format!("{FILES}?purpose=batch")).await.column("id").len(), 4);
    for wrong in ["limit=0", "limit=10001", "order=up", "purpose=vision", "after=x", "page=2"] {
        assert_eq!(refusal(&person.get(&format!("{FILES}?{wrong}")).await), ("400", "invalid_query"), "{wrong}");
    }
}

#[tokio::test]
async fn files_and_batches_belong_to_their_user() {
    let app = TestApp::start().await;
    let customer = app.customer("owner", Money::from_usd(1)).await;
    let stranger = app.customer("stranger", Money::from_usd(1)).await;
    let batch = start(&customer.person, CHATS, &chats("dev-chat", 1)).await;
    let input = read(&customer.person, &batch).await["input_file_id"].as_str().unwrap().to_owned();
    let file = format!("{FILES}/{input}");
    let (no_file, no_batch) = (
        format!("{FILES}/file-019cb8e23f4a7c219b6d000000000002"),
        format!("{BATCHES}/batch_019cb8e23f4a7c219b6d000000000002"),
    );
    for (theirs, missing, code) in [(&file, &no_file, "file_not_found"), (&batch, &no_batch, "batch_not_found")] {
        let [theirs, missing] = [stranger.person.get(theirs).await, stranger.person.get(missing).await];
        assert_eq!(refusal(&theirs), ("404", code));
        assert_eq!(theirs.json["error"]["message"], missing.json["error"]["message"]);
    }
    assert_eq!(refusal(&stranger.person.get(&format!("{file}/content")).await), ("404", "file_not_found"));
    assert_eq!(refusal(&stranger.person.delete(&file).await), ("404", "file_not_found"));
    assert_eq!(refusal(&stranger.person.post(&format!("{batch}/cancel")).await), ("404", "batch_not_found"));
    let created = create(&stranger.person, CHATS, &input).await;
    assert_eq!(
        (refusal(&created), &created.json["error"]["param"]),
        (("400", "invalid_body"), &json!("input_file_id"))
    );
    for path in [FILES, BATCHES] {
        assert_eq!(stranger.person.get(path).await.json["data"], json!([]));
        assert_eq!(refusal(&app.anonymous().get(path).await), ("401", "identity.invalid_token"));
    }
}

#[tokio::test]
async fn a_user_keeps_a_limited_number_of_files() {
    let app = TestApp::start().await;
    let customer = app.customer("many", Money::from_usd(1)).await;
    let files = Files::new(&app.platform.context_of("batches")).unwrap();
    let now = Time::now();
    let stored: Vec<StoredFile> = (0..MAX_FILES)
        .map(|_| {
            let id = FileId::new();
            let parts = vec![FilePart { object: format!("files/many/{id}"), bytes: 2 }];
            // They expire now: the table still has them.
            let (name, purpose) = ("a".to_owned(), FilePurpose::Batch);
            StoredFile { id, name, purpose, parts, created_at: now, expires_at: now }
        })
        .collect();
    for some in stored.chunks(20) {
        let creations = some.iter().map(|file| {
            let object = file.parts[0].object.clone();
            let files = files.clone();
            async move { files.create(customer.account, file, &object, "{}".into()).await }
        });
        try_join_all(creations).await.unwrap();
    }
    let refused = upload(&customer.person, "{}").await;
    assert_eq!(refusal(&refused), ("409", "too_many_files"), "{}", refused.text);
    assert_eq!(app.objects("files/many"), MAX_FILES);

    // The table deletes two of them at last, without their count.
    let context = app.platform.context();
    let table = context.config.required("TABLE_COUNTERS").unwrap();
    for file in &stored[..2] {
        let key = store::keys::file(customer.account, FilePurpose::Batch, file.id).attributes();
        context.aws.dynamodb().delete_item().table_name(table).set_key(Some(key)).send().await.unwrap();
    }
    for expected in ["200 OK", "200 OK", "409 Conflict"] {
        assert_eq!(upload(&customer.person, "{}").await.status, expected);
    }
}
