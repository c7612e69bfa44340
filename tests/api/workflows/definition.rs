//! The definition of a workflow: create, list, read, edit, clone and delete.

use futures::future::join_all;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::send;

use super::*;

#[tokio::test]
async fn a_new_workflow_is_an_empty_draft_and_can_be_read_back() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post(WORKFLOWS).await;
    assert_eq!(created.status, "201 Created");
    assert_eq!(created.header("etag"), Some("\"1\""));
    assert_json_snapshot!(created.json, { ".data.id" => "[id]", ".data.createdAt" => "[time]", ".data.updatedAt" => "[time]" }, @r#"
    {
      "data": {
        "id": "[id]",
        "name": "Nuevo workflow",
        "description": null,
        "state": "draft",
        "revision": 1,
        "activeRelease": null,
        "hasUnpublishedChanges": true,
        "createdAt": "[time]",
        "updatedAt": "[time]",
        "access": {
          "owner": "usr_c54c4509a171892d95886baa9bca7627",
          "role": "owner"
        },
        "graph": {
          "nodes": [],
          "connections": []
        },
        "problems": []
      }
    }
    "#);
    let read = ada.get(&format!("{WORKFLOWS}/{}", created.id())).await;
    assert_eq!(read.json, created.json);
}

/// A draft is shown and exported with all its fields, so it must not hold secrets.
#[tokio::test]
async fn a_secret_in_a_header_of_a_draft_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let graph = |headers: Value| {
        let config = json!({"url": "https://crm.example.com", "headers": headers});
        json!({"graph": {"nodes": [{"id": "call", "type": "http", "config": config}], "connections": []}})
    };
    let path = format!("{WORKFLOWS}/{}", ada.post(WORKFLOWS).await.id());
    for (header, value) in [("Authorization", "Bearer s3cr3t"), ("X-Api-Key", "s3cr3t"), ("X-Mine", "basic s3cr3t")] {
        let body = graph(json!({header: value}));
        for refused in [ada.patch(&path, body.clone()).await, ada.post_json(WORKFLOWS, body).await] {
            assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{header}");
            let message = refused.json["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("graph.nodes[0].config.headers.{header}: is a secret")), "{message}");
            assert!(message.contains("outbound credential") && !message.contains("s3cr3t"), "{message}");
        }
    }
    // A template expression is allowed: it does not contain the secret itself.
    let kept = ada.patch(&path, graph(json!({"accept": "a/b", "x-api-key": "{{ input.key }}"}))).await;
    assert_eq!(kept.status, "200 OK", "{}", kept.text);
}

#[tokio::test]
async fn concurrent_creations_with_one_idempotency_key_create_one_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let create = || {
        let key = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
        send(
            ada.request(Method::POST, WORKFLOWS)
                .header("Idempotency-Key", key)
                .json(&json!({"name": "IdempotencyKey"})),
        )
    };
    let answers = join_all((0..8).map(|_| create())).await;
    assert!(answers.iter().all(|answer| answer.text == answers[0].text));
    assert_eq!(answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count(), 1);
    assert_eq!(ada.get(WORKFLOWS).await.json["meta"]["total"], 1);
    // A clone with the same idempotency key is another operation.
    let path = format!("{WORKFLOWS}/{}/clone", answers[0].id());
    let copy = ada.request(Method::POST, &path).header("Idempotency-Key", "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11");
    assert_ne!(send(copy).await.id(), answers[0].id());
}

