//! Validation of drafts, and the catalog of node types.

use serde_json::{Value, json};
use tests::TestApp;

use super::*;

#[tokio::test]
async fn a_correct_draft_is_valid() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let answer = post_action(&ada, &id, "validate").await;
    assert_eq!(answer.json["data"], json!({"valid": true, "problems": []}));
}

#[tokio::test]
async fn all_problems_are_reported_at_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nobody = "019cb8e2-3f4a-7c21-9b6d-000000000000";
    let graph = json!({
        "nodes": [
            {"id": "start", "type": "input", "config": {}},
            {"id": "check", "type": "condition", "name": "Big?", "config": {"expression": "input.n >"}},
            {"id": "ask", "type": "agent", "config": {"agentId": nobody, "message": "hi"}},
            {"id": "think", "type": "model", "config": {"model": "gone", "prompt": "{{ nodes.end.output }}"}},
            {"id": "call", "type": "http", "config": {"url": "https://example.com", "credentialId": nobody}},
            {"id": "hook", "type": "webhook", "config": {}},
            {"id": "end", "type": "send_result", "config": {}},
        ],
        "connections": [
            {"from": {"node": "start", "port": "out"}, "to": {"node": "check", "port": "in"}},
            {"from": {"node": "hook", "port": "out"}, "to": {"node": "check", "port": "in"}},
            {"from": {"node": "check", "port": "true"}, "to": {"node": "ask", "port": "in"}},
            {"from": {"node": "check", "port": "false"}, "to": {"node": "think", "port": "in"}},
            {"from": {"node": "ask", "port": "out"}, "to": {"node": "call", "port": "in"}},
            {"from": {"node": "think", "port": "out"}, "to": {"node": "end", "port": "in"}},
            {"from": {"node": "call", "port": "out"}, "to": {"node": "end", "port": "in"}},
        ],
    });
    let id = create_workflow(&ada, "Wrong", graph).await;
    let answer = post_action(&ada, &id, "validate").await;
    assert_eq!(answer.json["data"]["valid"], false);
    let found = |problems: &Value| -> Vec<String> {
        let problems = problems.as_array().unwrap().iter();
        problems
            .map(|problem| format!("{} {} {}", problem["nodeId"], problem["code"], problem["field"]).replace('"', ""))
            .collect()
    };
    let expected = [
        "check invalid_expression config.expression",
        "ask reference_gone config.agentId",
        "think not_upstream config.prompt",
        "think reference_gone config.model",
        "call credential_gone config.credentialId",
        "hook channel_incomplete null",
    ];
    let mut problems = found(&answer.json["data"]["problems"]);
    problems.sort();
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(problems, sorted);
    let first = &answer.json["data"]["problems"][0];
    assert_eq!(
        first["message"],
        "node `Big?` (check), config.expression, line 1, column 10: the expression ends too early"
    );
    assert_eq!((&first["line"], &first["column"], &first["severity"]), (&json!(1), &json!(10), &json!("error")));

    // Publishing is refused with the first problem as message, and all problems as details.
    let refused = post_action(&ada, &id, "publish").await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"));
    assert_eq!(refused.json["error"]["message"], first["message"]);
    assert_eq!(refused.json["error"]["details"], answer.json["data"]["problems"]);
    assert_eq!(ada.get(&format!("{WORKFLOWS}/{id}")).await.json["data"]["state"], "draft");
}

