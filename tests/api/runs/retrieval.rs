//! `retrieval` nodes: which passages they find, and what they embed and charge.

use std::time::Duration;

use platform::config::BUCKET_FILES;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

const RETURNS: &str = "Goods can be returned within 30 days of delivery, unused and in their box.";
const WARRANTY: &str = "Everything we sell has a warranty of three years, which covers all parts.";

fn text(name: &str, text: &str) -> Value {
    json!({"type": "text", "name": name, "text": text})
}

fn url(name: &str, url: impl Into<Value>) -> Value {
    json!({"type": "url", "name": name, "url": url.into()})
}

/// A workflow that finds the passages for `input.question`. If the node fails, its output is the error.
fn search(sources: &[Value], fields: Value) -> Value {
    let mut config = json!({"model": "dev-embed", "query": "{{ input.question }}", "onError": "branch"});
    config["sources"] = sources.into();
    config.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let nodes = [
        node("start", "input", json!({})),
        node("find", "retrieval", config),
        node("end", "send_result", json!({})),
        node("failed", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out find", "find.out end", "find.error failed"])
}

/// Asks a published workflow, and returns the output of its run.
async fn ask(app: &TestApp, person: &Person, workflow: &str, question: &str) -> Value {
    let path = start_run(person, workflow, json!({"question": question})).await;
    app.platform.drain().await;
    let run = read(person, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    run["output"].clone()
}

/// The number of calls that the organization `acme` has paid for.
async fn paid_calls(app: &TestApp) -> usize {
    app.sum_charges(app.account("ada").org).await.1
}

fn sources_of(found: &Value) -> Vec<&str> {
    found.as_array().unwrap().iter().map(|passage| passage["source"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_passages_are_named_with_the_best_first() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let sources = [text("Warranty", WARRANTY), text("Returns", RETURNS)];
    let flow = publish(&ada, search(&sources, json!({}))).await;
    let found = ask(&app, &ada, &flow, "Within how many days can goods be returned?").await;
    assert_eq!(sources_of(&found), ["Returns", "Warranty"]);
    assert_eq!(found[0]["text"], RETURNS);
    assert!(found[0]["score"].as_f64() > found[1]["score"].as_f64(), "{found}");

    let best = search(&sources, json!({"topK": 1}));
    publish_again(&ada, &flow, best).await;
    assert_eq!(sources_of(&ask(&app, &ada, &flow, "How long is the warranty of parts?").await), ["Warranty"]);
    let exact = search(&sources, json!({"minScore": 0.99}));
    publish_again(&ada, &flow, exact).await;
    assert_eq!(sources_of(&ask(&app, &ada, &flow, RETURNS).await), ["Returns"]);
    assert_eq!(ask(&app, &ada, &flow, "Unrelated").await, json!([]));
}

#[tokio::test]
async fn a_content_is_embedded_once() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let flow = publish(&ada, search(&[text("Returns", RETURNS), text("Warranty", WARRANTY)], json!({}))).await;
    ask(&app, &ada, &flow, "Can I return it?").await;
    assert_eq!((paid_calls(&app).await, app.objects("vectors")), (3, 2), "two contents and a query");

    // Only the query is new.
    ask(&app, &ada, &flow, "And after a year?").await;
    assert_eq!(paid_calls(&app).await, 4);

    // Only the changed text is embedded again. The name of a source does not matter.
    let changed = [text("Renamed", RETURNS), text("Warranty", "The warranty has four years.")];
    publish_again(&ada, &flow, search(&changed, json!({}))).await;
    let found = ask(&app, &ada, &flow, "How many years?").await;
    assert_eq!((sources_of(&found).len(), paid_calls(&app).await, app.objects("vectors")), (2, 6, 3));

    // The vectors belong to the organization, and not to other organizations.
    let theirs = publish(&bob, search(&[text("Copy", RETURNS)], json!({}))).await;
    ask(&app, &bob, &theirs, "Can I return it?").await;
    assert_eq!((paid_calls(&app).await, app.objects("vectors")), (7, 3));
    let eve = app.person_of("eve", "globex", domain::identity::Role::Member);
    let theirs = publish(&eve, search(&[text("Copy", RETURNS)], json!({}))).await;
    ask(&app, &eve, &theirs, "Can I return it?").await;
    assert_eq!((paid_calls(&app).await, app.objects("vectors")), (7, 4));
}

#[tokio::test]
async fn an_embedding_whose_vectors_were_not_stored_is_not_paid_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, search(&[text("Returns", RETURNS)], json!({}))).await;
    let found = ask(&app, &ada, &flow, "Can I return it?").await;
    // As if the process had crashed after the call, and before it stored the vectors.
    let context = app.platform.context();
    let (s3, bucket) = (context.aws.s3(), context.config.required(BUCKET_FILES).unwrap());
    let stored = s3.list_objects_v2().bucket(bucket).prefix("vectors/").send().await.unwrap();
    s3.delete_object().bucket(bucket).key(stored.contents()[0].key().unwrap()).send().await.unwrap();
    assert_eq!(app.objects("vectors"), 0);
    assert_eq!(ask(&app, &ada, &flow, "Can I return it?").await, found);
    assert_eq!((paid_calls(&app).await, app.objects("vectors")), (3, 1), "two queries and one content");
}

#[tokio::test]
async fn sources_with_the_same_text_count_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let base64 = "R29vZHMgY2FuIGJlIHJldHVybmVkIHdpdGhpbiAzMCBkYXlzIG9mIGRlbGl2ZXJ5LCB1bnVzZWQgYW5kIGluIHRoZWlyIGJveC4=";
    let file = json!({"type": "file", "name": "returns.md", "mediaType": "text/markdown", "base64": base64});
    let flow = publish(&ada, search(&[file, text("Returns", RETURNS)], json!({}))).await;
    let found = ask(&app, &ada, &flow, "Can I return it?").await;
    assert_eq!((sources_of(&found), &found[0]["text"]), (vec!["returns.md"], &json!(RETURNS)));
    assert_eq!(paid_calls(&app).await, 2);
}

#[tokio::test]
async fn a_file_that_is_no_text_is_refused_when_it_is_published() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (media_type, base64, field) in
        [("application/pdf", "AAAA", "mediaType"), ("text/plain; charset=utf-8", "not base64", "base64")]
    {
        let file = json!({"type": "file", "name": "Manual", "mediaType": media_type, "base64": base64});
        let created = ada.post_json(WORKFLOWS, json!({"name": "Flow", "graph": search(&[file], json!({}))})).await;
        let checked = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
        let problem = &checked.json["data"]["problems"][0];
        assert_eq!(problem["field"], format!("config.sources[0].{field}"), "{}", checked.text);
    }
}

