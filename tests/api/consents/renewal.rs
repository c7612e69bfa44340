//! The renewal of tokens, and the end of a consent.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tests::provider::Gate;
use tower::ServiceExt;

use super::*;

/// Makes a test call in another environment of the function: its own memory, the same tables.
async fn call_in(environment: Router, stage: &Stage) -> u16 {
    let request = Request::post(format!("{}/test", stage.credential))
        .header("authorization", format!("Bearer {}", stage.ada.token.as_deref().unwrap()))
        .header("content-type", "application/json")
        .body(Body::from(json!({"url": stage.api.base_url}).to_string()));
    environment.oneshot(request.unwrap()).await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_calls_of_five_processes_renew_a_token_once() {
    let stage = Stage::start().await;
    // This token is renewed before its first use.
    stage.issuer.issue_for(0);
    stage.consent().await;
    stage.issuer.take_requests();
    stage.issuer.issue_for(3_600);
    let gate = Gate::closed();
    stage.issuer.hold_renewals(&gate);
    let environments: Vec<_> =
        (0..5).map(|_| channels::router(&stage.app.platform.new_environment_context()).unwrap()).collect();
    let calls = (0..50).map(|number| call_in(environments[number % 5].clone(), &stage));
    let release = async {
        tests::polling::eventually("a renewal", async || (stage.issuer.grants() > 0).then_some(())).await;
        gate.open();
    };
    let (statuses, ()) = futures::join!(futures::future::join_all(calls), release);
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let renewals = stage.issuer.take_requests();
    assert_eq!(renewals.len(), 1, "{renewals:?}");
    assert_eq!(renewals[0]["grant_type"], "refresh_token");
    let sent = stage.sent();
    assert_eq!(sent.len(), 50);
    assert!(sent.iter().all(|token| *token == sent[0]), "{sent:?}");
}

#[tokio::test]
async fn refresh_tokens_that_count_once_are_replaced() {
    let stage = Stage::start().await;
    stage.issuer.issue_for(0);
    stage.consent().await;
    for _ in 0..3 {
        assert_eq!(stage.call().await["output"], 200);
    }
    let used: Vec<_> =
        stage.issuer.take_requests().iter().filter_map(|form| form.get("refresh_token").cloned()).collect();
    assert_eq!(used.len(), 3);
    assert!(used[0] != used[1] && used[1] != used[2], "{used:?}");
    let sent = stage.sent();
    assert!(sent[0] != sent[1] && sent[1] != sent[2], "{sent:?}");
}

#[tokio::test]
async fn a_refused_token_is_renewed_and_the_call_repeated() {
    let stage = Stage::start().await;
    stage.consent().await;
    stage.issuer.take_requests();
    stage.api.respond_with(Behaviour::json(401, "{}")).then_respond(Behaviour::json(200, "{}"));
    assert_eq!(stage.call().await["output"], 200);
    assert_eq!(stage.issuer.take_requests().len(), 1);
    let sent = stage.sent();
    assert!(sent.len() == 2 && sent[0] != sent[1], "{sent:?}");
}

#[tokio::test]
async fn only_a_refused_grant_ends_a_consent() {
    let stage = Stage::start().await;
    stage.issuer.issue_for(0);
    stage.consent().await;
    for (status, reason, code) in [
        (503, "temporarily_unavailable", "token_unavailable"),
        (400, "slow_down", "token_unavailable"),
        (401, "invalid_client", "token_refused"),
        (200, "incorrect_client_credentials", "token_refused"),
    ] {
        stage.issuer.refuse_with(status, reason);
        let shown = stage.call().await;
        assert_eq!(error(&shown).0, code, "{reason}: {shown}");
        assert_eq!(stage.authorization().await["status"], "authorized", "{reason}");
    }
    stage.issuer.accept();
    assert_eq!(stage.call().await["output"], 200);
    // GitHub refuses with the status 200.
    for (status, reason) in [(200, "bad_refresh_token"), (400, "invalid_grant")] {
        stage.issuer.refuse_with(status, reason);
        assert_eq!(error(&stage.call().await).0, "credential_unauthorized", "{reason}");
        assert_eq!(stage.authorization().await["status"], "unauthorized");
        let tested = stage.ada.post(&format!("{}/test", stage.credential)).await;
        assert_eq!(tested.json["data"]["error"]["code"], "credential_unauthorized", "{}", tested.text);
        stage.issuer.accept();
        stage.consent().await;
        assert_eq!(stage.call().await["output"], 200);
    }
}

#[tokio::test]
async fn a_deletion_revokes_the_tokens() {
    let stage = Stage::start().await;
    assert_revokes(&stage, &stage.credential).await;
    assert_eq!(error(&stage.call().await).0, "credential_gone");
}

#[tokio::test]
async fn a_deletion_of_the_workflow_revokes_its_tokens() {
    let stage = Stage::start().await;
    // It has no tokens to revoke.
    let token = json!({"name": "Token", "type": "bearer", "token": "x"});
    let other = stage.ada.post_json(&format!("{}/webhook-credentials/outbound", stage.workflow), token).await;
    assert_eq!(other.status, "201 Created");
    assert_revokes(&stage, &stage.workflow).await;
}

/// Deletes what has tokens of a user.
async fn assert_revokes(stage: &Stage, path: &str) {
    stage.consent().await;
    stage.issuer.take_requests();
    assert_eq!(stage.ada.delete(path).await.status, "204 No Content");
    stage.app.platform.drain().await;
    let revoked = stage.issuer.take_requests();
    assert_eq!(revoked.len(), 1);
    assert!(revoked[0]["token"].starts_with("refresh-secret-") && revoked[0]["token_type_hint"] == "refresh_token");
    let context = stage.app.platform.context();
    let table = context.config.required("TABLE_ENTITIES").unwrap().to_owned();
    let stored = context.aws.dynamodb().scan().table_name(table).send().await.unwrap();
    assert!(!format!("{stored:?}").contains("CONSENT#"), "no tokens are left");
}