#[tokio::test]
async fn an_idempotency_key_with_another_request_is_a_conflict() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let original = create_workflow(&ada, "Original", echo()).await;
    let file = ada.get(&format!("{WORKFLOWS}/{original}/export")).await.json;
    let mut changed = file.clone();
    changed["name"] = json!("Changed");
    let routes = [
        (WORKFLOWS.to_owned(), json!({"name": "One"}), json!({"name": "Two"})),
        (format!("{WORKFLOWS}/{original}/clone"), json!({"name": "One"}), json!({"name": "Two"})),
        (format!("{WORKFLOWS}/templates/faq-chat/instantiate"), json!({"name": "One"}), json!({"name": "Two"})),
        (format!("{WORKFLOWS}/import"), file, changed),
    ];
    for (path, body, other) in routes {
        let key = uuid::Uuid::now_v7().to_string();
        let post = async |body: &Value| {
            send(ada.request(Method::POST, &path).header("Idempotency-Key", &key).json(body)).await
        };
        let first = post(&body).await;
        assert_eq!(first.status, "201 Created", "{path}: {}", first.text);
        let refused = post(&other).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "idempotency_conflict"), "{path}");
        let replayed = post(&body).await;
        assert_eq!((replayed.text, replayed.headers.contains_key("idempotent-replayed")), (first.text, true), "{path}");
    }
    assert_eq!(ada.get(WORKFLOWS).await.json["meta"]["total"], 5);
}

#[tokio::test]
async fn lists_sort_search_filter_and_page() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for name in ["Zoe", "Álvaro", "beta"] {
        create_workflow(&ada, name, echo()).await;
    }
    let live = publish_workflow(&ada, "Live").await;
    let names = async |query: &str| {
        let list = ada.get(&format!("{WORKFLOWS}?{query}")).await;
        list.column("name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("sort=name&order=asc").await, ["Álvaro", "beta", "Live", "Zoe"]);
    assert_eq!(names("sort=createdAt&order=asc").await, ["Zoe", "Álvaro", "beta", "Live"]);
    assert_eq!(names("").await[0], "Live");
    assert_eq!(names("search=ÁLV").await, ["Álvaro"]);
    assert_eq!(names("state=published,paused").await, ["Live"]);
    assert_eq!(names("sort=name&order=asc&page=2&perPage=3").await, ["Zoe"]);
    assert_eq!(names("page=9").await, Vec::<String>::new());

    let list = ada.get(&format!("{WORKFLOWS}?state=published")).await;
    assert_eq!(list.json["meta"], json!({"page": 1, "perPage": 20, "total": 1, "totalPages": 1}));
    assert_eq!(list.json["data"][0]["id"], live.as_str());
    assert_eq!(list.json["data"][0]["activeRelease"]["number"], 1);
    assert_eq!(list.json["data"][0]["hasUnpublishedChanges"], false);
    assert!(list.json["data"][0].get("graph").is_none());
    for query in ["perPage=101", "page=0", "sort=color", "state=gone", "unknown=1"] {
        assert_eq!(ada.get(&format!("{WORKFLOWS}?{query}")).await.code(), "invalid_query", "{query}");
    }
}

#[tokio::test]
async fn a_patch_changes_only_its_fields_and_the_version_in_if_match() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "First", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");

    let renamed = ada.patch(&path, json!({"name": "Second", "description": "What it does"})).await;
    assert_eq!((renamed.status.as_str(), renamed.header("etag")), ("200 OK", Some("\"2\"")));
    assert_eq!(renamed.json["data"]["description"], "What it does");
    assert_eq!(renamed.json["data"]["graph"], echo());
    let regraphed = ada.patch(&path, json!({"graph": template_graph("hi"), "description": null})).await;
    assert_eq!(regraphed.json["data"]["name"], "Second");
    assert_eq!(regraphed.json["data"]["description"], Value::Null);
    assert_eq!(regraphed.json["data"]["graph"]["nodes"].as_array().unwrap().len(), 3);

    let stale = ada.request(Method::PATCH, &path).header("If-Match", "\"2\"").json(&json!({"name": "Third"}));
    let stale = send(stale).await;
    assert_eq!((stale.status.as_str(), stale.code()), ("412 Precondition Failed", "precondition_failed"));
    // The client can merge with what is stored.
    let stored = ada.get(&path).await;
    assert_eq!(stale.json["error"]["details"], json!({"current": stored.json["data"], "etag": "\"3\""}));
    assert_eq!((stale.header("etag"), stored.header("etag")), (Some("\"3\""), Some("\"3\"")));
    let fresh = ada.request(Method::PATCH, &path).header("If-Match", "\"3\"").json(&json!({"name": "Third"}));
    assert_eq!(send(fresh).await.status, "200 OK");
}

