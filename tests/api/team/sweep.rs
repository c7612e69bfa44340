//! Every operation on a workflow or an agent, for every role, colleagues without a role, and another organization.

use std::collections::BTreeMap;

use reqwest::Method;
use tests::client::send;

use super::*;
use crate::openapi::documents::documents;

const READS: &[&str] = &[
    "get_agent",
    "list_invocations",
    "get_invocation",
    "list_agent_members",
    "remove_agent_member",
    "remove_agent_member_by_query",
    "get_workflow",
    "list_workflow_members",
    "remove_workflow_member",
    "remove_workflow_member_by_query",
    "export_workflow",
    "get_import_report",
    "clone_workflow",
    "validate_workflow",
    "list_releases",
    "get_release",
    "get_manifest",
    "get_runtime_status",
    "diff_releases",
    "list_deployments",
    "get_connections",
    "list_webhooks",
    "get_webhook",
    "list_teams",
    "get_team",
    "list_runs",
    "get_run",
    "get_run_trace",
    "get_run_analytics",
    "replay_run",
    "rehearse_release",
    "list_run_events",
    "list_run_activity",
    "list_workflow_activity",
    "get_analytics",
    "get_analytics_summary",
    "get_daily_runs",
    "list_records",
    "list_record_filters",
    "get_record",
    "list_exchanges",
    "list_participants",
    "list_threads",
    "get_thread",
    "list_messages",
    "get_operator_state",
    "list_tables",
    "list_rows",
];
const OPERATES: &[&str] = &[
    "invoke_agent",
    "erase_invocation",
    "start_run",
    "erase_run",
    "retry_run",
    "cancel_run",
    "stop_run",
    "resolve_wait",
    "list_form_pages",
    "export_participant",
    "erase_participant",
    "nudge_participant",
    "take_thread",
    "release_thread",
    "clear_operator",
    "send_operator_message",
    "list_events",
    "get_event",
    "add_row",
    "change_row",
    "delete_row",
];
const EDITS: &[&str] = &[
    "update_agent",
    "set_tool_credential",
    "delete_tool_credential",
    "get_tool_server",
    "update_workflow",
    "publish_workflow",
    "pause_workflow",
    "resume_workflow",
    "archive_workflow",
    "restore_workflow",
    "activate_deployment",
    "replace_connections",
    "create_webhook",
    "delete_webhook",
    "regenerate_token",
    "list_credentials",
    "regenerate_inbound",
    "list_outbound",
    "create_credential",
    "get_credential",
    "delete_credential",
    "test_credential",
    "authorize_credential",
    "create_team",
    "update_team",
    "update_team_with_post",
    "delete_team",
    "preview_workflow",
    "get_test_agent",
    "test_workflow",
    "delete_table",
];
const OWNS: &[&str] = &[
    "delete_agent",
    "delete_workflow",
    "mark_agent_as_tool",
    "mark_workflow_as_tool",
    "unmark_agent_as_tool",
    "unmark_workflow_as_tool",
    "get_delete_impact",
    "add_agent_member",
    "transfer_agent",
    "add_workflow_member",
    "transfer_workflow",
];
/// Administrators only: members have no part in them.
const OF_ADMINISTRATORS: &[&str] = &["take_over_workflow", "take_over_agent"];

struct Operation {
    id: String,
    method: Method,
    path: String,
}

impl Operation {
    /// The rank of the lowest role that may do it.
    fn rank(&self) -> usize {
        let ranks = [READS, OPERATES, EDITS, OWNS];
        let rank = ranks.iter().position(|names| names.contains(&self.id.as_str()));
        rank.unwrap_or_else(|| panic!("name the role that {} needs in this test", self.id))
    }

    async fn ask(&self, person: &Person, id: &str, member: &str) -> Answer {
        let path = self.path.replacen("{id}", id, 1).replace("{user_id}", member).replace("{tool}", "find");
        let mut parts = path.split('/').map(|part| if part.starts_with('{') { NOWHERE } else { part });
        let mut path = parts.by_ref().collect::<Vec<_>>().join("/");
        if self.id.ends_with("_by_query") {
            path = format!("{path}?userId={member}");
        }
        let request = person.request(self.method.clone(), &path);
        let body = match self.id.as_str() {
            "set_tool_credential" => Some(json!({"type": "bearer", "token": "x"})),
            "create_credential" => Some(json!({"name": "Bot", "type": "bearer", "token": "x"})),
            "test_workflow" => Some(json!({"script": [{"say": "Hi"}]})),
            "send_operator_message" => Some(json!({"content": "Hi"})),
            "resolve_wait" => Some(json!({"decision": "approve"})),
            "invoke_agent" => Some(json!({"input": "Hi"})),
            "add_workflow_member" | "add_agent_member" => Some(json!({"userId": member, "role": "viewer"})),
            "transfer_workflow" | "transfer_agent" => Some(json!({"userId": member})),
            "update_agent" | "update_workflow" | "update_team" | "update_team_with_post" => {
                Some(json!({"name": "Mine"}))
            }
            "replace_connections" | "add_row" | "change_row" => Some(json!({})),
            _ => None,
        };
        send(if let Some(body) = body { request.json(&body) } else { request }).await
    }
}

