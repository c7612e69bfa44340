//! The test agent itself: a private agent of the workflow.

use domain::id::AgentId;

use super::*;

const AGENTS: &str = "/builder/v1/agents";

async fn agent_of(person: &Person, workflow: &str) -> Value {
    let answer = person.get(&test_path(workflow)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"]["agent"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_reads_create_one_agent() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, echo()).await;
    let read = futures::future::join_all((0..8).map(|_| agent_of(&ada, &workflow))).await;
    assert!(read.iter().all(|agent| agent == &read[0]), "{read:?}");
    let agent = &read[0];
    assert_eq!((&agent["name"], &agent["type"]), (&json!("Agente de prueba"), &json!("single")));
    assert_eq!(
        (&agent["scope"], format!("{WORKFLOWS}/{}", agent["workflowId"].as_str().unwrap())),
        (&json!("workflow"), workflow.clone())
    );
    let instructions = agent["config"]["instructions"].as_str().unwrap();
    assert!(instructions.starts_with("You play a customer who writes to a company"), "{instructions}");
    let other = create(&ada, echo()).await;
    assert_ne!(agent_of(&ada, &other).await["id"], agent["id"]);
    for list in [AGENTS.to_owned(), format!("{workflow}/teams")] {
        assert_eq!(ada.get(&list).await.json["meta"]["total"], 0, "{list}");
    }
}

#[tokio::test]
async fn the_agent_is_changed_and_deleted_as_other_agents() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, echo()).await;
    let id = agent_of(&ada, &workflow).await["id"].as_str().unwrap().to_owned();
    let path = format!("{AGENTS}/{id}");
    let changed = ada.patch(&path, json!({"config": {"instructions": "You are Grace."}})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    let read = ada.get(&test_path(&workflow)).await;
    assert_eq!(read.header("etag"), Some("\"2\""));
    assert_eq!(read.json["data"]["agent"], changed.json["data"]);
    let refused = ada.patch(&path, json!({"type": "multiple"})).await;
    assert_eq!(message(&refused), "type: a test agent is always of type single; remove the field");
    // A deleted test agent is created again.
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    let again = agent_of(&ada, &workflow).await;
    assert_ne!(again["id"], id.as_str());
    assert_ne!(again["config"]["instructions"], "You are Grace.");
}

#[tokio::test]
async fn the_agent_is_deleted_with_its_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, echo()).await;
    let id = agent_of(&ada, &workflow).await["id"].as_str().unwrap().to_owned();
    assert_eq!(ada.delete(&workflow).await.status, "204 No Content");
    assert_eq!(ada.get(&test_path(&workflow)).await.code(), "workflow_not_found");
    app.platform.drain().await;
    let gone = ada.get(&format!("{AGENTS}/{id}")).await;
    let missing = ada.get(&format!("{AGENTS}/{}", AgentId::new())).await;
    assert_eq!((gone.code(), &gone.text), ("agent_not_found", &missing.text));
}