#[tokio::test]
async fn a_long_text_is_embedded_in_batches() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let paragraph = |number: usize| format!("Rule {number}: {}\n\n", "the parcel is sent. ".repeat(30));
    let rules: String = (1..=70).map(paragraph).collect();
    let needle = "The secret of the library is a purple elephant.";
    let flow = publish(&ada, search(&[text("Rules", &format!("{rules}{needle}"))], json!({"topK": 2}))).await;
    let found = ask(&app, &ada, &flow, "What is the secret of the library, an elephant?").await;
    assert!(found[0]["text"].as_str().unwrap().contains(needle), "{found}");
    // 71 passages are two batches.
    assert_eq!((paid_calls(&app).await, app.objects("vectors")), (3, 1));
    ask(&app, &ada, &flow, "And the parcel?").await;
    assert_eq!(paid_calls(&app).await, 4);
}

#[tokio::test]
async fn retrievals_at_the_same_time_pay_for_one_embedding() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let config =
        json!({"model": "dev-embed", "query": "{{ input }}", "sources": [text("Returns", RETURNS)], "topK": 1});
    let nodes = [
        node("start", "input", json!({})),
        node("each", "loop", json!({"items": "input", "concurrency": 3})),
        node("find", "retrieval", config),
        node("end", "send_result", json!({"output": "input.map(found, found[0].source)"})),
    ];
    let mut graph = graph(&nodes, &["start.out each", "each.item find", "each.done end"]);
    let next = json!({"from": {"node": "find", "port": "out"}, "to": {"node": "each", "port": "next"}});
    graph["connections"].as_array_mut().unwrap().push(next);
    let flow = publish(&ada, graph).await;
    let path = start_run(&ada, &flow, json!(["Can I return it?", "In its box?", "How long?"])).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!(run["output"], json!(["Returns", "Returns", "Returns"]), "{run}");
    assert_eq!(paid_calls(&app).await, 4, "three queries and one content");
}