#[tokio::test]
async fn concurrent_workflow_patches_are_all_applied() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Busy", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let patches = (0..12).map(|index| {
        let patch = if index % 2 == 0 {
            json!({"name": format!("n{index}")})
        } else {
            json!({"description": format!("d{index}")})
        };
        ada.patch(&path, patch)
    });
    for answer in join_all(patches).await {
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
    }
    let read = ada.get(&path).await;
    assert_eq!(read.json["data"]["revision"], 13);
    assert!(read.json["data"]["name"].as_str().unwrap().starts_with('n'));
    assert!(read.json["data"]["description"].as_str().unwrap().starts_with('d'));
}

#[tokio::test]
async fn invalid_workflow_bodies_are_refused_by_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let many: Vec<Value> = (0..501).map(|index| json!({"id": format!("n{index}"), "type": "delay"})).collect();
    for (patch, message) in [
        (json!({"name": ""}), "name: 1 to 200 characters"),
        (json!({"name": "x".repeat(201)}), "name: 1 to 200 characters"),
        (json!({"color": 1}), "color: unknown field `color`, expected one of `name`, `description`, `graph`"),
        (json!({"graph": []}), "graph: must be an object"),
        (
            json!({"graph": {"nodes": [{"id": "a b", "type": "input"}]}}),
            "graph.nodes[0].id: must be letters, digits, - and _",
        ),
        (json!({"graph": {"nodes": [{"type": "input"}]}}), "graph.nodes[0].id: is missing"),
        (json!({"graph": {"nodes": many}}), "graph.nodes: at most 500 entries"),
        (json!([]), "body: must be an object"),
        (json!(5), "body: must be an object"),
        (json!("x"), "body: must be an object"),
    ] {
        let refused = ada.patch(&path, patch).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"));
        assert_eq!(refused.json["error"]["message"], message);
    }
    assert_eq!(ada.post_json(WORKFLOWS, json!({"names": 1})).await.code(), "invalid_body");
    let text = send(ada.request(Method::POST, WORKFLOWS).body("x")).await;
    assert_eq!(text.status, "415 Unsupported Media Type");
}

#[tokio::test]
async fn a_large_graph_is_stored_and_its_objects_are_deleted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Large", template_graph(&"x".repeat(60_000))).await;
    let path = format!("{WORKFLOWS}/{id}");
    assert_eq!(ada.get(&path).await.json["data"]["graph"], template_graph(&"x".repeat(60_000)));
    for size in [50_000, 30_000] {
        let patched = ada.patch(&path, json!({"graph": template_graph(&"y".repeat(size))})).await;
        assert_eq!(patched.status, "200 OK", "{}", patched.text);
        assert_eq!(ada.get(&path).await.json["data"]["graph"], template_graph(&"y".repeat(size)));
    }
    let renamed = ada.patch(&path, json!({"name": "Larger"})).await;
    assert_eq!(renamed.json["data"]["graph"], template_graph(&"y".repeat(30_000)));
    assert_eq!(post_action(&ada, &id, "publish").await.status, "201 Created");
    assert_eq!(app.objects("graphs"), 1);
    let small = ada.patch(&path, json!({"graph": echo()})).await;
    assert_eq!(small.json["data"]["graph"], echo());
    assert_eq!(app.objects("graphs"), 0);

    // A repeated creation stores one graph, not two.
    let key = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
    let new = json!({"name": "Large", "graph": template_graph(&"x".repeat(60_000))});
    for _ in 0..3 {
        let made = send(ada.request(Method::POST, WORKFLOWS).header("Idempotency-Key", key).json(&new)).await;
        assert_eq!(made.status, "201 Created");
    }
    assert_eq!(app.objects("graphs"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_graph_survives_concurrent_saves() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Large", template_graph(&"x".repeat(30_000))).await;
    let path = format!("{WORKFLOWS}/{id}");
    for round in 0..10 {
        // The same graph several times, and the first one again.
        let drafts =
            ["a", "a", "b", "a", "x", "b"].map(|letter| json!({"graph": template_graph(&letter.repeat(30_000))}));
        let saved = join_all(drafts.into_iter().map(|draft| ada.patch(&path, draft))).await;
        assert!(saved.iter().all(|answer| answer.status == "200 OK"), "{round}");
        assert_eq!(ada.get(&path).await.status, "200 OK", "{round}");
        assert_eq!(app.objects("graphs"), 1, "{round}");
    }
    assert_eq!(post_action(&ada, &id, "publish").await.status, "201 Created");
}

#[tokio::test]
async fn a_clone_is_an_independent_draft() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = publish_workflow(&ada, "Original").await;
    let copy = post_action(&ada, &id, "clone").await;
    assert_eq!(copy.status, "201 Created");
    assert_eq!(copy.json["data"]["name"], "Original (copy)");
    assert_eq!(copy.json["data"]["state"], "draft");
    assert_eq!(copy.json["data"]["activeRelease"], Value::Null);
    assert_eq!(copy.json["data"]["graph"], echo());
    let named = ada.post_json(&format!("{WORKFLOWS}/{id}/clone"), json!({"name": "Mine"})).await;
    assert_eq!(named.json["data"]["name"], "Mine");
    ada.patch(&format!("{WORKFLOWS}/{id}"), json!({"graph": template_graph("other")})).await;
    assert_eq!(ada.get(&format!("{WORKFLOWS}/{}", copy.id())).await.json["data"]["graph"], echo());

    // The first response is replayed even after the original was deleted.
    let again = || {
        let request = ada.request(Method::POST, &format!("{WORKFLOWS}/{id}/clone"));
        send(request.header("Idempotency-Key", "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11"))
    };
    let first = again().await;
    assert_eq!(first.status, "201 Created");
    ada.delete(&format!("{WORKFLOWS}/{id}")).await;
    let second = again().await;
    assert_eq!((second.header("idempotent-replayed"), second.header("etag")), (Some("true"), first.header("etag")));
    assert_eq!(second.text, first.text);
}

