//! Connections (channels), and the credentials and webhooks that complete them.

use domain::id::WorkflowId;
use reqwest::Method;
use serde_json::{Value, json};
use store::Workflows;
use tests::TestApp;
use tests::client::send;

use super::*;

/// A graph that starts at a webhook and sends a message and a result.
pub fn channel_graph() -> Value {
    json!({
        "nodes": [
            {"id": "hook", "type": "webhook", "name": "Hook", "config": {}},
            {"id": "say", "type": "send_message", "name": "Say", "config": {"text": "hi"}},
            {"id": "end", "type": "send_result", "name": "", "config": {}},
        ],
        "connections": [
            {"from": {"node": "hook", "port": "out"}, "to": {"node": "say", "port": "in"}},
            {"from": {"node": "say", "port": "out"}, "to": {"node": "end", "port": "in"}},
        ],
    })
}

/// A graph that a webhook or a message starts.
fn incoming_graph() -> Value {
    json!({
        "nodes": [
            {"id": "hook", "type": "webhook", "name": "Hook", "config": {}},
            {"id": "say", "type": "message", "name": "Say", "config": {}},
            {"id": "end", "type": "send_result", "name": "", "config": {}},
        ],
        "connections": [
            {"from": {"node": "hook", "port": "out"}, "to": {"node": "end", "port": "in"}},
            {"from": {"node": "say", "port": "out"}, "to": {"node": "end", "port": "in"}},
        ],
    })
}

#[tokio::test]
async fn a_workflow_is_published_when_its_channels_are_complete() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", incoming_graph()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let connections = ada.get(&format!("{path}/connections")).await;
    assert_eq!(
        connections.json["data"],
        json!({
            "inputs": [
                {"id": "hook", "direction": "input", "kind": "webhook", "nodeId": "hook", "config": {}, "complete": false, "missing": ["webhookId"]},
                {"id": "say", "direction": "input", "kind": "messaging", "nodeId": "say", "config": {}, "complete": false, "missing": ["provider", "credentialId"]},
            ],
            "outputs": [
                {"id": "end", "direction": "output", "kind": "internal", "nodeId": "end", "config": {}, "complete": true, "missing": []},
            ],
        })
    );
    let refused = post_action(&ada, &id, "publish").await;
    assert_eq!((refused.status.as_str(), refused.code()), ("422 Unprocessable Entity", "channel_incomplete"));
    assert_eq!(refused.json["error"]["message"], "node `Hook` (hook): its channel is incomplete; set webhookId");

    let webhook = ada.post(&format!("{path}/webhooks")).await.id().to_owned();
    let outbound = format!("{path}/webhook-credentials/outbound");
    let credential = ada.post_json(&outbound, slack_app("Bot")).await.id().to_owned();
    // The connections are sent back as they were read, with the configuration filled in.
    let mut filled = connections.json["data"].clone();
    filled["inputs"][0]["config"] = json!({"webhookId": webhook});
    filled["inputs"][1]["config"] = json!({"provider": "slack", "credentialId": credential});
    let configured = ada.put(&format!("{path}/connections"), filled).await;
    assert_eq!(configured.status, "200 OK", "{}", configured.text);
    for list in ["inputs", "outputs"] {
        let channels = configured.json["data"][list].as_array().unwrap();
        assert!(!channels.is_empty() && channels.iter().all(|channel| channel["complete"] == true), "{channels:?}");
    }
    assert_eq!(configured.header("etag"), Some("\"2\""));

    let published = post_action(&ada, &id, "publish").await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let release = published.json["data"]["release"]["id"].as_str().unwrap().to_owned();
    let manifest = ada.get(&format!("{path}/releases/{release}/manifest")).await;
    assert_eq!(manifest.json["data"]["channels"]["hook"], json!({"webhookId": webhook}));

    // Changed channels change the draft, and a resource that a channel references can be deleted.
    assert_eq!(post_action(&ada, &id, "publish").await.code(), "no_changes");
    ada.delete(&format!("{path}/webhook-credentials/outbound/{credential}")).await;
    let connections = ada.get(&format!("{path}/connections")).await;
    assert_eq!(connections.json["data"]["inputs"][1]["missing"], json!(["credentialId"]));
    let status = ada.get(&format!("{path}/releases/{release}/runtime-status")).await;
    assert_eq!(status.json["data"]["status"], "failed");
    let other = ada
        .put(&format!("{path}/connections"), json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook}}]}))
        .await;
    assert_eq!(other.status, "200 OK");
    assert_eq!(ada.get(&path).await.json["data"]["hasUnpublishedChanges"], true);
    let diff = ada.get(&format!("{path}/releases/{release}/diff/draft")).await;
    assert_eq!(diff.json["data"]["summary"], json!(["channel of node `say` reconfigured"]));
    assert_eq!(
        diff.json["data"]["channels"],
        json!([{"nodeId": "say", "before": {"provider": "slack", "credentialId": credential}, "after": null}])
    );

    // A channel is deleted with its node.
    ada.patch(&path, json!({"graph": echo()})).await;
    ada.patch(&path, json!({"graph": incoming_graph()})).await;
    let emptied = ada.get(&format!("{path}/connections")).await;
    assert_eq!(emptied.json["data"]["inputs"][0]["config"], json!({}));
}