#[tokio::test]
async fn a_page_is_read_in_each_call_and_embedded_when_it_changes() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let site = FakeProvider::start().await;
    let page = |text: &str| {
        let html = format!("<html><script>var x = 1</script><body><h1>Shop</h1><p>{text}</p></body></html>");
        Behaviour::bytes(200, "text/html; charset=utf-8", vec![html.into()])
    };
    let flow = publish(&ada, search(&[url("Shop", format!("{}/faq", site.base_url))], json!({}))).await;
    site.respond_with(page("Parcels to the islands take five days &amp; more."));
    let found = ask(&app, &ada, &flow, "How many days to the islands?").await;
    assert_eq!(sources_of(&found), ["Shop"]);
    assert_eq!(found[0]["text"], "Shop\n\nParcels to the islands take five days & more.");
    assert_eq!((site.take_requests()[0].path.as_str(), paid_calls(&app).await), ("/faq", 2));

    ask(&app, &ada, &flow, "And express?").await;
    assert_eq!((site.take_requests().len(), paid_calls(&app).await), (1, 3));
    site.respond_with(page("Parcels to the islands take two days."));
    let found = ask(&app, &ada, &flow, "How many days to the islands?").await;
    assert_eq!(found[0]["text"], "Shop\n\nParcels to the islands take two days.");
    assert_eq!(paid_calls(&app).await, 5);
}

#[tokio::test]
async fn the_error_of_a_source_names_it() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let site = FakeProvider::start().await;
    let page = url("Handbook", format!("{}/secret-path", site.base_url));
    let flow = publish(&ada, search(&[text("Returns", RETURNS), page], json!({}))).await;
    let long = "x".repeat(1024 * 1024 + 1);
    for (behaviour, code, reason) in [
        (Behaviour::bytes(404, "text/plain", vec!["private".into()]), "source_unavailable", "status 404"),
        (Behaviour::hang_up(), "source_unavailable", "connection was closed"),
        (Behaviour::bytes(200, "application/pdf", vec!["private".into()]), "source_not_supported", "not a text"),
        (Behaviour::bytes(200, "text/html", vec!["<script>private</script>".into()]), "source_empty", "no text"),
        (Behaviour::bytes(200, "text/plain", vec![long.into()]), "source_too_large", "1048576"),
    ] {
        site.respond_with(behaviour);
        let error = ask(&app, &ada, &flow, "Can I return it?").await;
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(error["code"], code, "{error}");
        assert!(message.contains("\"Handbook\"") && message.contains(reason), "{error}");
        assert!(!message.contains("private") && !message.contains("secret-path"), "{error}");
    }
    let nowhere = [url("Metadata", "http://169.254.169.254/latest/meta-data/")];
    publish_again(&ada, &flow, search(&nowhere, json!({}))).await;
    let error = ask(&app, &ada, &flow, "Which role?").await;
    assert_eq!(error["code"], "source_unavailable");
    assert!(
        error["message"].as_str().unwrap().contains("\"Metadata\" could not be read: requests to this destination")
    );
    let error = ask(&app, &ada, &flow, " ").await;
    assert_eq!(error["code"], "invalid_query");
    assert_eq!(paid_calls(&app).await, 0);
}

#[tokio::test]
async fn sources_with_too_many_passages_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let site = FakeProvider::start().await;
    let pages: Vec<Value> = (1..=3).map(|number| url(&format!("Page {number}"), site.base_url.as_str())).collect();
    for number in 1..=3 {
        let page = format!("Rule {number} of a very long page.\n\n").repeat(30_000);
        site.then_respond(Behaviour::bytes(200, "text/plain", vec![page.into()]));
    }
    let flow = publish(&ada, search(&pages, json!({}))).await;
    let error = ask(&app, &ada, &flow, "Which rule?").await;
    assert_eq!((&error["code"], paid_calls(&app).await), (&json!("too_many_passages"), 0));
    assert!(
        error["message"].as_str().unwrap().contains("at most 2000 passages, and \"Page 3\" exceeds them"),
        "{error}"
    );
}

#[tokio::test]
async fn a_source_that_is_busy_is_tried_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let site = FakeProvider::start().await;
    site.respond_with(Behaviour::bytes(503, "text/plain", vec!["busy".into()]).header("retry-after", "7200"));
    site.then_respond(Behaviour::bytes(200, "text/plain", vec![RETURNS.into()]));
    let sources = [text("Warranty", WARRANTY), url("Returns", site.base_url.as_str())];
    let flow = publish(&ada, search(&sources, json!({"retry": {"maxAttempts": 2}, "topK": 1}))).await;
    let path = start_run(&ada, &flow, json!({"question": "Goods returned?"})).await;
    let now = Time::now();
    app.platform.drain().await;
    assert_eq!((read(&ada, &path).await["state"].as_str(), site.take_requests().len()), (Some("paused"), 1));
    work_at(&app, &path, now.plus(Duration::from_secs(3 * 60 * 60))).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], sources_of(&run["output"])), (&json!("completed"), vec!["Returns"]), "{run}");
}
