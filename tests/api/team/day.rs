//! A day of a team, through the public API: an author, an editor, an operator, an approver, a viewer and a stranger.

use super::*;
use crate::runs::{double, refund};

#[tokio::test]
async fn a_team_works_together() {
    let app = TestApp::start().await;
    let (author, author_id) = known(&app, "author").await;
    let (editor, editor_id) = known(&app, "editor").await;
    let (operator, operator_id) = known(&app, "operator").await;
    let (approver, approver_id) = known(&app, "approver").await;
    let (viewer, viewer_id) = known(&app, "viewer").await;
    let (stranger, _) = known(&app, "stranger").await;

    // In the morning, the author publishes a workflow, finds the colleagues and shares it.
    let flow = format!("{WORKFLOWS}/{}", publish(&author, refund()).await);
    let found = author.get("/builder/v1/members?search=editor").await;
    assert_eq!(found.column("userId"), [editor_id.as_str()]);
    for (user, role) in
        [(&editor_id, "editor"), (&operator_id, "operator"), (&approver_id, "operator"), (&viewer_id, "viewer")]
    {
        must_share(&author, &flow, user, role).await;
    }

    // The operator starts a run. The viewer follows it and can do nothing.
    let started = operator.post_json(&format!("{flow}/runs"), json!({"input": {"amount": 12}})).await;
    assert_eq!(started.status, "202 Accepted", "{}", started.text);
    let run = format!("{flow}/runs/{}", started.id());
    let state = async |person: &Person, wanted: &str| {
        app.platform.drain().await;
        assert_eq!(person.get(&run).await.json["data"]["state"], wanted);
    };
    state(&viewer, "paused").await;
    assert_eq!(viewer.get(&format!("{flow}/runs")).await.column("id"), [started.id()]);
    assert_eq!(viewer.get(&format!("{run}/trace")).await.status, "200 OK");
    let decision = json!({"decision": "approve", "fields": {"amount": 10}});
    assert_eq!(
        refusal(&viewer.post_json(&format!("{run}/resolve-wait"), decision.clone()).await),
        ("403", "not_owner")
    );
    assert_eq!(stranger.get(&run).await.code(), "workflow_not_found");

    // The approver decides, and the author sees who did.
    let resolved = approver.post_json(&format!("{run}/resolve-wait"), decision.clone()).await;
    assert_eq!(resolved.status, "200 OK", "{}", resolved.text);
    let late = author.post_json(&format!("{run}/resolve-wait"), json!({"decision": "reject"})).await;
    assert_eq!(late.json["error"]["details"]["reviewer"], approver_id, "{}", late.text);
    state(&author, "completed").await;

    // The editor publishes a better release. The operator cannot.
    assert_eq!(refusal(&operator.patch(&flow, json!({"graph": double()})).await), ("403", "not_owner"));
    assert_eq!(editor.patch(&flow, json!({"graph": double()})).await.status, "200 OK");
    let published = editor.post(&format!("{flow}/publish")).await;
    assert_eq!(published.json["data"]["release"]["createdBy"], editor_id, "{}", published.text);
    let again = operator.post_json(&format!("{flow}/runs"), json!({"input": {"n": 21}})).await;
    let second = format!("{flow}/runs/{}", again.id());
    app.platform.drain().await;
    assert_eq!(viewer.get(&second).await.json["data"]["output"], json!({"doubled": 42}));

    // The viewer takes a copy, which is their own.
    let copy = viewer.post(&format!("{flow}/clone")).await;
    assert_eq!(copy.json["data"]["access"], json!({"owner": viewer_id, "role": "owner"}), "{}", copy.text);
    assert_eq!(author.get(&format!("{WORKFLOWS}/{}", copy.id())).await.code(), "workflow_not_found");

    // The author leaves for another team, and the editor goes on.
    let moved = author.post_json(&format!("{flow}/transfer"), json!({"userId": editor_id})).await;
    assert_eq!(moved.status, "200 OK", "{}", moved.text);
    assert_eq!(author.delete(&format!("{flow}/members/{author_id}")).await.status, "204 No Content");
    assert_eq!(author.get(&flow).await.code(), "workflow_not_found");
    assert_eq!(editor.delete(&format!("{flow}/members/{operator_id}")).await.status, "204 No Content");
    assert_eq!(operator.get(&run).await.code(), "workflow_not_found", "at once");
    assert_eq!(editor.get(&run).await.json["data"]["state"], "completed", "the history stays");
}