#[tokio::test]
async fn a_workflow_needs_attention_when_its_credential_or_webhook_is_deleted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut graph = incoming_graph();
    graph["nodes"].as_array_mut().unwrap().push(json!({"id": "fetch", "type": "http", "name": "Fetch", "config": {}}));
    graph["connections"][0]["to"]["node"] = json!("fetch");
    let onwards = json!({"from": {"node": "fetch", "port": "out"}, "to": {"node": "end", "port": "in"}});
    graph["connections"].as_array_mut().unwrap().push(onwards);
    let id = create_workflow(&ada, "Hooked", graph.clone()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let bearer = || json!({"name": "caller", "type": "bearer", "token": "t"});
    let add = async |credential: Value| {
        ada.post_json(&format!("{path}/webhook-credentials/outbound"), credential).await.id().to_owned()
    };
    let publish = async |webhook: &str, speaker: &str, caller: &str| {
        let mut graph = graph.clone();
        graph["nodes"][3]["config"] = json!({"url": "https://api.example.com", "credentialId": caller});
        ada.patch(&path, json!({"graph": graph})).await;
        let channels = json!({
            "inputs": [
                {"nodeId": "hook", "config": {"webhookId": webhook}},
                {"nodeId": "say", "config": {"provider": "slack", "credentialId": speaker}},
            ],
        });
        ada.put(&format!("{path}/connections"), channels).await;
        let published = post_action(&ada, &id, "publish").await;
        assert_eq!(published.json["data"]["workflow"]["state"], "published", "{}", published.text);
        published.json["data"]["release"]["id"].as_str().unwrap().to_owned()
    };
    let needs = async |what: &str| {
        app.platform.drain().await;
        let read = ada.get(&path).await;
        assert_eq!(read.json["data"]["state"], "needs_attention", "{what}");
        let problems = read.json["data"]["problems"].as_array().unwrap();
        assert_eq!((problems.len(), &problems[0]["code"]), (1, &json!("reference_gone")));
        let message = problems[0]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("{what} "))
                && message.ends_with("no longer exists: replace it or remove the reference")
        );
    };
    let outbound = format!("{path}/webhook-credentials/outbound");
    let webhook = ada.post(&format!("{path}/webhooks")).await.id().to_owned();
    let (speaker, caller) = (add(slack_app("speaker")).await, add(bearer()).await);
    let spare = add(slack_app("spare")).await;

    let release = publish(&webhook, &speaker, &caller).await;
    let manifest = ada.get(&format!("{path}/releases/{release}/manifest")).await;
    let mut expected = [speaker.clone(), caller.clone()];
    expected.sort();
    assert_eq!(manifest.json["data"]["dependencies"]["credentials"], json!(expected));

    // A credential without references can be deleted.
    ada.delete(&format!("{outbound}/{spare}")).await;
    app.platform.drain().await;
    assert_eq!(ada.get(&path).await.json["data"]["state"], "published");

    ada.delete(&format!("{outbound}/{caller}")).await;
    needs("credential").await;
    let caller = add(bearer()).await;
    publish(&webhook, &speaker, &caller).await;
    ada.delete(&format!("{outbound}/{speaker}")).await;
    needs("credential").await;
    let speaker = add(slack_app("speaker")).await;
    publish(&webhook, &speaker, &caller).await;
    ada.delete(&format!("{path}/webhooks/{webhook}")).await;
    needs("webhook").await;

    // The secrets of a deleted workflow are deleted too.
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    app.platform.drain().await;
    let (account, workflow) = (app.account("ada"), id.parse::<WorkflowId>().unwrap());
    let left = Workflows::new(&app.platform.context()).unwrap().available_resources(account, workflow).await.unwrap();
    assert_eq!((left.webhooks.len(), left.credentials.len()), (0, 0));
}

