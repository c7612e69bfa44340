//! Every row of the contract's table of errors, and the isolation of organizations.

use domain::identity::Role;
use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use tests::TestApp;
use tests::client::{refusal, send};

use super::*;

#[tokio::test]
async fn malformed_quantities_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (field, quantity) in [
        ("cpu", json!("0")),
        ("cpu", json!("-1")),
        ("cpu", json!("1e2147483648")),
        ("cpu", json!("100u")),
        ("memory", json!("4 Gi")),
        ("memory", json!("4GB")),
        ("memory", json!("500m")),
        ("memory", json!("")),
        ("gpumem", json!("1.5")),
        ("storage", json!("0x10")),
        ("storage", json!("1".repeat(40))),
    ] {
        let mut resources = json!({"cpu": "1", "memory": "1Gi", "gpumem": "0", "storage": "1Gi"});
        resources[field] = quantity.clone();
        let answer = ada.post_json(WORKBENCHES, json!({"name": "lab", "resources": resources})).await;
        assert_eq!(refusal(&answer), ("400", "LAB_INVALID_RESOURCES"), "{field} {quantity}: {}", answer.text);
        assert_eq!(answer.json["error"]["details"], json!({"dimension": field}));
    }
}

/// Whatever the resources contain.
#[tokio::test]
async fn a_size_and_resources_together_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for resources in [
        json!({"cpu": "1", "memory": "1Gi", "storage": "1Gi"}),
        json!({"cpu": "1"}),
        json!({"cpu": true, "disk": 1}),
        json!({}),
        json!([]),
        json!("large"),
    ] {
        let both = json!({"name": "lab", "size": "small", "resources": resources});
        let answer = ada.post_json(WORKBENCHES, both).await;
        assert_eq!(refusal(&answer), ("400", "LAB_INVALID_RESOURCES"), "{resources}: {}", answer.text);
        assert_eq!(answer.json["error"]["details"], json!({"fields": ["size", "resources"]}));
    }
    create(&ada, json!({"name": "lab", "size": "small", "resources": null})).await;
}

#[tokio::test]
async fn malformed_bodies_name_the_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": "Lab"}), "name"),
        (json!({"name": "-lab"}), "name"),
        (json!({"name": "a".repeat(41)}), "name"),
        (json!({"name": "lab", "colour": "red"}), "colour"),
        (json!({"name": "lab", "resources": {"cpu": true, "memory": "1Gi", "storage": "1Gi"}}), "resources.cpu"),
        (json!({"name": "lab", "resources": {"cpu": "1", "memory": "1Gi"}}), "resources: missing field `storage`"),
        (
            json!({"name": "lab", "resources": {"cpu": "1", "memory": "1Gi", "storage": "1Gi", "disk": 1}}),
            "resources.disk",
        ),
        (json!({"name": "lab", "resources": ["1", "1Gi", "0", "1Gi"]}), "resources: must be an object"),
    ] {
        let answer = ada.post_json(WORKBENCHES, body).await;
        assert_eq!(refusal(&answer), ("400", "LAB_INVALID_BODY"), "{}", answer.text);
        assert!(answer.json["error"]["message"].as_str().unwrap().contains(field), "{field}: {}", answer.text);
    }
    let anonymous = app.anonymous().get(WORKBENCHES).await;
    assert_eq!(refusal(&anonymous), ("401", "LAB_UNAUTHENTICATED"));
    assert_eq!(refusal(&ada.get("/workbenches/v1/a/b/c").await), ("404", "not_found"));
    assert_eq!(refusal(&send(ada.request(Method::PUT, WORKBENCHES)).await), ("405", "method_not_allowed"));
}

#[tokio::test]
async fn what_the_plan_does_not_allow_is_refused_with_its_limit() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let details = async |body: Value| {
        let answer = ada.post_json(WORKBENCHES, body).await;
        assert_eq!(refusal(&answer), ("422", "LAB_POLICY_UNAVAILABLE"), "{}", answer.text);
        answer.json["error"]["details"].clone()
    };
    assert_eq!(
        details(json!({"name": "lab", "size": "huge"})).await,
        json!({"dimension": "size", "requested": "huge", "limit": "small, medium, large"})
    );
    let resources = |cpu: &str, memory: &str, gpumem: &str, storage: &str| json!({"name": "lab", "resources": {"cpu": cpu, "memory": memory, "gpumem": gpumem, "storage": storage}});
    for (body, dimension, requested, limit) in [
        (resources("8001m", "1Gi", "0", "1Gi"), "cpu", "8001m", "8"),
        (resources("8", "16385Mi", "0", "1Gi"), "memory", "16385Mi", "16Gi"),
        (resources("8", "16Gi", "16385", "1Gi"), "gpumem", "16385Mi", "16Gi"),
        (resources("8", "16Gi", "16Gi", "1Ti"), "storage", "1Ti", "50Gi"),
    ] {
        assert_eq!(details(body).await, json!({"dimension": dimension, "requested": requested, "limit": limit}));
    }
    assert_eq!(details(json!({"name": "lab", "image": "windows"})).await["dimension"], "image");
    put_plan(&app, json!({"name": "Without workbenches"})).await;
    assert_eq!(details(json!({"name": "lab"})).await["dimension"], "size");
    assert_eq!(ada.get("/workbenches/v1/plan").await.json["sizes"], json!([]));
}

