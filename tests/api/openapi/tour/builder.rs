//! The recorded tour of agents and workflows: a workflow from its first draft to its deletion.

use std::time::Duration;

use domain::identity::Role;
use domain::time::Time;
use serde_json::{Value, json};
use testing::mcp::McpServer;

use super::{JSON, TOO_LARGE, TourClient};

const AGENTS: &str = "/builder/v1/agents";
const AGENT: &str = "/builder/v1/agents/{id}";
pub(super) const WORKFLOWS: &str = "/builder/v1/workflows";
const WORKFLOW: &str = "/builder/v1/workflows/{id}";

impl TourClient {
    pub(super) async fn record_builder(&mut self) {
        self.record_agents().await;
        self.record_service_tokens().await;
        self.record_definition().await;
        self.record_channels().await;
        self.record_teams().await;
        self.record_tables().await;
        self.record_triggers().await;
        self.record_versions().await;
        self.record_tests().await;
        self.record_runs().await;
        self.record_conversations().await;
        self.record_life_cycle().await
    }

    async fn record_agents(&mut self) {
        self.get("/health").await;
        self.get("/builder/v1/models").await;
        let config = json!({"model": "dev-chat", "instructions": "Answer in one sentence."});
        let agent = self.send("POST", AGENTS, Some(json!({"name": "Support", "config": config}))).await;
        self.set_parameter("id", &agent["data"]["id"]);
        let config = json!({"instructions": "Answer in two sentences.", "temperature": 0.2});
        self.send("PATCH", AGENT, Some(json!({"name": "Help desk", "config": config}))).await;
        self.get(AGENT).await;
        self.get(AGENTS).await;
        self.record_marks("/builder/v1/agents/{id}/tool").await;
        let invoke = "/builder/v1/agents/{id}/invoke";
        let answer = self.send("POST", invoke, Some(json!({"input": "Where is my order?"}))).await;
        self.set_title("Not streamed");
        self.send("POST", invoke, Some(json!({"input": "Where is my order?", "stream": true}))).await;
        self.set_title("Streamed");
        self.send("POST", invoke, Some(json!({}))).await;
        let (invocations, invocation) =
            ("/builder/v1/agents/{id}/invocations", "/builder/v1/agents/{id}/invocations/{invocation_id}");
        self.set_parameter("invocation_id", &answer["data"]["id"]);
        self.get(invocations).await;
        self.get(invocation).await;
        self.send("DELETE", invocation, None).await;
        self.record_tool_credentials().await;
        self.record_common_errors(AGENT, json!({"config": {"temperature": 3}})).await
    }

    async fn record_marks(&mut self, mark: &'static str) {
        let tool = json!({"name": "help_desk", "description": "Answers questions of customers."});
        self.send("PUT", mark, Some(tool)).await;
        self.send("PUT", mark, Some(json!({"name": "help desk"}))).await;
        self.send("DELETE", mark, None).await;
    }

    async fn record_service_tokens(&mut self) {
        let (tokens, token) = ("/builder/v1/service-tokens", "/builder/v1/service-tokens/{token_id}");
        let expires_at = Time::now().plus(Duration::from_secs(90 * 24 * 60 * 60)).to_string();
        let new = json!({"name": "Deployment", "scopes": ["agents:read", "runs:write"], "expiresAt": expires_at});
        self.set_parameter("token_id", &json!("svt_00000000000070008000000000000000"));
        self.get(tokens).await;
        self.send("POST", tokens, Some(new.clone())).await;
        self.send("DELETE", token, None).await;

        let administrator = self.app.person_of("ada", "acme", Role::Admin).token.unwrap_or_default();
        let member = self.switch_token(&administrator);
        self.send("DELETE", token, None).await;
        self.send("POST", tokens, Some(json!({"name": "Deployment", "scopes": [], "expiresAt": expires_at}))).await;
        let created = self.send("POST", tokens, Some(new)).await;
        self.set_parameter("token_id", &created["data"]["id"]);
        self.get(tokens).await;
        self.send("DELETE", token, None).await;
        self.switch_token(&member);
    }