#[tokio::test]
async fn nodes_that_call_other_systems_refuse_unsuitable_credentials() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let credentials = format!("{path}/webhook-credentials/outbound");
    let create = async |credential: Value| ada.post_json(&credentials, credential).await.id().to_owned();
    let slack = create(slack_app("Bot")).await;
    let bearer = create(json!({"name": "Token", "type": "bearer", "token": "x"})).await;
    let basic = create(json!({"name": "User", "type": "basic", "username": "ada", "password": "x"})).await;
    let http = json!({"url": "https://api.example.com"});
    let email = json!({"host": "smtp.example.com", "from": "a@example.com", "to": "b@example.com", "subject": "Hi", "text": "Hi"});
    let database = json!({
        "server": "postgresql", "host": "db.example.com", "database": "shop", "statements": [{"sql": "SELECT 1"}],
    });
    for (node_type, config, credential, why) in [
        ("http", &http, &slack, "a credential of the type `slack` is for channels; select one for HTTP calls"),
        ("http", &http, &bearer, ""),
        ("email", &email, &slack, "a credential of the type `slack` has no password; select one of the type `basic`"),
        ("email", &email, &bearer, "a credential of the type `bearer` has no password; select one of the type `basic`"),
        ("email", &email, &basic, ""),
        (
            "database",
            &database,
            &bearer,
            "a credential of the type `bearer` has no password; select one of the type `basic`",
        ),
        ("database", &database, &basic, ""),
    ] {
        let mut graph = template_graph("");
        let mut config = config.clone();
        config["credentialId"] = json!(credential);
        graph["nodes"][2] = json!({"id": "say", "type": node_type, "name": "Call", "config": config});
        ada.patch(&path, json!({"graph": graph})).await;
        let problems = post_action(&ada, &id, "validate").await.json["data"]["problems"].clone();
        let problems: Vec<_> = problems
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| (&problem["code"], problem["message"].as_str().unwrap()))
            .collect();
        match why {
            "" => assert_eq!(problems, [], "{node_type}"),
            why => {
                let [(code, message)] = problems[..] else { panic!("{node_type}: {problems:?}") };
                assert_eq!(code, "credential_unfit");
                assert!(message.ends_with(why), "{message}");
            }
        }
    }
}