#[tokio::test]
async fn capacity_is_limited_for_each_organization() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let lots = json!({"cpu": "100", "memory": "100Gi", "gpumem": "0", "storage": "100Gi"});
    put_plan(&app, plan(1, &lots)).await;
    create(&ada, json!({"name": "one"})).await;
    let refused = ada.post_json(WORKBENCHES, json!({"name": "two"})).await;
    assert_eq!(refusal(&refused), ("422", "LAB_CAPACITY_UNAVAILABLE"), "{}", refused.text);
    let details = json!({"scope": "organization", "dimension": "workbenches", "requested": "1"});
    assert_eq!(refused.json["error"]["details"], details);
    let eve = app.person_of("eve", "globex", Role::Admin);
    create(&eve, json!({"name": "one"})).await;

    let little = json!({"cpu": "100", "memory": "1536Mi", "gpumem": "0", "storage": "100Gi"});
    let mut plan = plan(5, &little);
    plan["workbenches"]["ceiling"]["memory"] = "1536Mi".into();
    put_plan(&app, plan).await;
    let refused = ada.post_json(WORKBENCHES, json!({"name": "two"})).await;
    let details = json!({"scope": "organization", "dimension": "memory", "requested": "1Gi"});
    assert_eq!((refusal(&refused), &refused.json["error"]["details"]), (("422", "LAB_CAPACITY_UNAVAILABLE"), &details));
}

#[tokio::test]
async fn the_capacity_of_the_platform_is_shared_by_all_organizations_and_given_back_once() {
    let capacity = "cpu=100,memory=3Gi,gpumem=0,storage=100Gi".to_owned();
    let app = TestApp::start_with_options(|options| options.workbench_capacity = Some(capacity)).await;
    put_plan(&app, plan(100, &json!({"cpu": "100", "memory": "100Gi", "storage": "100Gi"}))).await;
    let lab = Lab::with_app(app);
    let (ada, eve) = (lab.app.person("ada"), lab.app.person_of("eve", "globex", Role::Admin));
    let new = |number: usize| json!({"name": format!("lab-{number}")});
    let create_many = async |numbers: std::ops::Range<usize>| {
        let persons = [&ada, &eve].into_iter().cycle();
        let creations = numbers.zip(persons).map(|(number, person)| person.post_json(WORKBENCHES, new(number)));
        let (created, refused): (Vec<_>, Vec<_>) =
            join_all(creations).await.into_iter().partition(|answer| answer.status == "201 Created");
        let details = json!({"scope": "platform", "dimension": "memory", "requested": "1Gi"});
        for answer in refused {
            assert_eq!(refusal(&answer), ("422", "LAB_CAPACITY_UNAVAILABLE"), "{}", answer.text);
            assert_eq!(answer.json["error"]["details"], details);
        }
        created.len()
    };
    let id = lab.ready(&ada, "first").await;
    assert_eq!(create_many(0..8).await, 2, "three fit");
    let gpu = json!({"cpu": "1", "memory": "1Gi", "gpumem": "1Gi", "storage": "1Gi"});
    let refused = ada.post_json(WORKBENCHES, json!({"name": "gpu", "resources": gpu})).await;
    let details = json!({"scope": "platform", "dimension": "gpumem", "requested": "1Gi"});
    assert_eq!(refused.json["error"]["details"], details, "one workbench alone exceeds the capacity");

    ada.delete(&path(&id)).await;
    assert_eq!(create_many(8..10).await, 0, "the capacity is reserved until nothing of the environment is left");
    lab.settle(&id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    lab.wait(&id).await;
    assert_eq!(create_many(10..16).await, 1, "the capacity of one workbench was given back");
}

/// The operator has lowered a limit below what is reserved.
#[tokio::test]
async fn a_workbench_is_not_refused_for_a_resource_that_it_does_not_need() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let capacity = json!({"cpu": "100", "memory": "100Gi", "storage": "100Gi"});
    put_plan(&app, plan(5, &capacity)).await;
    let gpu = json!({"cpu": "1", "memory": "1Gi", "gpumem": "8Gi", "storage": "1Gi"});
    create(&ada, json!({"name": "gpu", "resources": gpu})).await;
    let mut lowered = plan(5, &capacity);
    lowered["workbenches"]["capacity"]["gpumem"] = "4Gi".into();
    lowered["workbenches"]["ceiling"]["gpumem"] = "4Gi".into();
    put_plan(&app, lowered).await;
    create(&ada, json!({"name": "plain"})).await;
    let small = json!({"cpu": "1", "memory": "1Gi", "gpumem": "1Gi", "storage": "1Gi"});
    let refused = ada.post_json(WORKBENCHES, json!({"name": "other", "resources": small})).await;
    let details = json!({"scope": "organization", "dimension": "gpumem", "requested": "1Gi"});
    assert_eq!((refusal(&refused), &refused.json["error"]["details"]), (("422", "LAB_CAPACITY_UNAVAILABLE"), &details));
}