/// Nobody should learn from a failed run what the draft's answer could have said.
#[tokio::test]
async fn saving_a_draft_reports_what_validate_reports() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut graph = echo();
    graph["nodes"][0]["config"] = json!({"color": "red"});
    let call = json!({"id": "call", "type": "http", "config": {"url": "https://shop.example/orders/{order}"}});
    graph["nodes"].as_array_mut().unwrap().push(call);
    graph["nodes"].as_array_mut().unwrap().push(json!({
        "id": "ask", "type": "model", "config": {"model": "gone", "prompt": "Hi"},
    }));
    let created = ada.post_json(WORKFLOWS, json!({"name": "Odd", "graph": graph})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let validated = async || post_action(&ada, created.id(), "validate").await.json["data"]["problems"].clone();
    let problems = &created.json["data"]["problems"];
    assert_eq!(problems, &validated().await);
    let codes: Vec<_> = problems.as_array().unwrap().iter().map(|problem| problem["code"].as_str().unwrap()).collect();
    for code in ["invalid_config", "reference_gone", "unreachable", "literal_braces"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    // A change returns the problems of the new draft.
    let path = format!("{WORKFLOWS}/{}", created.id());
    graph["nodes"].as_array_mut().unwrap().truncate(2);
    let changed = ada.patch(&path, json!({"graph": graph})).await;
    assert_eq!(changed.json["data"]["problems"].as_array().unwrap().len(), 1, "{}", changed.text);
    assert_eq!(changed.json["data"]["problems"], validated().await);
    let fixed = ada.patch(&path, json!({"graph": echo()})).await;
    assert_eq!(fixed.json["data"]["problems"], json!([]));
}

#[tokio::test]
async fn connections_take_the_only_port_of_their_nodes() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = json!([
        {"id": "start", "type": "input", "config": {}},
        {"id": "check", "type": "condition", "config": {"expression": "true"}},
        {"id": "odd", "type": "oracle", "config": {}},
        {"id": "end", "type": "send_result", "config": {}},
    ]);
    let create = async |connections: Value| {
        ada.post_json(WORKFLOWS, json!({"graph": {"nodes": nodes, "connections": connections}})).await
    };
    let created = create(json!([
        {"from": "start", "to": "check"},
        {"from": {"node": "check", "port": "true"}, "to": {"node": "end"}},
    ]));
    let created = created.await;
    let full = json!([
        {"from": {"node": "start", "port": "out"}, "to": {"node": "check", "port": "in"}},
        {"from": {"node": "check", "port": "true"}, "to": {"node": "end", "port": "in"}},
    ]);
    assert_eq!(created.json["data"]["graph"]["connections"], full, "{}", created.text);
    let path = format!("{WORKFLOWS}/{}", created.id());
    assert_eq!(ada.get(&path).await.json["data"]["graph"]["connections"], full);
    // The nodes of a patch that changes only the connections are those of the draft.
    let short = json!([{"from": "start", "to": "end"}]);
    let patched = ada.patch(&path, json!({"graph": {"connections": short}})).await;
    let full = json!([{"from": {"node": "start", "port": "out"}, "to": {"node": "end", "port": "in"}}]);
    assert_eq!(patched.json["data"]["graph"]["connections"], full, "{}", patched.text);

    for (connection, message) in [
        (
            json!({"from": "check", "to": "end"}),
            "graph.connections[0].from: the node has several outputs; name the port: true, false",
        ),
        (
            json!({"from": "start", "to": "start"}),
            "graph.connections[0].to: the node has no inputs; remove the connection",
        ),
        (
            json!({"from": "nobody", "to": "end"}),
            "graph.connections[0].from: the graph has no such node; name a node of the graph",
        ),
        (
            json!({"from": "odd", "to": "end"}),
            "graph.connections[0].from: the outputs of the node are unknown until its configuration is valid; name the port",
        ),
        (
            json!({"from": {"node": "start", "port": ""}, "to": "end"}),
            "graph.connections[0].from.port: 1 to 64 characters",
        ),
    ] {
        let refused = create(json!([connection])).await;
        assert_eq!(refused.code(), "invalid_body", "{connection}");
        let refused = refused.json["error"]["message"].as_str().unwrap();
        assert!(refused.starts_with(message), "{refused}");
    }
    for connection in [json!({"from": 1, "to": "end"}), json!({"from": ["start", "out"], "to": "end"}), json!("start")]
    {
        assert_eq!(create(json!([connection])).await.code(), "invalid_body", "{connection}");
    }
}

#[tokio::test]
async fn the_model_of_a_node_must_have_its_capability() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let node = |r#type: &str, config: Value| {
        let mut graph = echo();
        graph["nodes"][1] = json!({"id": "end", "type": r#type, "name": "", "config": config});
        graph
    };
    let source = json!([{"type": "text", "name": "a", "text": "b"}]);
    for (graph, model, unfit, why) in [
        (
            node("model", json!({"model": "dev-chat", "prompt": "hi"})),
            "dev-chat",
            "dev-embed",
            "`dev-embed` is not a chat model",
        ),
        (
            node("embeddings", json!({"model": "dev-embed", "input": "'hi'"})),
            "dev-embed",
            "dev-chat",
            "`dev-chat` is not an embeddings model",
        ),
        (
            node("retrieval", json!({"model": "dev-embed", "query": "hi", "topK": 1, "sources": source})),
            "dev-embed",
            "dev-chat",
            "`dev-chat` is not an embeddings model",
        ),
        (
            node("image", json!({"preset": "dev-image", "prompt": "hi"})),
            "dev-image",
            "dev-chat",
            "`dev-chat` is not an image model",
        ),
    ] {
        let field = if graph["nodes"][1]["type"] == "image" { "preset" } else { "model" };
        for (name, is_fit) in [(model, true), (unfit, false)] {
            let mut graph = graph.clone();
            graph["nodes"][1]["config"][field] = json!(name);
            let id = create_workflow(&ada, "Calls", graph).await;
            let answer = post_action(&ada, &id, "validate").await;
            assert_eq!(answer.json["data"]["valid"], is_fit, "{}", answer.text);
            let first = &answer.json["data"]["problems"][0];
            if !is_fit {
                assert_eq!(
                    (&first["code"], &first["field"]),
                    (&json!("model_unfit"), &json!(format!("config.{field}")))
                );
                assert!(first["message"].as_str().unwrap().contains(why), "{first}");
            }
        }
    }
}

