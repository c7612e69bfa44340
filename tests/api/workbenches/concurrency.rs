//! Creations that compete for a name or for capacity.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::json;
use tests::TestApp;
use tests::faults::Faults;
use tests::scale::full_or;

use super::*;

/// The answers, counted by status and code.
fn count(answers: Vec<Answer>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        let what = if answer.status == "201 Created" { "created".to_owned() } else { answer.code().to_owned() };
        *counts.entry(what).or_default() += 1;
    }
    counts
}

/// A platform whose overlapping transactions abort each other, as those of DynamoDB do.
async fn start_contended() -> TestApp {
    let faults = Faults { held: Duration::from_millis(2), lost: 20, seed: 17, ..Faults::default() };
    TestApp::start_with_faults(Some(faults)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_creations_gets_the_name() {
    let app = start_contended().await;
    let ada = app.person("ada");
    ada.get(WORKBENCHES).await;
    let total = full_or(500, 60);
    let answers = join_all((0..total).map(|_| ada.post_json(WORKBENCHES, json!({"name": "lab"})))).await;
    let expected = BTreeMap::from([("created".to_owned(), 1), ("LAB_NAME_TAKEN".to_owned(), total - 1)]);
    assert_eq!(count(answers), expected);
    assert_eq!(ada.get(WORKBENCHES).await.json["total"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn creations_get_exactly_the_capacity() {
    let app = start_contended().await;
    let ada = app.person("ada");
    ada.get(WORKBENCHES).await;
    let (total, fit) = (full_or(500, 60), full_or(40, 10));
    let capacity = json!({"cpu": "1000", "memory": format!("{fit}Gi"), "storage": "1Ti"});
    put_plan(&app, plan(1_000, &capacity)).await;
    let creations = (0..total).map(|number| ada.post_json(WORKBENCHES, json!({"name": format!("lab-{number}")})));
    let answers = join_all(creations).await;
    let expected = BTreeMap::from([("created".to_owned(), fit), ("LAB_CAPACITY_UNAVAILABLE".to_owned(), total - fit)]);
    assert_eq!(count(answers), expected);
    assert_eq!(ada.get(WORKBENCHES).await.json["total"], fit);
}