#[tokio::test]
async fn invalid_channels_are_refused_by_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", channel_graph()).await;
    let path = format!("{WORKFLOWS}/{id}/connections");
    let nobody = "019cb8e2-3f4a-7c21-9b6d-000000000000";
    for (body, message) in [
        (
            json!({"inputs": [{"nodeId": "hook", "config": {"provider": "slack"}}]}),
            "inputs[0].config.provider: the channel of node `hook` has no such field",
        ),
        (
            json!({"inputs": [{"nodeId": "ghost", "config": {"webhookId": nobody}}]}),
            "inputs[0].nodeId: the draft has no node `ghost` with a channel",
        ),
        (json!({"inputs": [{"nodeId": "ghost"}]}), "inputs[0].nodeId: the draft has no node `ghost` with a channel"),
        (
            json!({"inputs": [{"nodeId": "hook"}, {"nodeId": "hook"}]}),
            "inputs[1].nodeId: is listed twice; list each node once",
        ),
        (
            json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": nobody}}, {"nodeId": "hook"}]}),
            "inputs[1].nodeId: is listed twice; list each node once",
        ),
        (
            json!({"outputs": [{"nodeId": "hook", "config": {"webhookId": nobody}}]}),
            "outputs[0].nodeId: the channel of node `hook` has the other direction; move it to the other list",
        ),
        (
            json!({"outputs": [{"nodeId": "say", "config": {"provider": "pigeon"}}]}),
            "outputs[0].config.provider: unknown variant `pigeon`, expected one of `slack`, `telegram`, `whatsapp`, `http` at line 1 column 57",
        ),
        (
            json!({"channels": []}),
            "channels: unknown field `channels`, expected `inputs` or `outputs` at line 1 column 11",
        ),
    ] {
        let refused = ada.put(&path, body).await;
        assert_eq!((refused.code(), refused.json["error"]["message"].as_str().unwrap()), ("invalid_body", message));
    }
    let stale = ada.request(Method::PUT, &path).header("If-Match", "\"9\"").json(&json!({}));
    assert_eq!(send(stale).await.code(), "precondition_failed");
    let outbound = format!("{WORKFLOWS}/{id}/webhook-credentials/outbound");
    let basic = json!({"name": "Bot", "type": "basic", "username": "u", "password": "p"});
    let basic = ada.post_json(&outbound, basic).await.id().to_owned();
    let say = |provider: &str, credential: &str| json!({"outputs": [{"nodeId": "say", "config": {"provider": provider, "credentialId": credential}}]});
    for (provider, r#type) in [("slack", "slack"), ("telegram", "telegram"), ("whatsapp", "whatsapp"), ("http", "http")]
    {
        let refused = ada.put(&path, say(provider, &basic)).await;
        let problem = format!("this provider takes a credential of the type `{type}`; choose or create one");
        assert_eq!(refused.json["error"]["message"], format!("outputs[0].config.credentialId: {problem}"));
    }
    let signed = json!({"name": "Chat", "type": "http", "url": "https://chat.example.com", "secret": format!("whsec_{}", "c2Vj".repeat(10))});
    let signed = ada.post_json(&outbound, signed).await.id().to_owned();
    assert_eq!(ada.put(&path, say("http", &signed)).await.json["data"]["outputs"][0]["complete"], true);
    let mut twice = channel_graph();
    twice["nodes"][1] = json!({"id": "say", "type": "webhook", "name": "Other", "config": {}});
    let two = format!("{WORKFLOWS}/{}/connections", create_workflow(&ada, "Twice", twice).await);
    let hook = |node: &str| json!({"nodeId": node, "config": {"webhookId": nobody}});
    let refused = ada.put(&two, json!({"inputs": [hook("hook"), hook("say")]})).await;
    let message = "inputs[1].config.webhookId: already starts runs at another node; use another webhook";
    assert_eq!(refused.json["error"]["message"], message);
    let chat = |id: &str, kind: &str, config: Value| json!({"id": id, "type": kind, "name": id, "config": config});
    let ask = |id: &str| chat(id, "message", json!({}));
    let say = |id: &str| chat(id, "send_message", json!({"text": "Hi"}));
    let chats = json!({"nodes": [ask("one"), ask("two"), say("three"), say("four")], "connections": []});
    let chats = create_workflow(&ada, "Chats", chats).await;
    let bot = json!({"name": "Bot", "type": "telegram", "botToken": "1:a", "secretToken": "s3cret"});
    let bot = ada.post_json(&format!("{WORKFLOWS}/{chats}/webhook-credentials/outbound"), bot).await.id().to_owned();
    let chats = format!("{WORKFLOWS}/{chats}/connections");
    let chat = |node: &str| json!({"nodeId": node, "config": {"provider": "telegram", "credentialId": bot}});
    let refused = ada.put(&chats, json!({"inputs": [chat("one"), chat("two")]})).await;
    let problem = "the messages to this account already start runs at another node; use another credential";
    assert_eq!(
        refused.json["error"]["message"],
        format!("inputs[1].config.credentialId: {problem}"),
        "{}",
        refused.text
    );
    let shared = ada.put(&chats, json!({"inputs": [chat("one")], "outputs": [chat("three"), chat("four")]})).await;
    assert_eq!(shared.status, "200 OK", "any number of nodes may send with one account: {}", shared.text);
    // A missing webhook can be referenced, and is reported as missing.
    let named = ada.put(&path, json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": nobody}}]})).await;
    assert_eq!(named.json["data"]["inputs"][0]["missing"], json!(["webhookId"]));
}