#[tokio::test]
async fn names_are_unique_in_an_organization() {
    let app = TestApp::start().await;
    create(&app.person("ada"), json!({"name": "lab"})).await;
    let taken = app.person("bob").post_json(WORKBENCHES, json!({"name": "lab"})).await;
    assert_eq!(refusal(&taken), ("409", "LAB_NAME_TAKEN"), "{}", taken.text);
    create(&app.person_of("eve", "globex", Role::Admin), json!({"name": "lab"})).await;
}

#[tokio::test]
async fn other_organizations_and_strangers_get_the_answer_of_a_missing_workbench() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    let missing = "wb_00000000000000000000000000000000";
    for stranger in [lab.app.person_of("eve", "globex", Role::Admin), lab.app.person("bob")] {
        for (method, rest) in [
            (Method::GET, ""),
            (Method::DELETE, ""),
            (Method::POST, "/start"),
            (Method::POST, "/stop"),
            (Method::GET, "/events"),
            (Method::GET, "/members"),
            (Method::DELETE, "/members/usr_00000000000000000000000000000000"),
            (Method::DELETE, "/members?userId=usr_00000000000000000000000000000000"),
        ] {
            let there = send(stranger.request(method.clone(), &format!("{}{rest}", path(&id)))).await;
            let nowhere = send(stranger.request(method, &format!("{}{rest}", path(missing)))).await;
            assert_eq!(refusal(&there), ("404", "LAB_NOT_FOUND"), "{rest}: {}", there.text);
            assert_eq!(there.text, nowhere.text);
        }
        let member = json!({"userId": "usr_00000000000000000000000000000000", "role": "editor"});
        let there = stranger.post_json(&format!("{}/members", path(&id)), member).await;
        assert_eq!(refusal(&there), ("404", "LAB_NOT_FOUND"));
    }
    assert_eq!(refusal(&ada.get(&path("not-an-id")).await), ("404", "LAB_NOT_FOUND"));
}

#[tokio::test]
async fn an_editor_may_see_and_start_but_not_stop_share_or_delete() {
    let lab = Lab::start().await;
    let (ada, bob) = (lab.app.person("ada"), lab.app.person("bob"));
    let id = lab.ready(&ada, "lab").await;
    let bob_id = lab.app.account("bob").user.to_string();
    bob.get(WORKBENCHES).await;
    assert_eq!(share(&ada, &id, &bob_id).await.status, "201 Created");
    assert_eq!(read(&bob, &id).await["access"]["editors"], json!([bob_id]));
    assert_eq!(bob.get(&format!("{}/events", path(&id))).await.status, "200 OK");
    assert_eq!(bob.get(&format!("{}/members", path(&id))).await.json["total"], 1);
    assert_eq!(bob.post(&format!("{}/start", path(&id))).await.status, "202 Accepted");
    let member = format!("{}/members/{bob_id}", path(&id));
    for refused in [
        bob.delete(&path(&id)).await,
        bob.post(&format!("{}/stop", path(&id))).await,
        share(&bob, &id, &bob_id).await,
        bob.delete(&member).await,
    ] {
        assert_eq!(refusal(&refused), ("403", "LAB_NOT_OWNER"), "{}", refused.text);
    }
    assert_eq!(ada.delete(&member).await.status, "204 No Content");
    assert_eq!(refusal(&bob.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
}

#[tokio::test]
async fn a_plan_that_is_too_large_is_refused() {
    let app = TestApp::start().await;
    let mut plan = plan(5, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    let image = |number| json!({"name": format!("image-{number}"), "reference": "r".repeat(400)});
    plan["workbenches"]["images"] = (0..50).map(image).collect();
    let refused = app.operator().put("/gateway/v1/admin/plans/default", plan.clone()).await;
    assert_eq!(refused.status, "400 Bad Request", "{}", refused.text);
    assert!(refused.text.contains("workbenches") && refused.text.contains("16384 bytes"), "{}", refused.text);
    plan["workbenches"]["images"] = (0..30).map(image).collect();
    put_plan(&app, plan).await;
}
