//! Publishing: releases are immutable and numbered without gaps, also under concurrency.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Person;
use tests::scale::full_or;

use super::*;

async fn numbers(person: &Person, id: &str) -> Vec<u64> {
    let mut numbers = Vec::new();
    for page in 1.. {
        let list = person.get(&format!("{WORKFLOWS}/{id}/releases?perPage=100&page={page}")).await;
        let found = list.json["data"].as_array().unwrap().clone();
        if found.is_empty() {
            break;
        }
        numbers.extend(found.iter().map(|release| release["number"].as_u64().unwrap()));
    }
    numbers
}

#[tokio::test]
async fn a_publication_creates_a_release_a_manifest_and_a_deployment() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let published = ada.post_json(&format!("{path}/publish"), json!({"notes": "first"})).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let data = &published.json["data"];
    assert_eq!(data["workflow"]["state"], "published");
    assert_eq!(data["workflow"]["hasUnpublishedChanges"], false);
    assert_eq!(
        (&data["release"]["number"], &data["release"]["notes"], &data["release"]["active"]),
        (&json!(1), &json!("first"), &json!(true))
    );
    assert_eq!(data["deployment"]["releaseId"], data["release"]["id"]);
    assert_eq!(data["workflow"]["activeRelease"], json!({"id": data["release"]["id"], "number": 1}));

    let again = post_action(&ada, &id, "publish").await;
    assert_eq!((again.status.as_str(), again.code()), ("409 Conflict", "no_changes"));
    // Moving a node on the canvas is not a change, but another text is.
    let mut moved = echo();
    moved["nodes"][0]["position"] = json!({"x": 10, "y": 20});
    let patched = ada.patch(&path, json!({"graph": moved})).await;
    assert_eq!(patched.json["data"]["hasUnpublishedChanges"], false);
    // Nor is a note.
    let note = json!({
        "id": "why", "text": "Orders above **100 €**", "position": {"x": -10.5, "y": 0.0},
        "size": {"width": 400.0, "height": 200.0}, "color": "#ffd54f",
    });
    let patched = ada.patch(&path, json!({"graph": {"notes": [note]}})).await;
    assert_eq!(patched.json["data"]["graph"]["notes"], json!([note]), "{}", patched.text);
    assert_eq!(patched.json["data"]["graph"]["nodes"][0]["position"], json!({"x": 10.0, "y": 20.0}));
    assert_eq!(patched.json["data"]["hasUnpublishedChanges"], false);
    assert_eq!(post_action(&ada, &id, "publish").await.code(), "no_changes");
    let patched = ada.patch(&path, json!({"graph": template_graph("hello")})).await;
    assert_eq!(patched.json["data"]["hasUnpublishedChanges"], true);
    let mut moved = template_graph("hello");
    moved["nodes"][0]["position"] = json!({"x": 30.0, "y": 40.0});
    ada.patch(&path, json!({"graph": moved})).await;
    let second = post_action(&ada, &id, "publish").await.json["data"]["release"].clone();
    assert_eq!(second["number"], 2);
    // The manifest has what the canvas of the release showed.
    let manifest = ada.get(&format!("{path}/releases/{}/manifest", second["id"].as_str().unwrap())).await;
    let graph = &manifest.json["data"]["graph"];
    assert_eq!((&graph["nodes"][0]["position"], &graph["notes"]), (&json!({"x": 30.0, "y": 40.0}), &json!([note])));

    let notes = ada.post_json(&format!("{path}/publish"), json!({"notes": "x".repeat(1001)})).await;
    assert_eq!(notes.json["error"]["message"], "notes: at most 1000 characters");
}

#[tokio::test]
async fn one_of_200_concurrent_publications_creates_a_release() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let answers = join_all((0..200).map(|_| post_action(&ada, &id, "publish"))).await;
    let made = answers.iter().filter(|answer| answer.status == "201 Created").count();
    let refused = answers.iter().filter(|answer| answer.code() == "no_changes").count();
    assert_eq!((made, refused), (1, 199));
    assert_eq!(numbers(&ada, &id).await, [1]);
}

#[tokio::test]
async fn release_numbers_have_no_gap_after_concurrent_edits_and_publications() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Busy", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let edits = (0..full_or(200, 50)).map(|index| {
        let (ada, path, id) = (ada.clone(), path.clone(), id.clone());
        async move {
            let edited = ada.patch(&path, json!({"graph": template_graph(&format!("version {index}"))})).await;
            assert_eq!(edited.status, "200 OK", "{}", edited.text);
            post_action(&ada, &id, "publish").await
        }
    });
    let answers = join_all(edits).await;
    for answer in &answers {
        assert!(answer.status == "201 Created" || answer.code() == "no_changes", "{}", answer.text);
    }
    let made = answers.iter().filter(|answer| answer.status == "201 Created").count() as u64;
    let numbers = numbers(&ada, &id).await;
    assert_eq!(numbers, (1..=made).rev().collect::<Vec<_>>());
    // Each number was returned by exactly one publication.
    let mut answered: Vec<u64> =
        answers.iter().filter_map(|answer| answer.json["data"]["release"]["number"].as_u64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (1..=made).collect::<Vec<_>>());
    let read = ada.get(&path).await;
    assert_eq!(read.json["data"]["activeRelease"]["number"], made);
    let active = ada.get(&format!("{path}/releases?perPage=100")).await;
    let active = active.json["data"].as_array().unwrap().iter().filter(|release| release["active"] == true).count();
    assert_eq!(active, 1);
}