#[tokio::test]
async fn an_incomplete_channel_has_its_own_code() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut graph = echo();
    graph["nodes"][0] = json!({"id": "start", "type": "webhook", "name": "Hook", "config": {}});
    let id = create_workflow(&ada, "Hooked", graph).await;
    let refused = post_action(&ada, &id, "publish").await;
    assert_eq!((refused.status.as_str(), refused.code()), ("422 Unprocessable Entity", "channel_incomplete"));
    assert_eq!(refused.json["error"]["message"], "node `Hook` (start): its channel is incomplete; set webhookId");
}

#[tokio::test]
async fn a_workflow_can_neither_call_itself_nor_one_of_another_account() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let (own, theirs) = (create_workflow(&ada, "Own", echo()).await, publish_workflow(&bob, "Theirs").await);
    for (named, code) in [(&own, "own_workflow"), (&theirs, "reference_gone")] {
        let mut graph = echo();
        graph["nodes"][1] = json!({"id": "end", "type": "workflow", "name": "", "config": {"workflowId": named}});
        ada.patch(&format!("{WORKFLOWS}/{own}"), json!({"graph": graph})).await;
        let answer = post_action(&ada, &own, "validate").await;
        let codes: Vec<_> =
            answer.json["data"]["problems"].as_array().unwrap().iter().map(|p| p["code"].clone()).collect();
        assert!(codes.contains(&json!(code)), "{codes:?}");
        assert_eq!(post_action(&ada, &own, "publish").await.code(), "invalid_body");
    }
}

#[tokio::test]
async fn a_reference_to_an_unpublished_workflow_is_a_warning() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let named = create_workflow(&ada, "Named", echo()).await;
    let mut graph = echo();
    graph["nodes"][1] = json!({"id": "end", "type": "workflow", "name": "", "config": {"workflowId": named}});
    let id = create_workflow(&ada, "Naming", graph).await;
    let warned = async |is_warned: bool| {
        let answer = post_action(&ada, &id, "validate").await;
        assert_eq!(answer.json["data"]["valid"], true, "{}", answer.text);
        let problems = answer.json["data"]["problems"].as_array().unwrap();
        let warning = problems.iter().find(|problem| problem["code"] == "workflow_unpublished");
        assert_eq!(warning.map(|warning| warning["field"].clone()), is_warned.then(|| json!("config.workflowId")));
    };
    warned(true).await;
    post_action(&ada, &named, "publish").await;
    warned(false).await;
    post_action(&ada, &named, "archive").await;
    warned(true).await;
}

#[tokio::test]
async fn the_catalog_describes_the_node_types() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let answer = ada.get(&format!("{WORKFLOWS}/node-types")).await;
    assert_eq!(answer.column("type").len(), engine::nodes::all().len());
    let types = answer.json["data"].as_array().unwrap();
    let http = types.iter().find(|kind| kind["type"] == "http").unwrap();
    assert_eq!(http["inputs"], json!([{"name": "in", "optional": false}]));
    assert_eq!((&http["effects"], &http["category"]), (&json!(true), &json!("integration")));
    assert_eq!(http["configSchema"]["properties"]["url"]["x-language"], "jinja");
    let condition = types.iter().find(|kind| kind["type"] == "condition").unwrap();
    assert_eq!(condition["outputs"], json!([{"name": "true", "schema": {}}, {"name": "false", "schema": {}}]));
    assert_eq!(http["errorOutput"]["schema"]["required"], json!(["code", "message"]));
    let fail = types.iter().find(|kind| kind["type"] == "fail").unwrap();
    assert_eq!((&fail["outputs"], &fail["errorOutput"]), (&json!([]), &Value::Null));

    // Every example is a valid node, apart from its references.
    for kind in types {
        let graph = json!({"nodes": [{"id": "n", "type": kind["type"], "config": kind["example"]["config"]}]});
        let id = create_workflow(&ada, "Example", graph).await;
        let problems = post_action(&ada, &id, "validate").await.json["data"]["problems"].clone();
        let codes: Vec<_> =
            problems.as_array().unwrap().iter().map(|p| p["code"].as_str().unwrap().to_owned()).collect();
        assert!(!codes.iter().any(|code| code.starts_with("invalid")), "{} {codes:?}", kind["type"]);
    }
}