    async fn record_tool_credentials(&mut self) {
        let url = "https://shop.example.com/orders/{id}";
        let tool = json!({"type": "http", "name": "find_order", "method": "GET", "url": url, "auth": "bearer"});
        self.send("PATCH", AGENT, Some(json!({"config": {"tools": [tool]}}))).await;
        self.set_parameter("tool", &json!("find_order"));
        let credential = "/builder/v1/agents/{id}/tools/{tool}/credential";
        self.send("PUT", credential, Some(json!({"type": "bearer", "token": "example-token"}))).await;
        self.send("PUT", credential, Some(json!({"type": "bearer"}))).await;
        self.get(AGENT).await;
        self.send("DELETE", credential, None).await;
        self.record_tool_server().await;
        self.send("PATCH", AGENT, Some(json!({"config": {"tools": []}}))).await;
    }

    async fn record_tool_server(&mut self) {
        let server = McpServer::with_tools(&["search_orders"]).await;
        let tool = json!({"type": "mcp", "name": "crm", "url": server.url()});
        self.send("PATCH", AGENT, Some(json!({"config": {"tools": [tool]}}))).await;
        self.set_parameter("tool", &json!("crm"));
        let route = "/builder/v1/agents/{id}/tools/{tool}/server";
        self.get(route).await;
        server.change(|manner| manner.token = Some("another".to_owned()));
        self.get(route).await;
    }

    /// Creates and checks a workflow that asks an agent, and a person if the agent is not sure.
    async fn record_definition(&mut self) {
        let agent = self.path_parameters["id"].clone();
        let graph = json!({
            "nodes": [
                {"id": "hook", "type": "webhook", "name": "Question", "config": {}},
                {"id": "ask", "type": "agent", "name": "Help desk", "config": {"agentId": agent, "message": "{{ input.text }}"}},
                {"id": "check", "type": "condition", "name": "Sure?", "config": {"expression": "!nodes.ask.output.contains('not sure')"}},
                {"id": "review", "type": "review", "name": "Colleague", "config": {"title": "Answer: {{ input.text }}"}},
                {"id": "end", "type": "send_result", "name": "", "config": {"output": "nodes.ask.output"}},
            ],
            "connections": [
                edge("hook", "out", "ask"),
                edge("ask", "out", "check"),
                edge("check", "true", "end"),
                edge("check", "false", "review"),
                edge("review", "approved", "end"),
            ],
        });
        let new = json!({"name": "Help desk", "description": "Answers the questions of customers.", "graph": graph});
        let created = self.send("POST", WORKFLOWS, Some(new)).await;
        self.set_parameter("id", &created["data"]["id"]);
        self.get(WORKFLOW).await;
        self.get(WORKFLOWS).await;
        self.send(
            "PATCH",
            WORKFLOW,
            Some(json!({"description": "Answers the questions of customers, or asks a colleague."})),
        )
        .await;
        self.record_common_errors(WORKFLOW, json!({"name": ""})).await;
        self.record_marks("/builder/v1/workflows/{id}/tool").await;
        self.send("POST", "/builder/v1/workflows/{id}/validate", None).await;
        self.send("POST", "/builder/v1/workflows/{id}/publish", None).await;
        self.get("/builder/v1/workflows/node-types").await;
        self.record_services().await;
        let preview = json!({"expression": "size(input.lines) > 1 && input.total * 1.21 > 100", "data": {"input": {"lines": [1, 2], "total": 90}}});
        self.send("POST", "/builder/v1/workflows/expression/preview", Some(preview)).await;
        let wrong = json!({"expression": "size(input.lines", "data": {}});
        self.send("POST", "/builder/v1/workflows/expression/preview", Some(wrong)).await;
        self.get("/builder/v1/workflows/templates").await;
        self.set_parameter("template_id", &json!("lead-scoring"));
        self.get("/builder/v1/workflows/templates/{template_id}").await;
        let instantiate = "/builder/v1/workflows/templates/{template_id}/instantiate";
        self.send("POST", instantiate, Some(json!({"name": "Score leads"}))).await;
    }

    async fn record_services(&mut self) {
        self.get("/builder/v1/workflows/services").await;
        self.set_parameter("service_id", &json!("google-docs"));
        self.get("/builder/v1/workflows/services/{service_id}").await;
        self.set_parameter("operation_id", &json!("append-text"));
        let node = "/builder/v1/workflows/services/{service_id}/operations/{operation_id}/node";
        let values = json!({"documentId": "195j9eDD3ccgjQRttHhJPymLJUCOUjs"});
        self.send("POST", node, Some(json!({"values": values, "expressions": {"text": "input.decision"}}))).await;
        self.send("POST", node, Some(json!({"values": values}))).await;
    }

