//! The recorded tour of runs: a run that asks a person, what happened in it, and its repetitions.

use serde_json::{Value, json};

use super::TourClient;
use super::builder::{WORKFLOWS, edge};

impl TourClient {
    /// Runs a workflow that asks a person: one run to its end, one that is stopped, and one that is cancelled.
    pub(super) async fn record_runs(&mut self) {
        let workflow = self.path_parameters["id"].clone();
        let fields = json!([
            {"name": "amount", "label": "Amount", "type": "number", "value": "input.amount", "required": true},
        ]);
        let review =
            json!({"title": "Refund {{ input.amount }} €?", "message": "Order {{ input.order }}", "fields": fields});
        let graph = json!({
            "nodes": [
                {"id": "start", "type": "input", "name": "Claim", "config": {}},
                {"id": "check", "type": "review", "name": "Colleague", "config": review},
                {"id": "end", "type": "send_result", "name": "", "config": {"output": "{'refund': nodes.check.output.fields.amount}"}},
            ],
            "connections": [edge("start", "out", "check"), edge("check", "approved", "end")],
        });
        let refunds = self.send("POST", WORKFLOWS, Some(json!({"name": "Refunds", "graph": graph}))).await;
        self.set_parameter("id", &refunds["data"]["id"]);
        self.record_previews().await;
        self.send("POST", "/builder/v1/workflows/{id}/publish", None).await;

        let runs = "/builder/v1/workflows/{id}/runs";
        let run = "/builder/v1/workflows/{id}/runs/{run_id}";
        let (cancel, stop) =
            ("/builder/v1/workflows/{id}/runs/{run_id}/cancel", "/builder/v1/workflows/{id}/runs/{run_id}/stop");
        let resolve = "/builder/v1/workflows/{id}/runs/{run_id}/resolve-wait";
        let claim =
            |order: u32| json!({"input": {"order": order, "amount": 120}, "idempotencyKey": format!("order-{order}")});
        let first = self.send("POST", runs, Some(claim(4711))).await;
        self.send("POST", runs, Some(json!({"input": {"order": 4712}, "idempotencyKey": "order-4711"}))).await;
        let second = self.send("POST", runs, Some(claim(4713))).await;
        self.app.platform.drain().await;
        let third = self.send("POST", runs, Some(claim(4714))).await;
        self.set_parameter("run_id", &third["data"]["id"]);
        self.send("POST", cancel, None).await;
        self.send("POST", cancel, None).await;
        self.set_parameter("run_id", &second["data"]["id"]);
        self.send("POST", stop, None).await;
        self.send("POST", stop, None).await;
        self.set_parameter("run_id", &first["data"]["id"]);
        self.get(run).await;
        self.get("/builder/v1/workflows/{id}/runs/{run_id}/form-pages").await;
        self.get("/builder/v1/reviews").await;
        let approval = json!({"decision": "approve", "fields": {"amount": 90}, "comment": "The damage is small."});
        self.send("POST", resolve, Some(approval)).await;
        self.send("POST", resolve, Some(json!({"decision": "reject"}))).await;
        self.app.platform.drain().await;
        self.get(run).await;
        self.record_history().await;
        self.record_repetitions(&first["data"]["releaseId"]).await;
        self.path_parameters.insert("id", workflow);
    }

    /// Shows what happened in a run, and in all runs of its workflow.
    async fn record_history(&mut self) {
        self.path_parameters.insert("record_id", self.path_parameters["run_id"].clone());
        for path in [
            "/builder/v1/workflows/{id}/runs/{run_id}/events",
            "/builder/v1/workflows/{id}/runs/{run_id}/events?follow=true",
            "/builder/v1/workflows/{id}/runs/{run_id}/activity",
            "/builder/v1/workflows/{id}/runs/{run_id}/trace",
            "/builder/v1/workflows/{id}/runs/{run_id}/analytics",
            "/builder/v1/workflows/{id}/runs",
            "/builder/v1/runs",
            "/builder/v1/inbox",
            "/builder/v1/inbox?follow=true",
            "/builder/v1/workflows/{id}/records",
            "/builder/v1/workflows/{id}/records/filters",
            "/builder/v1/workflows/{id}/records/{record_id}",
            "/builder/v1/workflows/{id}/records/{record_id}/exchanges",
            "/builder/v1/workflows/runs/summaries",
            "/builder/v1/analytics?workflowIds={id}",
            "/builder/v1/workflows/{id}/analytics",
            "/builder/v1/workflows/{id}/analytics/summary",
            "/builder/v1/workflows/{id}/analytics/runs",
            "/builder/v1/workflows/{id}/activity",
        ] {
            self.get(path).await;
        }
    }

    /// Repeats a run in part, replays it, and erases it.
    async fn record_repetitions(&mut self, release: &Value) {
        let release_before = self.path_parameters["release_id"].clone();
        self.set_parameter("release_id", release);
        let retry = "/builder/v1/workflows/{id}/runs/{run_id}/retry";
        self.send("POST", retry, Some(json!({"fromNode": "check", "idempotencyKey": "again"}))).await;
        self.send("POST", retry, Some(json!({}))).await;
        self.send("POST", "/builder/v1/workflows/{id}/runs/{run_id}/replay", Some(json!({}))).await;
        self.send("POST", "/builder/v1/workflows/{id}/releases/{release_id}/rehearse", Some(json!({"sample": 10})))
            .await;
        self.send("DELETE", "/builder/v1/workflows/{id}/runs/{run_id}", None).await;
        self.path_parameters.insert("release_id", release_before);
    }

    /// Previews a draft that asks a person: up to the review, with a decision, and with an unknown node.
    async fn record_previews(&mut self) {
        let preview = "/builder/v1/workflows/{id}/preview";
        let input = json!({"order": 4711, "amount": 120});
        let decision = json!({"decision": "approved", "fields": {"amount": 90}, "comment": null, "reviewer": "ada"});
        let pinned = json!({"check": {"port": "approved", "output": decision}});
        self.send("POST", preview, Some(json!({"input": input, "pinned": pinned}))).await;
        self.set_title("With a pinned decision");
        self.send("POST", preview, Some(json!({"input": input}))).await;
        self.set_title("Up to the review");
        self.send("POST", preview, Some(json!({"input": input, "until": "chek"}))).await;
    }
}