fn operations(prefix: &str) -> Vec<Operation> {
    let mut found = Vec::new();
    for document in documents() {
        for (path, item) in &serde_json::to_value(&document.openapi).unwrap()["paths"].as_object().unwrap().clone() {
            if !path.starts_with(&format!("{prefix}/{{id}}")) {
                continue;
            }
            for (method, operation) in item.as_object().unwrap() {
                let Some(id) = operation["operationId"].as_str() else { continue };
                let method = method.to_uppercase().parse().unwrap();
                found.push(Operation { id: id.to_owned(), method, path: path.clone() });
            }
        }
    }
    found
}

#[tokio::test]
async fn each_role_may_do_what_it_says_and_strangers_see_nothing() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (_, target) = known(&app, "target").await;
    let roles = ["viewer", "operator", "editor"];
    let mut members = BTreeMap::new();
    for role in roles {
        members.insert(role, known(&app, role).await);
    }
    let stranger = known(&app, "stranger").await.0;
    let strangers = [stranger, app.person_of("eve", "globex", Role::Admin)];
    for (prefix, least) in [(WORKFLOWS, 60), (AGENTS, 8)] {
        let path = match prefix {
            WORKFLOWS => format!("{WORKFLOWS}/{}", publish(&ada, double()).await),
            _ => create_agent(&ada, "Bot").await,
        };
        let id = path.rsplit('/').next().unwrap().to_owned();
        let gone = if prefix == WORKFLOWS { "workflow_not_found" } else { "agent_not_found" };
        for role in roles {
            must_share(&ada, &path, &members[role].1, role).await;
        }
        let operations = operations(prefix);
        assert!(operations.len() >= least, "{} operations", operations.len());
        for operation in operations.iter().filter(|operation| !OF_ADMINISTRATORS.contains(&operation.id.as_str())) {
            for stranger in &strangers {
                let theirs = operation.ask(stranger, &id, &target).await;
                let missing = operation.ask(stranger, NOWHERE, &target).await;
                assert_eq!((theirs.status.as_str(), theirs.code()), ("404 Not Found", gone), "{}", operation.id);
                assert_eq!(theirs.text, missing.text, "{}", operation.id);
            }
            for (rank, role) in roles.iter().enumerate().filter(|(rank, _)| *rank < operation.rank()) {
                let refused = operation.ask(&members[role].0, &id, &target).await;
                assert_eq!(refusal(&refused), ("403", "not_owner"), "{} by {role} ({rank})", operation.id);
            }
        }
        // What a role may do is not refused because of it. Operations that end the access of others come last.
        let ends = ["archive_workflow", "delete_workflow", "delete_agent", "transfer_workflow", "transfer_agent"];
        let allowed = operations.iter().filter(|operation| !ends.contains(&operation.id.as_str()));
        for operation in allowed {
            for (_, role) in roles.iter().enumerate().filter(|(rank, _)| *rank >= operation.rank()) {
                let done = operation.ask(&members[role].0, &id, &target).await;
                let (status, code) = refusal(&done);
                let is_removal = operation.id.starts_with("remove_");
                assert!(is_removal || status != "403", "{} by {role}: {}", operation.id, done.text);
                assert!(code != gone && !status.starts_with('5'), "{} by {role}: {}", operation.id, done.text);
            }
        }
    }
}

/// The routes that name no single workflow show nothing of others either.
#[tokio::test]
async fn routes_over_several_workflows_check_each() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let one = publish(&ada, double()).await;
    let two = publish(&ada, double()).await;
    must_share(&ada, &format!("{WORKFLOWS}/{one}"), &bob_id, "viewer").await;
    let archive = async |person: &Person| {
        let done = person.post_json(&format!("{WORKFLOWS}/batch/archive"), json!({"ids": [one, two]})).await.json;
        let failed = done["data"]["failed"].as_array().unwrap().iter();
        (done["data"]["archived"].clone(), failed.map(|failure| failure["code"].clone()).collect::<Vec<_>>())
    };
    assert_eq!(archive(&bob).await, (json!([]), vec![json!("not_owner"), json!("workflow_not_found")]));
    share(&ada, &format!("{WORKFLOWS}/{one}"), &bob_id, "editor").await;
    assert_eq!(archive(&bob).await, (json!([one]), vec![json!("workflow_not_found")]));
    assert_eq!(ada.get(&format!("{WORKFLOWS}/{one}")).await.json["data"]["state"], "archived");
}
