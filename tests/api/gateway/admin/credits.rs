//! Administration of credits: adjustments, balances and transactions of organizations.

use domain::money::Money;
use futures::future::join_all;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Person, send};

use super::{BILLING, assert_refused, last_audit_entry};
use crate::gateway::chat;

async fn org_of(app: &TestApp, name: &str) -> String {
    app.key_client(name).get("/gateway/v1/me").await.json["org"]["id"].as_str().unwrap().to_owned()
}

async fn add_credits(operator: &Person, org: &str, amount: Value) -> tests::client::Answer {
    let body = json!({"org": org, "kind": "credit", "amount": amount, "reason": "a gift"});
    operator.post_json(&format!("{BILLING}/credits"), body).await
}

#[tokio::test]
async fn credits_are_added_and_deducted_exactly() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), org_of(&app, "ada").await);
    let given = add_credits(&operator, &org, json!("0.000000000001")).await;
    assert_eq!(given.status, "201 Created", "{}", given.text);
    assert!(given.text.contains(r#""amount":0.000000000001,"balance_after":25.000000000001"#), "{}", given.text);
    assert_json_snapshot!(given.json, { ".id" => "[id]", ".request_id" => "[request]", ".created_at" => "[time]" });
    let entry = last_audit_entry(&app).await;
    assert_eq!(
        (&entry["action"], &entry["target"], &entry["after"]),
        (&json!("credits.give"), &json!(org), &given.json)
    );

    let take = |amount: Value| {
        let body = json!({"org": org, "kind": "debit", "amount": amount, "reason": "a mistake"});
        let operator = operator.clone();
        async move { operator.post_json(&format!("{BILLING}/credits"), body).await }
    };
    assert_refused(&take(json!(26)).await, "409 Conflict", "balance_out_of_range");
    let taken = take(json!(25)).await;
    assert!(taken.text.contains(r#""balance_after":0.000000000001"#), "{}", taken.text);
    assert_refused(&chat(&app.key_client("ada"), "dev-chat").await, "402 Payment Required", "insufficient_credits");
    assert_refused(&add_credits(&operator, &org, json!(9_000_000)).await, "409 Conflict", "balance_out_of_range");

    let seen = operator.get(&format!("{BILLING}/transactions?org={org}")).await;
    assert_eq!(seen.column("kind"), ["debit", "credit", "credit"]);
    assert_eq!(seen.json, app.key_client("ada").get("/gateway/v1/billing/transactions").await.json);
    assert!(
        seen.text.ends_with(r#""totals":{"debit":25,"credit":25.000000000001,"net":0.000000000001,"uncollected":0}}"#),
        "{}",
        seen.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_idempotency_key_adds_credits_once() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), org_of(&app, "ada").await);
    let key = uuid::Uuid::now_v7().to_string();
    let body = json!({"org": org, "kind": "credit", "amount": 5, "reason": "a gift"});
    let request = || {
        let request = operator.request(Method::POST, &format!("{BILLING}/credits"));
        send(request.header("Idempotency-Key", &key).json(&body))
    };
    let answers = join_all((0..8).map(|_| request())).await;
    for answer in &answers {
        assert_eq!((answer.status.as_str(), &answer.text), ("201 Created", &answers[0].text));
    }
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == Some("true")).count();
    assert_eq!(replayed, 7);
    let balances = operator.get(&format!("{BILLING}/balances")).await;
    let of_acme = balances.json["data"].as_array().unwrap().iter().find(|entry| entry["org"] == org.as_str()).unwrap();
    assert_eq!((&of_acme["credits_remaining"], &of_acme["name"]), (&json!(30), &json!("acme")));
    let other = json!({"org": org, "kind": "credit", "amount": 6, "reason": "a gift"});
    let other =
        operator.request(Method::POST, &format!("{BILLING}/credits")).header("Idempotency-Key", &key).json(&other);
    assert_refused(&send(other).await, "409 Conflict", "idempotency_conflict");
    let wrong =
        operator.request(Method::POST, &format!("{BILLING}/credits")).header("Idempotency-Key", "x").json(&body);
    assert_refused(&send(wrong).await, "400 Bad Request", "invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_concurrent_credits_are_all_added() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), org_of(&app, "ada").await);
    let answers = join_all((0..100).map(|_| add_credits(&operator, &org, json!(1)))).await;
    let mut balances = Vec::new();
    for answer in answers {
        assert_eq!(answer.status, "201 Created", "{}", answer.text);
        balances.push(answer.json["balance_after"].as_u64().unwrap());
    }
    balances.sort_unstable();
    assert_eq!(balances, (26..=125).collect::<Vec<_>>(), "each sees the ones before it");
}

/// The environments of a function do not see each other's changes in memory.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_credits_of_many_environments_are_all_added() {
    let app = TestApp::start().await;
    let org = org_of(&app, "ada").await.parse().unwrap();
    join_all((0..24).map(|_| app.credit(org, Money::from_usd(1)))).await;
    assert_eq!(app.balance(org).await, Money::from_usd(25 + 24));
}

#[tokio::test]
async fn balances_are_paged() {
    let app = TestApp::start().await;
    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.operator().get(&format!("{BILLING}/balances?limit=2{cursor}")).await;
        names.extend(page.column("name").into_iter().map(str::to_owned));
        let Some(next) = page.json["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    names.sort_unstable();
    assert_eq!(names, ["acme", "globex", "platform"]);
}

#[tokio::test]
async fn invalid_credits_are_refused_by_field() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), org_of(&app, "ada").await);
    let wrong = [
        (json!({"amount": 0}), "amount"),
        (json!({"amount": -1}), "amount"),
        (json!({"amount": "0.0000000000001"}), "amount"),
        (json!({"amount": 9_000_001}), "amount"),
        (json!({"amount": null}), "amount"),
        (json!({"kind": "gift"}), "kind"),
        (json!({"reason": ""}), "reason"),
        (json!({"colour": "red"}), "colour"),
    ];
    for (changes, field) in wrong {
        let mut body = json!({"org": org, "kind": "credit", "amount": 1, "reason": "a gift"});
        changes.as_object().unwrap().iter().for_each(|(name, value)| body[name] = value.clone());
        let answer = operator.post_json(&format!("{BILLING}/credits"), body).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert!(answer.json["error"]["message"].as_str().unwrap().starts_with(field), "{}", answer.text);
    }
    for org in ["org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c", "x"] {
        assert_refused(&add_credits(&operator, org, json!(1)).await, "404 Not Found", "organization_not_found");
        let transactions = operator.get(&format!("{BILLING}/transactions?org={org}")).await;
        assert_refused(&transactions, "404 Not Found", "organization_not_found");
    }
    assert_refused(&operator.get(&format!("{BILLING}/transactions")).await, "400 Bad Request", "invalid_query");
}
