//! The record of direct calls of agents: what was said and done, and what it cost.

use std::time::Duration;

use domain::agent::{InvocationContent, InvocationEnd, InvocationRecord};
use domain::id::{AgentId, InvocationId};
use domain::retention::RunRetention;
use domain::time::Time;
use serde_json::{Value, json};
use store::Invocations;
use tests::TestApp;
use tests::client::{Answer, Person, refusal};
use tests::gateway::ModelBuilder;
use tests::polling::eventually;
use tests::provider::{Behaviour, FakeProvider, Gate};
use tests::scale::full_or;
use uuid::Uuid;

use super::create_agent;
use crate::runs::{graph, node};

async fn invoke(person: &Person, agent: &str, body: Value) -> Answer {
    person.post_json(&format!("{agent}/invoke"), body).await
}

async fn list(person: &Person, agent: &str, query: &str) -> Vec<Value> {
    let answer = person.get(&format!("{agent}/invocations{query}")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].as_array().unwrap().clone()
}

async fn read(person: &Person, agent: &str, id: &str) -> Value {
    let answer = person.get(&format!("{agent}/invocations/{id}")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

fn lookup(fake: &FakeProvider) -> Value {
    json!({"type": "http", "name": "lookup", "method": "POST", "url": format!("{}/orders", fake.base_url)})
}

fn id_of(path: &str) -> AgentId {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

fn kinds(record: &Value) -> Vec<&str> {
    record["steps"].as_array().unwrap().iter().map(|step| step["action"]["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_invocation_is_recorded_with_its_trace_and_its_cost() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let agent = create_agent(&ada, json!({"tools": [lookup(&fake)], "instructions": "Be secretive."})).await;
    let answer = invoke(&ada, &agent, json!({"input": "Please lookup it"})).await;
    let data = &answer.json["data"];
    let id = data["id"].as_str().unwrap();

    let rows = list(&ada, &agent, "").await;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((&row["id"], &row["state"], &row["error"]), (&data["id"], &json!("completed"), &json!(null)));
    assert_eq!(row["invokedBy"], app.account("ada").user.to_string());
    assert_eq!(row["usage"], data["usage"]);

    let record = read(&ada, &agent, id).await;
    assert_eq!((&record["output"], &record["messages"]), (&data["output"], &data["messages"]));
    assert_eq!(kinds(&record), ["load", "model", "http", "model"]);
    let steps = record["steps"].as_array().unwrap();
    assert_eq!(steps[2]["output"]["body"]["state"], "lost", "{record}");
    assert!(steps.iter().all(|step| step["endedAt"].is_string() && step["durationMs"].is_u64()), "{record}");
    assert!(!record.to_string().contains("secretive"), "the instructions are the agent's: {record}");
    // The cost of each step is that of its charge.
    let charges = app.key_client("ada").get("/gateway/v1/billing/transactions").await;
    for charge in charges.json["data"].as_array().unwrap() {
        let (_, number) = charge["request_id"].as_str().unwrap().rsplit_once('/').unwrap();
        let step = steps.iter().find(|step| step["step"] == number).unwrap();
        assert_eq!(step["usage"]["requests"], 1, "{charge} {step}");
    }
    let requests = steps.iter().filter_map(|step| step["usage"]["requests"].as_u64()).sum::<u64>();
    assert_eq!((requests, &record["usage"]), (2, &data["usage"]));
}

#[tokio::test]
async fn a_stream_and_a_function_call_are_recorded_too() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let function = json!({"type": "function", "name": "open_door", "parameters": {"type": "object"}});
    let agent = create_agent(&ada, json!({"tools": [function]})).await;
    let streamed = invoke(&ada, &agent, json!({"input": "Please open_door", "stream": true})).await;
    assert!(streamed.text.contains("event: done"), "{}", streamed.text);
    let rows = list(&ada, &agent, "").await;
    let record = read(&ada, &agent, rows[0]["id"].as_str().unwrap()).await;
    assert_eq!((&record["state"], &record["output"]), (&json!("completed"), &json!(null)));
    let last = record["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["tool_calls"][0]["function"]["name"], "open_door", "{record}");
}

#[tokio::test]
async fn a_failure_says_why_and_where() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    ModelBuilder::new("broken").with_deployment(&app, &fake).await.insert(&app).await;
    fake.respond_with(Behaviour::json(400, json!({"error": {"message": "no"}})));
    let agent = create_agent(&ada, json!({"model": "broken"})).await;
    let failed = invoke(&ada, &agent, json!({"input": "Hello"})).await;
    assert_eq!(failed.code(), "agent_failed");
    let rows = list(&ada, &agent, "?state=failed").await;
    let record = read(&ada, &agent, rows[0]["id"].as_str().unwrap()).await;
    assert_eq!(record["error"]["code"], failed.json["error"]["details"]["code"], "{record}");
    assert_eq!(kinds(&record), ["load", "model"]);
    assert_eq!(record["steps"][1]["error"]["code"], record["error"]["code"]);
    assert_eq!(record["messages"], json!([{"role": "user", "content": "Hello"}]));
    // A request that is refused is not an invocation.
    let messages = json!({"messages": [{"role": "user"}]});
    assert_eq!(refusal(&invoke(&ada, &agent, messages).await), ("400", "invalid_body"));
    assert_eq!(list(&ada, &agent, "").await.len(), 1);
}

#[tokio::test]
async fn an_invocation_is_seen_while_it_goes_on_and_cancelled_if_its_client_leaves() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    let gate = Gate::closed();
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})).gated_by(&gate));
    let agent = create_agent(&ada, json!({"tools": [lookup(&fake)]})).await;
    let request = ada.request(reqwest::Method::POST, &format!("{agent}/invoke"));
    let response = request.json(&json!({"input": "Please lookup it", "stream": true})).send().await.unwrap();
    eventually("the call of the tool", async || (!fake.take_requests().is_empty()).then_some(())).await;

    // The beginning is stored while the agent is at work.
    let row = eventually("the row", async || list(&ada, &agent, "?state=running").await.pop()).await;
    let id = row["id"].as_str().unwrap().to_owned();
    assert_eq!(row["endedAt"], Value::Null);
    let path = format!("{agent}/invocations/{id}");
    assert_eq!(refusal(&ada.delete(&path).await), ("409", "invalid_state"));
    assert_eq!(read(&ada, &agent, &id).await["steps"], json!([]));

    drop(response);
    eventually("the end", async || (read(&ada, &agent, &id).await["state"] == "cancelled").then_some(())).await;
    let record = read(&ada, &agent, &id).await;
    assert_eq!(kinds(&record), ["load", "model", "http"], "{record}");
    assert_eq!((&record["steps"][2]["endedAt"], &record["usage"]["requests"]), (&json!(null), &json!(1)));
    gate.open();
}

