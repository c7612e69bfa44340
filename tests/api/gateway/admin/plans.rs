//! Plans and their copies: each request reads one of them, so all of them must say the same.

use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Answer;

use super::ADMIN;

/// More people than there are copies.
const PEOPLE: u32 = 60;

/// Replaces the plan of all organizations by one whose workbenches have a size with this name.
async fn put_plan(app: &TestApp, size: &str) -> Answer {
    let resources = json!({"cpu": "1", "memory": "1Gi", "storage": "1Gi"});
    let plan = json!({"name": "Labs", "workbenches": {
        "sizes": [{"name": size, "resources": resources}], "default_size": size, "ceiling": resources,
        "capacity": resources, "max_workbenches": 1, "images": [{"name": "base", "reference": "base:1"}],
        "idle_stop_minutes": 30, "provisioning_timeout_minutes": 10,
    }});
    let put = app.operator().put(&format!("{ADMIN}/plans/default"), plan).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
    put
}

/// The name of the size that a user sees.
async fn size_for(app: &TestApp, number: u32) -> Value {
    app.person(&format!("person{number}")).get("/workbenches/v1/plan").await.json["sizes"][0]["name"].take()
}

#[tokio::test]
async fn a_changed_plan_applies_to_the_next_request_of_everyone() {
    let app = TestApp::start().await;
    for size in ["first", "second"] {
        put_plan(&app, size).await;
        for number in 0..PEOPLE {
            assert_eq!(size_for(&app, number).await, size, "person{number}");
        }
    }
}

/// Plans of earlier versions have no copies.
#[tokio::test]
async fn a_plan_without_copies_is_read_itself() {
    let app = TestApp::start().await;
    put_plan(&app, "first").await;
    let context = app.platform.context();
    let table = context.config.required("TABLE_ENTITIES").unwrap();
    for copy in store::keys::plan_copies("default") {
        let delete = context.aws.dynamodb().delete_item().table_name(table).set_key(Some(copy.attributes()));
        assert!(delete.return_values("ALL_OLD".into()).send().await.unwrap().attributes.is_some());
    }
    for number in 0..PEOPLE {
        assert_eq!(size_for(&app, number).await, "first", "person{number}");
    }
    put_plan(&app, "second").await;
    assert_eq!(size_for(&app, 0).await, "second");
}
