//! Creations, sizes, quantities and lists.

use insta::assert_json_snapshot;
use serde_json::json;
use tests::TestApp;

use super::*;

#[tokio::test]
async fn a_new_workbench_has_the_default_size_and_is_pending() {
    let app = TestApp::start().await;
    let created = app.person("ada").post_json(WORKBENCHES, json!({"name": "protein-1"})).await;
    assert_eq!((created.status.as_str(), created.header("retry-after")), ("201 Created", Some("10")));
    assert_json_snapshot!(created.json, { ".id" => "[id]", ".access.owner" => "[user]", ".createdAt" => "[time]", ".updatedAt" => "[time]" }, @r#"
    {
      "id": "[id]",
      "name": "protein-1",
      "status": "pending",
      "spec": {
        "size": "small",
        "cpu": "1",
        "memory": "2Gi",
        "gpumem": "0",
        "storage": "5Gi",
        "image": "jupyter"
      },
      "usage": {
        "cpu": null,
        "memory": null,
        "gpumem": null,
        "storage": null
      },
      "dashboardUrl": null,
      "runningImage": null,
      "runState": null,
      "stoppedBy": null,
      "rejections": [],
      "access": {
        "owner": "[user]",
        "editors": []
      },
      "createdAt": "[time]",
      "updatedAt": "[time]"
    }
    "#);
    assert!(created.json["id"].as_str().unwrap().starts_with("wb_"));
}

#[tokio::test]
async fn the_plan_shows_sizes_and_limits() {
    let app = TestApp::start().await;
    assert_json_snapshot!(app.person("ada").get("/workbenches/v1/plan").await.json, @r#"
    {
      "sizes": [
        {
          "name": "small",
          "cpu": "1",
          "memory": "2Gi",
          "storage": "5Gi",
          "gpumemMiB": 0
        },
        {
          "name": "medium",
          "cpu": "2",
          "memory": "4Gi",
          "storage": "10Gi",
          "gpumemMiB": 0
        },
        {
          "name": "large",
          "cpu": "4",
          "memory": "8Gi",
          "storage": "20Gi",
          "gpumemMiB": 0
        }
      ],
      "defaultSize": "small",
      "ceiling": {
        "cpu": "8",
        "memory": "16Gi",
        "gpumem": "16Gi",
        "storage": "50Gi"
      },
      "capacity": {
        "cpu": "64",
        "memory": "128Gi",
        "gpumem": "64Gi",
        "storage": "500Gi"
      },
      "maxWorkbenches": 20,
      "images": [
        "jupyter"
      ],
      "idleStopMinutes": 60,
      "provisioningTimeoutMinutes": 15
    }
    "#);
}

#[tokio::test]
async fn quantities_are_resolved_to_their_canonical_form() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let resources = json!({"cpu": 1.5, "memory": "1536Mi", "gpumem": 4096, "storage": "1e10"});
    let id = create(&ada, json!({"name": "custom", "resources": resources})).await;
    let spec = json!({"size": null, "cpu": "1500m", "memory": "1536Mi", "gpumem": "4Gi", "storage": "9765625Ki", "image": "jupyter"});
    assert_eq!(read(&ada, &id).await["spec"], spec);
    let again =
        json!({"cpu": spec["cpu"], "memory": spec["memory"], "gpumem": spec["gpumem"], "storage": spec["storage"]});
    let id = create(&ada, json!({"name": "again", "resources": again})).await;
    assert_eq!(read(&ada, &id).await["spec"], spec, "a printed quantity is read back");
}

#[tokio::test]
async fn lists_show_what_the_caller_owns_and_edits() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let bob_id = bob.get("/gateway/v1/me").await.json["user"]["id"].as_str().unwrap().to_owned();
    let (first, second) = (create(&ada, json!({"name": "first"})).await, create(&ada, json!({"name": "second"})).await);
    let own = create(&bob, json!({"name": "third"})).await;
    assert_eq!(share(&ada, &first, &bob_id).await.status, "201 Created");
    let list = async |person: &Person, query: &str| {
        let list = person.get(&format!("{WORKBENCHES}{query}")).await.json;
        let ids: Vec<_> =
            list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
        (ids, list["total"].as_u64().unwrap())
    };
    assert_eq!(list(&ada, "").await, (vec![second.clone(), first.clone()], 2));
    assert_eq!(list(&bob, "?ownership=all").await, (vec![own.clone(), first.clone()], 2));
    assert_eq!(list(&bob, "?ownership=mine").await, (vec![own.clone()], 1));
    assert_eq!(list(&bob, "?ownership=shared").await, (vec![first.clone()], 1));
    assert_eq!(list(&bob, "?perPage=1&page=2").await, (vec![first], 2));
    assert_eq!(list(&app.person_of("eve", "globex", domain::identity::Role::Admin), "").await, (vec![], 0));
    let refused = ada.get(&format!("{WORKBENCHES}?ownership=theirs")).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"));
}