#[tokio::test]
async fn a_deleted_workflow_is_gone_and_its_users_need_attention() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let used = publish_workflow(&ada, "Used").await;
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let tool = json!({"config": {"tools": [{"type": "workflow", "workflowId": used}]}});
    assert_eq!(ada.patch(&format!("/builder/v1/agents/{agent}"), tool).await.status, "200 OK");
    let mut graph = echo();
    graph["nodes"][1] = json!({"id": "end", "type": "workflow", "name": "Sub", "config": {"workflowId": used}});
    let user = create_workflow(&ada, "User", graph).await;
    assert_eq!(post_action(&ada, &user, "publish").await.status, "201 Created");

    let impact = ada.get(&format!("{WORKFLOWS}/{used}/delete-impact")).await;
    let expected =
        json!({"agents": [{"id": agent, "name": "Nuevo agente"}], "workflows": [{"id": user, "name": "User"}]});
    assert_eq!(impact.json["data"], expected);

    let path = format!("{WORKFLOWS}/{used}");
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    app.platform.drain().await;
    for answer in [ada.get(&path).await, ada.delete(&path).await, post_action(&ada, &used, "publish").await] {
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "workflow_not_found"));
    }
    assert_eq!(ada.get(WORKFLOWS).await.json["meta"]["total"], 1);
    assert_eq!(ada.get(&format!("/builder/v1/agents/{agent}")).await.json["data"]["status"], "needs_attention");
    let user_path = format!("{WORKFLOWS}/{user}");
    let attention = ada.get(&user_path).await;
    assert_eq!(attention.json["data"]["state"], "needs_attention");
    assert_eq!(
        attention.json["data"]["problems"],
        json!([{"code": "reference_gone", "message": format!("workflow {used} no longer exists: replace it or remove the reference")}])
    );
    assert_eq!(ada.get(&format!("{WORKFLOWS}?state=needs_attention")).await.column("name"), ["User"]);

    // After a release without the reference, the workflow is in order again.
    ada.patch(&user_path, json!({"graph": echo()})).await;
    let fixed = post_action(&ada, &user, "publish").await;
    assert_eq!(fixed.json["data"]["workflow"]["state"], "published");
}