/// Publishes very small, very large and very long floats, such as sliders produce.
#[tokio::test]
async fn numbers_are_published_without_loss_of_precision() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for temperature in ["9.71445146547012e-17", "0.1", "0.30000000000000004", "1.7976931348623157e308", "5e-324"] {
        let mut graph = echo();
        graph["nodes"][0]["config"] = json!({"example": {"t": temperature.parse::<f64>().unwrap()}});
        let id = create_workflow(&ada, "Number", graph.clone()).await;
        let published = post_action(&ada, &id, "publish").await;
        assert_eq!(published.status, "201 Created", "{temperature}: {}", published.text);
        let release =
            format!("{WORKFLOWS}/{id}/releases/{}", published.json["data"]["release"]["id"].as_str().unwrap());
        let status = ada.get(&format!("{release}/runtime-status")).await;
        assert_eq!(status.json["data"]["manifestIntact"], true, "{temperature}");
        let manifest = ada.get(&format!("{release}/manifest")).await;
        assert_eq!(manifest.json["data"]["graph"]["nodes"][0]["config"], graph["nodes"][0]["config"], "{temperature}");
    }
}

#[tokio::test]
async fn a_workflow_with_too_many_references_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let (mut nodes, mut connections) = (vec![echo()["nodes"][0].clone()], Vec::new());
    for index in 0..49 {
        let bearer = json!({"name": "x", "type": "bearer", "token": "x"});
        let credential = ada.post_json(&format!("{path}/webhook-credentials/outbound"), bearer).await.id().to_owned();
        let config = json!({"url": "https://example.com", "credentialId": credential});
        nodes.push(json!({"id": format!("n{index}"), "type": "http", "config": config}));
        let before = if index == 0 { "start".to_owned() } else { format!("n{}", index - 1) };
        let to = json!({"node": format!("n{index}"), "port": "in"});
        connections.push(json!({"from": {"node": before, "port": "out"}, "to": to}));
    }
    nodes.push(echo()["nodes"][1].clone());
    let to = json!({"node": "end", "port": "in"});
    let graph = |last: usize| {
        let mut connections = connections[..last].to_vec();
        connections.push(json!({"from": {"node": format!("n{}", last - 1), "port": "out"}, "to": to}));
        let nodes: Vec<_> = nodes[..=last].iter().chain(nodes.last()).cloned().collect();
        json!({"graph": {"nodes": nodes, "connections": connections}})
    };
    ada.patch(&path, graph(48)).await;
    let validated = post_action(&ada, &id, "validate").await;
    assert_eq!(validated.json["data"]["problems"][0]["code"], "too_many_references", "{}", validated.text);
    let refused = post_action(&ada, &id, "publish").await;
    assert_eq!(
        refused.json["error"]["message"],
        "too many references to agents, models, workflows, credentials, webhooks and schedules: 48, the maximum is 47; remove some"
    );
    // The maximum number of references can be published, and then removed again.
    ada.patch(&path, graph(47)).await;
    assert_eq!(post_action(&ada, &id, "publish").await.status, "201 Created");
    ada.patch(&path, json!({"graph": echo()})).await;
    assert_eq!(post_action(&ada, &id, "publish").await.status, "201 Created");
}

/// The references of a release are tracked only while it is the active one.
#[tokio::test]
async fn references_of_the_active_release_are_tracked() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let used = publish_workflow(&ada, "Used").await;
    let mut naming = echo();
    naming["nodes"][1] = json!({"id": "end", "type": "workflow", "config": {"workflowId": used}});
    let id = create_workflow(&ada, "User", naming.clone()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let users = async || {
        let impact = ada.get(&format!("{WORKFLOWS}/{used}/delete-impact")).await;
        impact.json["data"]["workflows"].as_array().unwrap().len()
    };
    for (graph, count) in [(naming.clone(), 1), (echo(), 0), (naming, 1)] {
        ada.patch(&path, json!({"graph": graph})).await;
        assert_eq!(post_action(&ada, &id, "publish").await.status, "201 Created");
        assert_eq!(users().await, count);
    }
    ada.delete(&format!("{WORKFLOWS}/{used}")).await;
    app.platform.drain().await;
    assert_eq!(ada.get(&path).await.json["data"]["state"], "needs_attention");
}

#[tokio::test]
async fn a_release_is_immutable() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", template_graph("one")).await;
    let path = format!("{WORKFLOWS}/{id}");
    let first = post_action(&ada, &id, "publish").await.json["data"]["release"].clone();
    ada.patch(&path, json!({"name": "Renamed", "graph": template_graph("two")})).await;
    let manifest = ada.get(&format!("{path}/releases/{}/manifest", first["id"].as_str().unwrap())).await;
    let manifest = &manifest.json["data"];
    assert_eq!(manifest["workflow"]["name"], "Echo");
    assert_eq!(manifest["graph"], template_graph("one"));
    assert_eq!(manifest["sha256"], first["sha256"]);
    assert_eq!(manifest["dependencies"], json!({"agents": [], "models": [], "workflows": [], "credentials": []}));

    // The checksum is computed as its description defines.
    let mut unsigned = manifest.clone();
    unsigned["sha256"] = Value::from("");
    assert_eq!(domain::graph::hash(&unsigned), manifest["sha256"].as_str().unwrap());
}
