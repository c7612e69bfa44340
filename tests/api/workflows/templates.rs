//! Workflow templates: list, read and instantiate.

use serde_json::{Value, json};
use tests::TestApp;

use super::*;

#[tokio::test]
async fn templates_are_listed_searched_and_read() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let list = ada.get(&format!("{WORKFLOWS}/templates?perPage=100")).await;
    assert!(list.column("slug").len() >= 12);
    assert_eq!(list.json["meta"]["total"], list.column("slug").len());
    assert!(list.json["data"][0].get("graph").is_none());
    let mut names = list.column("name");
    names.sort_by_key(|name| name.to_lowercase());
    assert_eq!(names, list.column("name"));
    let found = ada.get(&format!("{WORKFLOWS}/templates?search=TRIAGE")).await;
    assert_eq!(found.column("slug"), ["support-triage"]);
    // One word that is only in the slug, and one that is only in the tags.
    for (search, slug) in [("back-check", "translation-back-check"), ("RAG", "rag-answer")] {
        let found = ada.get(&format!("{WORKFLOWS}/templates?search={search}")).await;
        assert!(found.column("slug").contains(&slug), "{}", found.text);
    }
    let sales = ada.get(&format!("{WORKFLOWS}/templates?category=sales")).await;
    let categories = sales.column("category");
    assert!(!categories.is_empty() && categories.iter().all(|category| *category == "sales"), "{categories:?}");
    assert_eq!(ada.get(&format!("{WORKFLOWS}/templates?category=magic")).await.code(), "invalid_query");

    let by_slug = ada.get(&format!("{WORKFLOWS}/templates/support-triage")).await;
    let by_id = ada.get(&format!("{WORKFLOWS}/templates/{}", by_slug.id())).await;
    assert_eq!(by_slug.json, by_id.json);
    assert!(!by_id.json["data"]["steps"].as_array().unwrap().is_empty());
    for answer in [
        ada.get(&format!("{WORKFLOWS}/templates/none")).await,
        ada.post(&format!("{WORKFLOWS}/templates/none/instantiate")).await,
    ] {
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "template_not_found"));
    }
    assert_eq!(app.anonymous().get(&format!("{WORKFLOWS}/templates")).await.code(), "unauthorized");
}

/// An instantiated template lacks at most the configuration of its channels, and node types that cannot run yet.
#[tokio::test]
async fn every_template_becomes_a_workflow_that_can_be_published() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let list = ada.get(&format!("{WORKFLOWS}/templates?perPage=100")).await;
    assert!(list.column("slug").len() >= 12);
    for slug in list.column("slug") {
        let made = ada.post(&format!("{WORKFLOWS}/templates/{slug}/instantiate")).await;
        assert_eq!(made.status, "201 Created", "{slug}");
        assert_eq!(made.json["data"]["state"], "draft");
        let validation = post_action(&ada, made.id(), "validate").await.json["data"].clone();
        let problems = validation["problems"].as_array().unwrap();
        let is_incomplete = |problem: &Value| problem["code"] == "channel_incomplete";
        assert!(problems.iter().all(is_incomplete), "{slug} {problems:?}");
        let published = post_action(&ada, made.id(), "publish").await;
        let expected = if problems.is_empty() { "201 Created" } else { "422 Unprocessable Entity" };
        assert_eq!(published.status, expected, "{slug} {}", published.text);
    }
    let named = ada.post_json(&format!("{WORKFLOWS}/templates/rag-answer/instantiate"), json!({"name": "Ours"})).await;
    assert_eq!(named.json["data"]["name"], "Ours");
    assert_ne!(named.json["data"]["description"], Value::Null);
}