/// What a workflow masks is hidden in the records of the agents that use it as a tool, too. The caller gets it.
#[tokio::test]
async fn masked_parts_of_the_runs_of_tools_are_hidden() {
    const CARD: &str = "4111-1111-1111";
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let end = node("end", "send_result", json!({"output": format!("{{'card': '{CARD}'}}"), "redact": ["output.card"]}));
    let nodes = [node("start", "input", json!({})), end];
    let created = json!({"name": "Pay it", "graph": graph(&nodes, &["start.out end"])});
    let created = ada.post_json("/builder/v1/workflows", created).await;
    let published = ada.post(&format!("/builder/v1/workflows/{}/publish", created.id())).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let agent = create_agent(&ada, json!({"tools": [{"type": "workflow", "workflowId": created.id()}]})).await;
    let carried_out = eventually("the run", async || (app.platform.drain().await > 0).then_some(()));
    let (answer, ()) = tokio::join!(invoke(&ada, &agent, json!({"input": "Use Pay_it now"})), carried_out);
    assert!(answer.json["data"]["output"].as_str().unwrap().contains(CARD), "{}", answer.text);
    let record = read(&ada, &agent, answer.json["data"]["id"].as_str().unwrap()).await;
    assert!(
        !app.contents("invocations").contains(CARD) && record["output"].as_str().unwrap().contains("***"),
        "{record}"
    );
    let step = &record["steps"][2];
    assert_eq!((&step["action"]["kind"], &step["output"]), (&json!("workflow"), &json!({"card": "***"})), "{record}");
    let run = format!("/builder/v1/workflows/{}/runs/{}", created.id(), step["runId"].as_str().unwrap());
    assert_eq!(ada.get(&run).await.json["data"]["state"], "completed");
}

/// The end of an invocation that was taken for interrupted comes late.
#[tokio::test]
async fn an_end_after_the_erasure_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    let records = Invocations::new(&app.platform.context()).unwrap();
    let id = InvocationId::from(Time::now().minus(Duration::from_secs(600)).first_uuid());
    let (record, retention) = (InvocationRecord::new(id, app.account("ada").user), RunRetention::default());
    records.begin(id_of(&agent), record.clone(), retention).await.unwrap();
    assert_eq!(ada.delete(&format!("{agent}/invocations/{id}")).await.status, "204 No Content");
    let content = InvocationContent { output: Some("late".to_owned()), ..InvocationContent::default() };
    records.end(id_of(&agent), record.ended(InvocationEnd::Answered, Time::now()), &content, retention).await.unwrap();
    let erased = read(&ada, &agent, &id.to_string()).await;
    assert_eq!((&erased["state"], &erased["output"]), (&json!("interrupted"), &json!(null)));
    assert_eq!(app.objects("invocations"), 0);
}