    async fn record_channels(&mut self) {
        let webhooks = "/builder/v1/workflows/{id}/webhooks";
        let webhook = "/builder/v1/workflows/{id}/webhooks/{webhook_id}";
        let created =
            self.send("POST", webhooks, Some(json!({"name": "Web site", "mode": "sync", "timeoutMs": 20_000}))).await;
        self.set_parameter("webhook_id", &created["data"]["id"]);
        self.get(webhooks).await;
        self.get(webhook).await;
        self.send("POST", "/builder/v1/workflows/{id}/webhooks/{webhook_id}/regenerate-token", None).await;

        let outbound = "/builder/v1/workflows/{id}/webhook-credentials/outbound";
        let bearer = json!({"name": "Ticket system", "type": "bearer", "token": "the token of the ticket system"});
        let created = self.send("POST", outbound, Some(bearer)).await;
        self.set_parameter("credential_id", &created["data"]["id"]);
        self.get(outbound).await;
        self.get("/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}").await;
        let one = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/test";
        let call = json!({"url": format!("{}/me", self.start_mock_system().await)});
        self.send("POST", one, Some(call)).await;
        let bearer = self.path_parameters["credential_id"].clone();
        let consent = json!({
            "name": "Calendar", "type": "oauth2_authorization_code", "scope": "calendar.read", "clientId": "atelier",
            "authorizationUrl": "https://login.example.com/authorize", "tokenUrl": "https://login.example.com/token",
        });
        let created = self.send("POST", outbound, Some(consent)).await;
        self.set_parameter("credential_id", &created["data"]["id"]);
        self.get("/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/authorize").await;
        self.set_parameter("credential_id", &json!(bearer));
        self.get("/builder/v1/workflows/{id}/webhook-credentials").await;
        let regenerate = "/builder/v1/workflows/{id}/webhook-credentials/inbound/regenerate";
        let webhook_id = self.path_parameters["webhook_id"].clone();
        self.send("POST", regenerate, Some(json!({"webhookId": webhook_id}))).await;

        let connections = "/builder/v1/workflows/{id}/connections";
        self.get(connections).await;
        let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook_id}}]});
        self.send("PUT", connections, Some(channel)).await;
    }

    /// Creates a team of the workflow, changes it, and deletes it.
    async fn record_teams(&mut self) {
        let teams = "/builder/v1/workflows/{id}/teams";
        let team = "/builder/v1/workflows/{id}/teams/{team_id}";
        let member = self.send("POST", AGENTS, None).await;
        let config = json!({"members": [member["data"]["id"]], "strategy": "sequential"});
        let created = self.send("POST", teams, Some(json!({"name": "Second line", "config": config}))).await;
        self.set_parameter("team_id", &created["data"]["id"]);
        self.get(teams).await;
        self.get(team).await;
        self.send("PATCH", team, Some(json!({"config": {"strategy": "router"}}))).await;
        self.send("POST", team, Some(json!({"description": "Answers what the help desk cannot."}))).await;
        self.send("PATCH", team, Some(json!({"type": "single"}))).await;
        self.send("DELETE", team, None).await;
        self.get(team).await;
        let workflow = self.path_parameters["id"].clone();
        self.set_parameter("id", &member["data"]["id"]);
        self.send("DELETE", AGENT, None).await;
        self.path_parameters.insert("id", workflow);
    }

    /// Keeps a row in a table of the workflow, changes it, and deletes both.
    async fn record_tables(&mut self) {
        let tables = "/builder/v1/workflows/{id}/tables";
        let rows = "/builder/v1/workflows/{id}/tables/{table}/rows";
        let row = "/builder/v1/workflows/{id}/tables/{table}/rows/{row_id}";
        self.set_parameter("table", &json!("orders"));
        self.get(rows).await;
        self.send("POST", rows, Some(json!({"id": "A-17", "customer": "ada@example.com", "total": 17}))).await;
        self.send("POST", rows, Some(json!({"id": "A-17"}))).await;
        self.send("POST", rows, Some(json!({"id": ""}))).await;
        self.set_parameter("row_id", &json!("A-17"));
        self.get(tables).await;
        self.get(rows).await;
        self.send("PATCH", row, Some(json!({"paid": true}))).await;
        self.send("PATCH", row, Some(json!({"id": "A-18"}))).await;
        self.send("PATCH", row, Some(json!({"note": "x".repeat(33_000)}))).await;
        self.send("DELETE", row, None).await;
        self.send("DELETE", row, None).await;
        self.send("DELETE", "/builder/v1/workflows/{id}/tables/{table}", None).await;
        self.send("DELETE", "/builder/v1/workflows/{id}/tables/{table}", None).await;
    }

    /// Publishes a workflow that a webhook starts, and calls it.
    async fn record_triggers(&mut self) {
        let workflow = self.path_parameters["id"].clone();
        let graph = json!({
            "nodes": [
                {"id": "hook", "type": "webhook", "name": "Order", "config": {"allowGet": true}},
                {"id": "end", "type": "send_result", "name": "", "config": {"output": "{'total': sum(input == null ? [] : input.lines)}"}},
            ],
            "connections": [edge("hook", "out", "end")],
        });
        let totals = self.send("POST", WORKFLOWS, Some(json!({"name": "Totals", "graph": graph}))).await;
        self.set_parameter("id", &totals["data"]["id"]);
        for mode in ["async", "sync"] {
            self.trigger_run(mode).await;
        }
        self.app.platform.drain().await;
        let events = self.get("/builder/v1/workflows/{id}/webhooks/{webhook_id}/events").await;
        self.set_parameter("event_id", &events["data"][0]["id"]);
        self.get("/builder/v1/workflows/{id}/webhooks/{webhook_id}/events/{event_id}").await;
        let unused = self.send("POST", "/builder/v1/workflows/{id}/webhooks", Some(json!({"name": "Old shop"}))).await;
        self.set_parameter("webhook_id", &unused["data"]["id"]);
        self.send("DELETE", "/builder/v1/workflows/{id}/webhooks/{webhook_id}", None).await;
        self.path_parameters.insert("id", workflow);
    }

    /// Creates a webhook for the node `hook` of the workflow, publishes the workflow, and calls the webhook.
    async fn trigger_run(&mut self, mode: &str) {
        let new = json!({"name": "Shop", "mode": mode});
        let webhook = self.send("POST", "/builder/v1/workflows/{id}/webhooks", Some(new)).await;
        let (webhook_id, token) = (&webhook["data"]["id"], webhook["data"]["token"].as_str().unwrap_or_default());
        self.set_parameter("webhook_id", webhook_id);
        let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook_id}}]});
        self.send("PUT", "/builder/v1/workflows/{id}/connections", Some(channel)).await;
        self.send("POST", "/builder/v1/workflows/{id}/publish", None).await;
        let token = self.switch_token(token);
        let hook = "/hooks/v1/{webhook_id}";
        self.send("POST", hook, Some(json!({"lines": [40, 2]}))).await;
        self.send("POST", hook, Some(json!({"lines": "none"}))).await;
        self.send_with_headers("POST", hook, Some(json!("2 lines")), &[("content-type", "text/plain")]).await;
        self.get(hook).await;
        self.switch_token(&token);
    }

    async fn record_versions(&mut self) {
        let publish = "/builder/v1/workflows/{id}/publish";
        let first = self.send("POST", publish, Some(json!({"notes": "First release."}))).await;
        self.set_parameter("release_id", &first["data"]["release"]["id"]);
        self.set_parameter("deployment_id", &first["data"]["deployment"]["id"]);
        self.send("POST", publish, None).await;
        self.get("/builder/v1/workflows/{id}/releases").await;
        self.get("/builder/v1/workflows/{id}/releases/{release_id}").await;
        self.get("/builder/v1/workflows/{id}/releases/{release_id}/manifest").await;
        self.get("/builder/v1/workflows/{id}/releases/{release_id}/runtime-status").await;
        let draft = self.get(WORKFLOW).await;
        let mut graph = draft["data"]["graph"].clone();
        graph["nodes"][2]["config"]["expression"] = json!("nodes.ask.output.text != ''");
        self.send("PATCH", WORKFLOW, Some(json!({"graph": graph}))).await;
        self.set_parameter("other", &json!("draft"));
        self.get("/builder/v1/workflows/{id}/releases/{release_id}/diff/{other}").await;
        self.send("POST", publish, None).await;
        self.get("/builder/v1/workflows/{id}/deployments").await;
        self.send("POST", "/builder/v1/workflows/{id}/deployments/{deployment_id}/activate", None).await;
        let exported = self.get("/builder/v1/workflows/{id}/export").await;
        let imported = self.send("POST", "/builder/v1/workflows/import", Some(exported)).await;
        let workflow = self.path_parameters["id"].clone();
        self.set_parameter("id", &imported["data"]["id"]);
        self.get("/builder/v1/workflows/{id}/import-report").await;
        self.path_parameters.insert("id", workflow);
    }

    /// Tests a workflow that answers messages: with a script, with a wrong condition, and without a release.
    async fn record_tests(&mut self) {
        let workflow = self.path_parameters["id"].clone();
        let answer = "Your order {{ input.text }} arrives on Monday.";
        let graph = json!({
            "nodes": [
                {"id": "ask", "type": "message", "name": "Question", "config": {}},
                {"id": "answer", "type": "send_message", "name": "Answer", "config": {"text": answer}},
            ],
            "connections": [edge("ask", "out", "answer")],
        });
        let orders = self.send("POST", WORKFLOWS, Some(json!({"name": "Orders", "graph": graph}))).await;
        self.set_parameter("id", &orders["data"]["id"]);
        let test = "/builder/v1/workflows/{id}/test-agent";
        self.get(test).await;
        let script = json!([
            {"say": "4711", "expect": {"contains": "Monday"}},
            {"say": "4712", "expect": {"matches": "size(replies) == 1 && reply.startsWith('Sorry')"}},
        ]);
        self.send("POST", test, Some(json!({"script": script}))).await;
        let wrong = json!([{"say": "4711", "expect": {"matches": "reply =="}}]);
        self.send("POST", test, Some(json!({"script": wrong}))).await;
        self.send("POST", test, Some(json!({"target": "release", "script": script}))).await;
        self.set_parameter("id", &json!(workflow));
    }

    async fn record_life_cycle(&mut self) {
        self.send("POST", "/builder/v1/workflows/{id}/pause", None).await;
        self.send("POST", "/builder/v1/workflows/{id}/pause", None).await;
        self.send("POST", "/builder/v1/workflows/{id}/resume", None).await;
        let copy =
            self.send("POST", "/builder/v1/workflows/{id}/clone", Some(json!({"name": "Help desk (copy)"}))).await;
        let id = copy["data"]["id"].clone();
        self.send(
            "POST",
            "/builder/v1/workflows/batch/archive",
            Some(json!({"ids": [id, "0199a2c4-7b1e-7c52-9d3f-00000000beef"]})),
        )
        .await;
        self.send("POST", "/builder/v1/workflows/{id}/archive", None).await;
        self.send("PATCH", WORKFLOW, Some(json!({"name": "Too late"}))).await;
        self.send("POST", "/builder/v1/workflows/{id}/preview", None).await;
        self.send("POST", "/builder/v1/workflows/{id}/restore", None).await;
        self.get("/builder/v1/workflows/{id}/delete-impact").await;
        self.send("DELETE", WORKFLOW, None).await;
        self.get(WORKFLOW).await;
    }

    /// Records one example of each error that all routes of a family share, at the path of one resource.
    async fn record_common_errors(&mut self, one: &'static str, wrong: Value) {
        let token = self.switch_token("nobody");
        self.get(one).await;
        self.switch_token(&token);
        self.send("PATCH", one, Some(wrong)).await;
        let nothing = || Some(json!({"description": null}));
        self.send_with_headers("PATCH", one, nothing(), &[JSON, ("if-match", "\"99\"")]).await;
        self.send_with_headers("PATCH", one, nothing(), &[("content-type", "text/plain")]).await;
        self.send("PATCH", one, Some(json!({"description": " ".repeat(TOO_LARGE)}))).await;
        let id =
            self.path_parameters.insert("id", "0199a2c4-7b1e-7c52-9d3f-00000000beef".to_owned()).unwrap_or_default();
        self.get(one).await;
        self.path_parameters.insert("id", id);
    }
}

pub(super) fn edge(from: &str, port: &str, to: &str) -> Value {
    json!({"from": {"node": from, "port": port}, "to": {"node": to, "port": "in"}})
}
