//! Agents and workflows whose model is deleted or retired need attention.

use std::time::Duration;

use domain::identity::Role;
use domain::time::Time;
use futures::stream::{self, StreamExt};
use serde_json::json;
use store::{Attention, Works};
use tests::TestApp;
use tests::client::Person;

use super::{ADMIN, small_model};

const AGENTS: &str = "/builder/v1/agents";
const WORKFLOWS: &str = "/builder/v1/workflows";

/// Creates an agent of ada that uses the model.
async fn agent(ada: &Person, model: &str) -> String {
    let path = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let named = ada.patch(&path, json!({"config": {"model": model}})).await;
    assert_eq!(named.status, "200 OK", "{}", named.text);
    path
}

async fn status(ada: &Person, agent: &str) -> String {
    ada.get(agent).await.json["data"]["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn agents_of_a_deleted_model_need_attention_until_it_is_back() {
    let app = TestApp::start().await;
    let (operator, ada) = (app.operator(), app.person_of("ada", "acme", Role::Admin));
    operator.post_json(&format!("{ADMIN}/models"), small_model("vendor/m")).await;
    app.platform.drain().await;
    let (agent, other) = (agent(&ada, "vendor/m").await, agent(&ada, "dev-chat").await);
    operator.delete(&format!("{ADMIN}/models/vendor/m")).await;
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(
        (status(&ada, &agent).await.as_str(), status(&ada, &other).await.as_str()),
        ("needs_attention", "published")
    );

    operator.post_json(&format!("{ADMIN}/models"), small_model("vendor/m")).await;
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(status(&ada, &agent).await, "published");
    assert_eq!(
        app.platform.tick(Time::now().plus(Duration::from_secs(600))).await.unwrap(),
        0,
        "finished work is not repeated"
    );
}

/// There are more agents than fit one page, and a worker dies midway: the next one continues its work.
#[tokio::test(flavor = "multi_thread")]
async fn all_agents_of_a_model_are_updated() {
    let app = TestApp::start().await;
    let (operator, ada) = (app.operator(), app.person_of("ada", "acme", Role::Admin));
    operator.post_json(&format!("{ADMIN}/models"), small_model("popular")).await;
    app.platform.drain().await;
    let named = stream::iter(0..230).map(|_| agent(&ada, "popular")).buffer_unordered(16).count().await;
    let hurt = async || {
        let list = ada.get(&format!("{AGENTS}?status=needs_attention&perPage=1")).await;
        list.json["meta"]["total"].as_u64().unwrap() as usize
    };
    operator.delete(&format!("{ADMIN}/models/popular")).await;
    app.platform.drain().await;
    assert_eq!(hurt().await, named);
    operator.post_json(&format!("{ADMIN}/models"), small_model("popular")).await;
    app.platform.drain().await;
    assert_eq!(hurt().await, 0);

    // The work stores its progress: agents that have been updated are not updated again.
    operator.delete(&format!("{ADMIN}/models/popular")).await;
    let context = app.platform.context();
    let (works, attention) = (Works::new(&context).unwrap(), Attention::new(&context).unwrap());
    let [id] = works.due(Time::now().plus(Duration::from_secs(3_600)), 10).await.unwrap()[..] else {
        panic!("exactly one work is due");
    };
    let before = works.find(id).await.unwrap().unwrap();
    works.save_progress(id, "~").await.unwrap();
    attention.process(works.find(id).await.unwrap().unwrap()).await.unwrap();
    assert_eq!(hurt().await, 0);
    attention.process(before).await.unwrap();
    assert_eq!(hurt().await, named);
}

#[tokio::test]
async fn agents_of_a_model_need_attention_when_it_retires() {
    let app = TestApp::start().await;
    let (operator, ada) = (app.operator(), app.person_of("ada", "acme", Role::Admin));
    let mut model = small_model("ageing");
    let retires_at = Time::now().plus(Duration::from_secs(7 * 86_400));
    model["retires_at"] = json!(retires_at.to_string());
    operator.post_json(&format!("{ADMIN}/models"), model).await;
    app.platform.drain().await;
    let agent = agent(&ada, "ageing").await;

    assert_eq!(app.platform.tick(retires_at.plus(Duration::from_secs(0))).await.unwrap(), 1);
    app.platform.drain().await;
    assert_eq!(status(&ada, &agent).await, "needs_attention");

    // A later date restores the agents, and is scheduled in turn.
    let later = retires_at.plus(Duration::from_secs(86_400));
    operator.patch(&format!("{ADMIN}/models/ageing"), json!({"retires_at": later.to_string()})).await;
    app.platform.drain().await;
    assert_eq!(app.platform.tick(retires_at.plus(Duration::from_secs(3_600))).await.unwrap(), 0);
    assert_eq!(app.platform.tick(later).await.unwrap(), 1);
    app.platform.drain().await;
    assert_eq!(status(&ada, &agent).await, "needs_attention");
}

#[tokio::test]
async fn a_postponed_retirement_does_nothing_on_its_first_date() {
    let app = TestApp::start().await;
    let (operator, ada) = (app.operator(), app.person_of("ada", "acme", Role::Admin));
    let path = format!("{ADMIN}/models/m");
    operator.post_json(&format!("{ADMIN}/models"), small_model("m")).await;
    let agent = agent(&ada, "m").await;
    let (soon, later) = (Time::now().plus(Duration::from_secs(3_600)), Time::now().plus(Duration::from_secs(7_200)));
    operator.patch(&path, json!({"retires_at": soon.to_string()})).await;
    operator.patch(&path, json!({"retires_at": later.to_string()})).await;
    app.platform.drain().await;
    assert_eq!(app.platform.tick(soon).await.unwrap(), 1);
    app.platform.drain().await;
    assert_eq!(status(&ada, &agent).await, "published");

    // An operator retires the model at once, and restores it.
    operator.patch(&path, json!({"retires_at": "2020-01-01T00:00:00Z"})).await;
    app.platform.drain().await;
    assert_eq!(status(&ada, &agent).await, "needs_attention");
    let unnamed = ada.patch(&agent, json!({"config": {"model": "m"}})).await;
    assert_eq!(unnamed.json["data"]["status"], "needs_attention", "setting a retired model again fixes nothing");
    operator.patch(&path, json!({"retires_at": null})).await;
    app.platform.drain().await;
    assert_eq!(status(&ada, &agent).await, "published");
}

#[tokio::test]
async fn workflows_of_a_model_need_attention_until_it_is_back() {
    let app = TestApp::start().await;
    let (operator, ada) = (app.operator(), app.person_of("ada", "acme", Role::Admin));
    let mut models = Vec::new();
    for name in ["vendor/deleted", "retired"] {
        operator.post_json(&format!("{ADMIN}/models"), small_model(name)).await;
        let graph = json!({
            "nodes": [
                {"id": "start", "type": "input", "config": {}},
                {"id": "think", "type": "model", "config": {"model": name, "prompt": "{{ input.text }}"}},
                {"id": "end", "type": "send_result", "config": {"output": "nodes.think.output.text"}},
            ],
            "connections": [
                {"from": {"node": "start", "port": "out"}, "to": {"node": "think", "port": "in"}},
                {"from": {"node": "think", "port": "out"}, "to": {"node": "end", "port": "in"}},
            ],
        });
        let created = ada.post_json(WORKFLOWS, json!({"name": name, "graph": graph})).await;
        let workflow = format!("{WORKFLOWS}/{}", created.id());
        let published = ada.post(&format!("{workflow}/publish")).await;
        assert_eq!(published.status, "201 Created", "{}", published.text);
        models.push((name, workflow));
    }
    app.platform.drain().await;
    operator.delete(&format!("{ADMIN}/models/vendor/deleted")).await;
    operator.patch(&format!("{ADMIN}/models/retired"), json!({"retires_at": "2020-01-01T00:00:00Z"})).await;
    app.platform.drain().await;
    for (name, workflow) in &models {
        let hurt = ada.get(workflow).await.json["data"].clone();
        assert_eq!(hurt["state"], "needs_attention", "{name}");
        assert_eq!(hurt["problems"][0]["code"], "reference_gone", "{name}");
        assert!(hurt["problems"][0]["message"].as_str().unwrap().contains(name), "{hurt}");
    }

    operator.post_json(&format!("{ADMIN}/models"), small_model("vendor/deleted")).await;
    operator.patch(&format!("{ADMIN}/models/retired"), json!({"retires_at": null})).await;
    app.platform.drain().await;
    for (name, workflow) in &models {
        assert_eq!(ada.get(workflow).await.json["data"]["state"], "published", "{name}");
    }
}
