//! Connections (channels), webhooks and their events, and credentials.

use domain::id::{WebhookEventId, WorkflowId};
use domain::time::Time;
use domain::webhook::{WebhookEvent, WebhookOutcome};
use reqwest::Method;
use serde_json::{Value, json};
use shared::store::{WebhookEvents, Webhooks, Workflows};
use tests::TestApp;
use tests::client::send;

use super::*;

/// A graph that starts at a webhook and sends a message and a result.
fn channel_graph() -> Value {
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
async fn nodes_that_call_other_systems_refuse_credentials_of_channels() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let credential = ada.post_json(&format!("{path}/webhook-credentials/outbound"), slack_app("Bot")).await;
    let mut graph = template_graph("");
    let config = json!({"url": "https://api.example.com", "credentialId": credential.id()});
    graph["nodes"][2] = json!({"id": "say", "type": "http", "name": "Fetch", "config": config});
    ada.patch(&path, json!({"graph": graph})).await;
    let problems = &post_action(&ada, &id, "validate").await.json["data"]["problems"];
    assert_eq!(
        (problems.as_array().unwrap().len(), &problems[0]["code"]),
        (1, &json!("credential_unfit")),
        "{problems}"
    );
    let message = problems[0]["message"].as_str().unwrap();
    assert!(
        message.ends_with("a credential of the type `slack` is for channels; select one for HTTP calls"),
        "{message}"
    );
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
    for (provider, r#type) in
        [("slack", "slack"), ("telegram", "telegram"), ("whatsapp", "whatsapp"), ("http", "signed_http")]
    {
        let refused = ada.put(&path, say(provider, &basic)).await;
        let problem = format!("this provider takes a credential of the type `{type}`; choose or create one");
        assert_eq!(refused.json["error"]["message"], format!("outputs[0].config.credentialId: {problem}"));
    }
    let signed = json!({"name": "Chat", "type": "signed_http", "url": "https://chat.example.com", "secret": format!("whsec_{}", "c2Vj".repeat(10))});
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

#[tokio::test]
async fn a_webhook_shows_its_token_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", channel_graph()).await;
    let path = format!("{WORKFLOWS}/{id}/webhooks");
    let made = ada.post_json(&path, json!({"name": "Help desk", "mode": "async", "timeoutMs": 5000})).await;
    assert_eq!(made.status, "201 Created");
    let data = &made.json["data"];
    let token = data["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("whk_") && token.ends_with(data["tokenLast4"].as_str().unwrap()));
    assert!(data["url"].as_str().unwrap().ends_with(&format!("/hooks/v1/{}", made.id())));
    assert!(data["url"].as_str().unwrap().starts_with(&app.platform.base_url));

    let one = format!("{path}/{}", made.id());
    // The URL does not depend on the request's Host header.
    let astray = ada.request(reqwest::Method::GET, &one).header("host", "attacker.example");
    let astray = send(astray.header("x-forwarded-proto", "https")).await;
    assert_eq!(astray.json["data"]["url"], data["url"]);
    let read = ada.get(&one).await;
    assert_eq!(read.json["data"]["mode"], "async");
    assert!(read.json["data"].get("token").is_none() && !read.text.contains(&token));
    let listed = ada.get(&path).await;
    assert_eq!(listed.column("id"), [made.id()]);
    assert!(!listed.text.contains(&token));
    let renewed = ada.post(&format!("{one}/regenerate-token")).await;
    let second = renewed.json["data"]["token"].as_str().unwrap().to_owned();
    assert_ne!(second, token);
    assert_eq!(ada.get(&one).await.json["data"]["tokenLast4"], renewed.json["data"]["tokenLast4"]);

    ada.post(&path).await;
    let credentials = format!("{WORKFLOWS}/{id}/webhook-credentials");
    let all = ada.post(&format!("{credentials}/inbound/regenerate")).await;
    let tokens: Vec<_> =
        all.json["data"].as_array().unwrap().iter().map(|one| one["token"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tokens.len(), 2);
    assert!(!tokens.contains(&second));
    let only = ada.post_json(&format!("{credentials}/inbound/regenerate"), json!({"webhookId": made.id()})).await;
    assert_eq!(only.json["data"].as_array().unwrap().len(), 1);
    let listed = ada.get(&credentials).await;
    assert_eq!(listed.json["data"]["inbound"].as_array().unwrap().len(), 2);
    assert!(tokens.iter().all(|token| !listed.text.contains(token.as_str())));

    assert_eq!(ada.delete(&one).await.status, "204 No Content");
    assert_eq!(ada.get(&one).await.code(), "webhook_not_found");
    for wrong in [
        json!({"name": ""}),
        json!({"timeoutMs": 999}),
        json!({"timeoutMs": 25001}),
        json!({"mode": "later"}),
        json!({"color": 1}),
    ] {
        assert_eq!(ada.post_json(&path, wrong).await.code(), "invalid_body");
    }
}

#[tokio::test]
async fn webhook_events_are_listed_filtered_and_read() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", channel_graph()).await;
    let webhook = ada.post(&format!("{WORKFLOWS}/{id}/webhooks")).await.id().to_owned();
    let store = WebhookEvents::new(&app.platform.context()).unwrap();
    let mut ids = Vec::new();
    for index in 0..25 {
        let event = WebhookEvent {
            id: WebhookEventId::new(),
            outcome: if index % 5 == 0 { WebhookOutcome::Refused } else { WebhookOutcome::Accepted },
            status: 202,
            run: None,
            error_code: None,
            content_type: Some("application/json".to_owned()),
            headers: [("user-agent".to_owned(), "curl".to_owned())].into(),
            body: "x".repeat(index * 3_000),
            body_bytes: index as u64 * 3_000,
        };
        ids.push(event.id.to_string());
        store.record(webhook.parse().unwrap(), event).await.unwrap();
    }
    ids.reverse();
    let path = format!("{WORKFLOWS}/{id}/webhooks/{webhook}/events");
    let walk = async |query: &str| {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let part = ada.get(&format!("{path}?{query}{cursor}")).await;
            assert_eq!(part.status, "200 OK", "{}", part.text);
            found.extend(part.column("id").into_iter().map(str::to_owned));
            match part.json["meta"]["nextCursor"].as_str() {
                None => return found,
                Some(next) => cursor = format!("&cursor={next}"),
            }
        }
    };
    assert_eq!(walk("limit=10").await, ids);
    assert_eq!(walk("limit=3").await, ids);
    let refused = walk("limit=2&outcome=refused").await;
    assert_eq!(refused, ids.iter().rev().step_by(5).rev().cloned().collect::<Vec<_>>());
    assert_eq!(walk("outcome=refused,accepted").await, ids);
    assert_eq!(ada.get(&format!("{path}?cursor=x")).await.code(), "invalid_query");
    assert_eq!(ada.get(&format!("{path}?outcome=lost")).await.code(), "invalid_query");

    // The receiver of webhook calls records when a token was used, at most once per minute.
    let inbound = async || {
        let listed = ada.get(&format!("{WORKFLOWS}/{id}/webhook-credentials")).await;
        listed.json["data"]["inbound"][0]["lastUsedAt"].clone()
    };
    assert_eq!(inbound().await, Value::Null);
    let webhooks = Webhooks::new(&app.platform.context()).unwrap();
    let webhook_id = webhook.parse().unwrap();
    let workflow = id.parse().unwrap();
    let read = async || webhooks.get(app.account("ada"), workflow, webhook_id).await.unwrap();
    let at = |millis: i64| Time::from_millis(1_790_000_000_000 + millis);
    for (millis, noted) in [(0_i64, 0), (59_999, 0), (60_000, 60_000)] {
        webhooks.record_use(&read().await, at(millis)).await.unwrap();
        assert_eq!(inbound().await, json!(at(noted).to_string()));
    }
    // A new token has not been used yet, and a call with the old one does not change that.
    let before = read().await;
    ada.post(&format!("{WORKFLOWS}/{id}/webhooks/{webhook}/regenerate-token")).await;
    webhooks.record_use(&before, at(600_000)).await.unwrap();
    assert_eq!(inbound().await, Value::Null);

    let newest = ada.get(&format!("{path}/{}", ids[0])).await;
    assert_eq!(newest.json["data"]["bodyBytes"], 72_000);
    assert_eq!(newest.json["data"]["body"].as_str().unwrap().len(), 65_536);
    let oldest = ada.get(&format!("{path}/{}", ids[24])).await;
    assert_eq!(oldest.json["data"]["headers"], json!({"user-agent": "curl"}));
    assert_eq!(
        ada.get(&format!("{path}/019cb8e2-3f4a-7c21-9b6d-000000000000")).await.code(),
        "webhook_event_not_found"
    );
    let stranger = app.person("bob").get(&path).await;
    assert_eq!(stranger.code(), "workflow_not_found");
}