/// A process that ends takes its invocation with it, and so it is shown.
#[tokio::test]
async fn a_lost_invocation_is_interrupted_and_an_old_one_is_gone() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    let records = Invocations::new(&app.platform.context()).unwrap();
    let begin = async |ago: Duration| {
        let id = InvocationId::from(Time::now().minus(ago).first_uuid());
        let record = InvocationRecord::new(id, app.account("ada").user);
        records.begin(id_of(&agent), record, RunRetention::default()).await.unwrap();
        id.to_string()
    };
    let hour = Duration::from_secs(60 * 60);
    let (lost, old) = (begin(hour).await, begin(31 * 24 * hour).await);
    let ids = |rows: Vec<Value>| rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(list(&ada, &agent, "").await), [lost.as_str()]);
    assert_eq!(ids(list(&ada, &agent, "?state=interrupted,failed").await), [lost.as_str()]);
    assert_eq!(list(&ada, &agent, "?state=running").await.len(), 0);
    assert_eq!(refusal(&ada.get(&format!("{agent}/invocations/{old}")).await), ("404", "invocation_not_found"));
    assert_eq!(ada.delete(&format!("{agent}/invocations/{lost}")).await.status, "204 No Content");
    assert!(read(&ada, &agent, &lost).await["erasedAt"].is_string());
}

#[tokio::test]
async fn an_erased_invocation_keeps_its_times_and_its_cost() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    let other = create_agent(&ada, json!({})).await;
    let answer = invoke(&ada, &agent, json!({"input": "My card is 4111"})).await;
    let id = answer.json["data"]["id"].as_str().unwrap();
    assert!(app.contents("invocations").contains("4111"));
    // An invocation is found only at its agent.
    let (path, elsewhere) = (format!("{agent}/invocations/{id}"), format!("{other}/invocations/{id}"));
    assert_eq!(refusal(&ada.get(&elsewhere).await), ("404", "invocation_not_found"));
    assert_eq!(refusal(&ada.delete(&elsewhere).await), ("404", "invocation_not_found"));
    assert_eq!(refusal(&app.person("eve").delete(&path).await), ("404", "agent_not_found"));
    for _ in 0..2 {
        assert_eq!(ada.delete(&path).await.status, "204 No Content");
        let erased = read(&ada, &agent, id).await;
        assert_eq!((&erased["messages"], &erased["output"], &erased["steps"]), (&json!([]), &json!(null), &json!([])));
        assert!(erased["erasedAt"].is_string() && erased["durationMs"].is_u64(), "{erased}");
        assert_eq!((&erased["state"], &erased["usage"]), (&json!("completed"), &answer.json["data"]["usage"]));
    }
    assert_eq!(app.objects("invocations"), 0);
}

/// An invocation writes an item when it begins and one when it ends, each a unit, and an object.
#[tokio::test]
async fn a_record_costs_two_units() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    invoke(&ada, &agent, json!({"input": "Hello"})).await;
    let costs = app.costs(invoke(&ada, &agent, json!({"input": "Hello"}))).await.to_string();
    // The third item is the charge of the model.
    for part in [", 3 dynamodb:PutItem (3 units), ", ", 1 s3:PutObject"] {
        assert!(costs.contains(part), "{costs}");
    }
}

/// A page costs the same among many invocations.
#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other_and_cost_the_same_in_any_list() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    let records = Invocations::new(&app.platform.context()).unwrap();
    let (base, user) = (Time::now().minus(Duration::from_secs(60)), app.account("ada").user);
    let started_at = |number: usize| base.minus(Duration::from_secs(number as u64));
    let (mut stored, mut costs) = (0, Vec::new());
    for total in [120, full_or(5_000, 300)] {
        for number in stored..total {
            // The last byte chooses the partition.
            let id = started_at(number).first_uuid().as_u128() | (number as u128 & 0xff);
            let record = InvocationRecord::new(InvocationId::from(Uuid::from_u128(id)), user);
            let ended = record.ended(InvocationEnd::Answered, Time::now());
            records.begin(id_of(&agent), ended, RunRetention::default()).await.unwrap();
        }
        stored = total;
        app.recorder.take();
        let first = ada.get(&format!("{agent}/invocations?limit=20")).await;
        costs.push(app.recorder.take_costs().to_string());
        let cursor = first.json["meta"]["nextCursor"].as_str().unwrap();
        let second = ada.get(&format!("{agent}/invocations?limit=20&cursor={cursor}")).await;
        let mut started = [first.column("startedAt"), second.column("startedAt")].concat();
        assert_eq!(started.len(), 40);
        started.dedup();
        assert!(started.len() == 40 && started.is_sorted_by(|newer, older| newer > older), "{started:?}");
    }
    assert_eq!(costs[0], costs[1]);
    let from = started_at(10).to_string();
    assert_eq!(list(&ada, &agent, &format!("?from={from}")).await.len(), 11);
    let older = list(&ada, &agent, &format!("?to={from}&limit=1")).await;
    assert_eq!(older[0]["startedAt"], started_at(11).to_string());
}
