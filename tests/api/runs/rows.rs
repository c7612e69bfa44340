//! The rows of the list of runs: their usage, their waits, and the filters that only the heads of the runs can decide.

use domain::id::{ParticipantId, ReleaseId, ThreadId};
use domain::messaging::MessagingProvider;
use domain::run::{NewRun, RunOrigin, RunThread, StartableRelease};

use super::usage::{add_model, chat_answer};
use super::*;

async fn rows(person: &Person, workflow: &str, query: &str) -> Vec<Value> {
    let answer = person.get(&format!("{}?{query}", runs_path(workflow))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].as_array().unwrap().clone()
}

/// A workflow that calls a model, and then asks a person.
fn ask_and_check() -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "chat", "prompt": "{{ input }}"})),
        node("check", "review", json!({"title": "Send {{ nodes.ask.output }}?", "message": "Long"})),
        node("end", "send_result", json!({})),
    ];
    let ports = ["start.out ask", "ask.out check", "check.approved end", "check.rejected end", "check.expired end"];
    graph(&nodes, &ports)
}

#[tokio::test]
async fn a_row_has_its_usage_and_its_wait() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let chat = add_model(&app, "chat").await;
    chat.respond_with(chat_answer("yes", 11, 7));
    let flow = publish(&ada, ask_and_check()).await;
    let path = start_run(&ada, &flow, json!("Hello")).await;
    let queued = &rows(&ada, &flow, "").await[0];
    let nothing = json!({"requests": 0, "inputTokens": 0, "outputTokens": 0, "cost": 0, "costExact": "0"});
    assert_eq!((&queued["usage"], &queued["waiting"]), (&nothing, &Value::Null));

    app.platform.drain().await;
    let run = read(&ada, &path).await;
    let row = rows(&ada, &flow, "").await.remove(0);
    // 11 and 7 tokens cost 1.000003 and 4.000037 micro-dollars each.
    assert_eq!(row["usage"]["costExact"], "0.000039000292");
    for name in ["requests", "inputTokens", "outputTokens", "cost", "costExact"] {
        assert_eq!(row["usage"][name], run["usage"][name], "{name}");
    }
    assert_eq!(run["usage"]["nodes"][0]["costExact"], "0.000039000292");
    let expected = json!({
        "nodeId": "check", "step": "check", "kind": "review", "title": "Send yes?",
        "expiresAt": run["waiting"]["expiresAt"],
    });
    assert_eq!(row["waiting"], expected);
    assert_eq!((&row["releaseNumber"], &row["threadId"], &row["error"]), (&json!(1), &Value::Null, &Value::Null));

    carry_out(&app, &ada, &path).await;
    let ended = rows(&ada, &flow, "").await.remove(0);
    assert_eq!((&ended["usage"], &ended["waiting"]), (&row["usage"], &Value::Null));
}

#[tokio::test]
async fn a_page_reads_the_usage_of_runs_with_exchanges_only() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (pure, asking) = (publish(&ada, double()).await, publish(&ada, refund()).await);
    for _ in 0..3 {
        start_run(&ada, &pure, json!({"n": 1})).await;
        start_run(&ada, &asking, json!({"amount": 1})).await;
    }
    app.platform.drain().await;
    let cost = async |flow: &str| app.costs(ada.get(&runs_path(flow))).await.to_string();
    assert_eq!(
        cost(&pure).await,
        "2 dynamodb:BatchGetItem (8 units), 1 dynamodb:GetItem (1 units), 8 dynamodb:Query (4 units)"
    );
    // The usage and the reviews of each of the three runs.
    assert_eq!(
        cost(&asking).await,
        "2 dynamodb:BatchGetItem (8 units), 1 dynamodb:GetItem (1 units), 14 dynamodb:Query (10 units)"
    );
}

#[tokio::test]
async fn runs_are_found_by_release_error_node_and_participant() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let [old, new] = [ReleaseId::new(), ReleaseId::new()];
    let eve = ParticipantId::new();
    let store = async |release: ReleaseId, error: Option<(&str, Option<&str>)>, participant: Option<ParticipantId>| {
        let end = match error {
            Some((code, node)) => {
                let node_id = node.map(str::to_owned);
                RunEnd::Failed(RunError { code: code.to_owned(), message: "x".to_owned(), node_id })
            }
            None => RunEnd::Completed { output: Arc::new(json!(null)) },
        };
        let workflow = flow.parse().unwrap();
        let account = app.account("ada");
        let release = StartableRelease { account, payer: None, workflow, release, number: 1 };
        let provider = MessagingProvider::Slack;
        let thread = participant.map(|participant| RunThread {
            id: ThreadId::new(),
            participant,
            provider,
            message: 1,
            newest: 1,
        });
        let run = NewRun { thread, ..NewRun::new(release, RunOrigin::Channel, "start".to_owned(), json!(null)) };
        let (id, thread) = (run.id.to_string(), run.thread.as_ref().map(|thread| thread.id.to_string()));
        runs.store_ended(run, vec![end.event()], &end, None).await.unwrap();
        (id, thread)
    };
    let (slow, _) = store(old, Some(("timeout", Some("send"))), None).await;
    let (done, _) = store(old, None, None).await;
    let (lost, _) = store(new, Some(("timeout", Some("load"))), None).await;
    let (broken, thread) = store(new, Some(("crashed", None)), Some(eve)).await;
    for (query, expected) in [
        (format!("releaseId={old}"), vec![&done, &slow]),
        (format!("releaseId={new}"), vec![&broken, &lost]),
        (format!("releaseId={}", ReleaseId::new()), vec![]),
        ("errorCode=timeout".to_owned(), vec![&lost, &slow]),
        ("nodeId=send".to_owned(), vec![&slow]),
        ("nodeId=load&errorCode=crashed".to_owned(), vec![]),
        (format!("errorCode=timeout&releaseId={new}&state=failed"), vec![&lost]),
        ("errorCode=timeout&state=completed".to_owned(), vec![]),
        (format!("participant={eve}"), vec![&broken]),
        (format!("participant={eve}&errorCode=timeout"), vec![]),
    ] {
        let found = rows(&ada, &flow, &query).await;
        let ids: Vec<_> = found.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids, expected.into_iter().cloned().collect::<Vec<_>>(), "{query}");
    }
    assert_eq!(rows(&ada, &flow, "errorCode=crashed").await[0]["threadId"].as_str(), thread.as_deref());
    for query in ["releaseId=1", "participant=eve", &format!("errorCode={}", "x".repeat(101))] {
        let refused = ada.get(&format!("{}?{query}", runs_path(&flow))).await;
        assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}");
    }
}
