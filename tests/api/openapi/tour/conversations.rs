//! The recorded tour of conversations: a message, its answer, and an operator who takes over.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::time::Time;
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::{Value, json};

use super::builder::edge;
use super::{JSON, TourClient};

const SECRET: &[u8] = b"an example secret of 32 bytes ..";
const THREAD: &str = "/builder/v1/workflows/{id}/threads/{thread_id}";

impl TourClient {
    pub(super) async fn record_conversations(&mut self) {
        let before = self.path_parameters["id"].clone();
        self.publish_bot().await;
        self.deliver("1", "Where is my order?").await;
        self.app.platform.drain().await;
        let threads = self.get("/builder/v1/workflows/{id}/threads").await;
        let thread = &threads["data"][0];
        self.set_parameter("thread_id", &thread["id"]);
        self.set_parameter("participant_id", &thread["participant"]["id"]);
        self.get(THREAD).await;
        self.get("/builder/v1/workflows/{id}/threads/{thread_id}/messages").await;
        self.get("/builder/v1/threads").await;
        let follow = "/builder/v1/workflows/{id}/threads/{thread_id}/messages?follow=true";
        self.send_with_headers("GET", follow, None, &[("Last-Event-ID", "1")]).await;
        let ids = json!({"ids": [thread["id"]]});
        self.send("POST", "/builder/v1/workflows/threads/batch", Some(ids)).await;
        self.record_take_over().await;
        let nudge = "/builder/v1/workflows/{id}/records/threads/{thread_id}/nudge";
        self.send("POST", nudge, Some(json!({"content": "Did you find your order?"}))).await;
        self.send("POST", nudge, Some(json!({}))).await;
        self.get("/builder/v1/workflows/{id}/records/participants").await;
        let participant = "/builder/v1/workflows/{id}/records/participants/{participant_id}";
        self.get(participant).await;
        self.send("DELETE", participant, None).await;
        self.record_verification().await;
        self.path_parameters.insert("id", before);
    }

    /// Publishes a workflow that answers the messages of a signed HTTP channel.
    async fn publish_bot(&mut self) {
        let graph = json!({
            "nodes": [
                {"id": "ask", "type": "message", "name": "Question", "config": {}},
                {"id": "reply", "type": "send_message", "name": "Answer", "config": {"text": "You asked: {{ input.text }}"}},
            ],
            "connections": [edge("ask", "out", "reply")],
        });
        let created = self.send("POST", "/builder/v1/workflows", Some(json!({"name": "Bot", "graph": graph}))).await;
        self.set_parameter("id", &created["data"]["id"]);
        let url = self.start_mock_system().await;
        let secret = format!("whsec_{}", BASE64_STANDARD.encode(SECRET));
        let credential = json!({"name": "Chat", "type": "http", "url": url, "secret": secret});
        let outbound = "/builder/v1/workflows/{id}/webhook-credentials/outbound";
        let stored = self.send("POST", outbound, Some(credential)).await;
        self.set_parameter("credential_id", &stored["data"]["id"]);
        let config = json!({"provider": "http", "credentialId": stored["data"]["id"]});
        let channels = json!({
            "inputs": [{"nodeId": "ask", "config": config}], "outputs": [{"nodeId": "reply", "config": config}],
        });
        self.send("PUT", "/builder/v1/workflows/{id}/connections", Some(channels)).await;
        self.send("POST", "/builder/v1/workflows/{id}/publish", None).await;
    }

    /// Delivers a message, signed as Standard Webhooks specifies it.
    async fn deliver(&mut self, id: &str, text: &str) {
        let participant = json!({"id": "grace", "name": "Grace"});
        let body = json!({"conversation": "room-7", "participant": participant, "text": text});
        let time = Time::now().as_seconds().to_string();
        let tag = sign(&Key::new(HMAC_SHA256, SECRET), format!("{id}.{time}.{body}").as_bytes());
        let signature = format!("v1,{}", BASE64_STANDARD.encode(tag));
        let headers = [JSON, ("webhook-id", id), ("webhook-timestamp", &time), ("webhook-signature", &signature)];
        let inbox = "/hooks/v1/messages/{credential_id}";
        self.send_with_headers("POST", inbox, Some(body.clone()), &headers).await;
        self.send_with_headers("POST", inbox, Some(body), &[JSON]).await;
    }

    /// Answers Meta, which verifies the URL of a WhatsApp account.
    async fn record_verification(&mut self) {
        let credential = json!({
            "name": "WhatsApp", "type": "whatsapp", "accessToken": "an access token", "phoneNumberId": "1090",
            "appSecret": "an app secret", "verifyToken": "a-verify-token",
        });
        let outbound = "/builder/v1/workflows/{id}/webhook-credentials/outbound";
        let stored = self.send("POST", outbound, Some(credential)).await;
        self.set_parameter("credential_id", &stored["data"]["id"]);
        self.get(
            "/hooks/v1/messages/{credential_id}?hub.mode=subscribe&hub.verify_token=a-verify-token&hub.challenge=1158",
        )
        .await;
        self.send("DELETE", "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", None).await;
    }

    async fn record_take_over(&mut self) {
        let state = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state";
        let release = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state/release";
        let messages = "/builder/v1/workflows/{id}/threads/{thread_id}/messages";
        let bo = || Some(json!({"operator": "Bo"}));
        self.send("POST", state, bo()).await;
        self.send("POST", state, Some(json!({"operator": "Cy"}))).await;
        self.get(state).await;
        let content = "Your order arrives **today**.";
        self.send("POST", messages, Some(json!({"content": content, "operator": "Bo"}))).await;
        self.send("POST", messages, Some(json!({"content": "Hello", "operator": "Cy"}))).await;
        self.send("POST", release, bo()).await;
        self.send("DELETE", state, None::<Value>).await;
    }
}
