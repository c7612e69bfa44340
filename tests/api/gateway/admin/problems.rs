//! A body with several problems is answered with all of them, on every operator route.

use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Answer;

use super::{ADMIN, BILLING, assert_refused};

fn fields(answer: &Answer) -> Vec<&str> {
    let problems = answer.json["error"]["details"]["problems"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    problems.iter().map(|problem| problem["field"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn all_problems_of_an_admin_body_are_answered_together() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let model = json!({"name": "a b", "type": "Others", "capabilities": ["telepathy"], "max_output_tokens": 0,
        "pricing": {"input": "0.0000001", "output": 99_999}, "deployments": [{"provider": "nobody", "model": "", "weight": 0}]});
    let cases: [(&str, &str, Value, &[&str]); 13] = [
        (
            "POST",
            "/admin/models",
            json!({"colour": 1, "name": "x", "type": "Other"}),
            &["colour", "type", "capabilities", "pricing", "deployments"],
        ),
        (
            "POST",
            "/admin/models",
            model,
            &[
                "name",
                "deployments[0].provider",
                "deployments[0].model",
                "deployments[0].weight",
                "max_output_tokens",
                "capabilities[0]",
                "pricing.input",
                "pricing.output",
            ],
        ),
        (
            "POST",
            "/admin/providers",
            json!({"base_url": "ftp://x", "auth_header": "a b", "api_key": "a b",
            "headers": {"Host": "x", "Cookie": "y"}, "timeouts": {"idle_ms": 1, "total_ms": 2}}),
            &[
                "name",
                "kind",
                "base_url",
                "api_key",
                "auth_header",
                "headers.Cookie",
                "headers.Host",
                "timeouts.idle_ms",
                "timeouts.total_ms",
            ],
        ),
        ("PUT", "/admin/plans/p", json!({}), &["name"]),
        (
            "PUT",
            "/admin/plans/p",
            json!({"name": "", "models": ["", "ok", ""], "run_retention_days": 0,
            "limits": {"org": {"rpm": 2_000_000_000_000_u64}, "key": {"tpd": 2_000_000_000_000_u64}}}),
            &["name", "run_retention_days", "models[0]", "models[2]", "limits.org.rpm", "limits.key.tpd"],
        ),
        (
            "POST",
            "/admin/orgs",
            json!({"name": "", "plan": "a/b", "external_id": ""}),
            &["name", "plan", "external_id"],
        ),
        ("POST", "/admin/users", json!({"email": 1, "colour": 2}), &["email", "colour", "name", "org"]),
        (
            "POST",
            "/admin/users",
            json!({"name": "", "email": "x", "external_id": "", "org": "org_x"}),
            &["name", "email", "external_id"],
        ),
        ("POST", "/admin/keys", json!({"models": "all"}), &["models", "org", "user", "name"]),
        (
            "PUT",
            "/admin/guard/categories/x",
            json!({"label": "", "severity": "low", "threshold": 7}),
            &["label", "threshold"],
        ),
        (
            "PUT",
            "/admin/maintenance",
            json!({"on": true, "message": "", "retry_after_s": 0}),
            &["message", "retry_after_s"],
        ),
        ("POST", "/billing/admin/credits", json!({"kind": "gift"}), &["kind", "org", "amount", "reason"]),
        (
            "POST",
            "/billing/admin/credits",
            json!({"org": "org_x", "kind": "credit", "amount": 0, "reason": ""}),
            &["amount", "reason"],
        ),
    ];
    for (method, path, body, expected) in cases {
        let path = path.replace("/admin/", &format!("{ADMIN}/")).replace(&format!("/billing{ADMIN}"), BILLING);
        let request = operator.request(method.parse().unwrap(), &path).json(&body);
        let answer = tests::client::send(request).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        let mut found = fields(&answer);
        let first = found[0].to_owned();
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path} {body}: {}", answer.text);
        let error = &answer.json["error"];
        assert_eq!(error["param"], json!(first));
        for field in expected {
            assert!(error["message"].as_str().unwrap().contains(&format!("{field}: ")), "{}", answer.text);
        }
    }
    assert_eq!(operator.get(&format!("{ADMIN}/audit")).await.json["data"], json!([]), "nothing was changed");
}

#[tokio::test]
async fn all_problems_of_a_patch_are_answered_together() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/models/dev-chat");
    let unknown = operator.patch(&path, json!({"colour": 1, "shape": 2})).await;
    assert_eq!(fields(&unknown), ["colour", "shape"]);
    let wrong = operator.patch(&path, json!({"type": "Other", "name": null, "max_output_tokens": "x"})).await;
    let mut found = fields(&wrong);
    found.sort_unstable();
    assert_eq!(found, ["max_output_tokens", "name", "type"]);
    assert!(wrong.json["error"]["message"].as_str().unwrap().contains("name: cannot be removed"), "{}", wrong.text);
}

/// Other areas list the problems in their message.
#[tokio::test]
async fn all_problems_of_a_builder_body_are_in_the_message() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = json!([{"type": "input"}, {"id": 7, "type": "input"}]);
    let answer = ada.post_json("/builder/v1/workflows", json!({"colour": 1, "graph": {"nodes": nodes}})).await;
    let message = answer.json["error"]["message"].as_str().unwrap();
    for field in ["colour: unknown field", "graph.nodes[0].id: is missing", "graph.nodes[1].id: invalid type"] {
        assert!(message.contains(field), "{message}");
    }
}
