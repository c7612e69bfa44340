//! What an organization sees of a month: its figures, their price in reads, and exports.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::{ApiKeyId, OrgId};
use domain::identity::Role;
use domain::money::Money;
use serde_json::Value;
use store::keys;
use tests::TestApp;
use tests::gateway::Customer;

use super::*;

const USAGE: &str = "/gateway/v1/billing/usage";
const EXPORTS: &str = "/gateway/v1/billing/exports";

/// Writes the counters of a month with five million calls of ten models by 200 keys.
async fn store_busy_month(app: &TestApp, customer: &Customer, month: i64) {
    let dynamodb = app.platform.context().aws.dynamodb();
    let org = customer.account.org;
    let put = async |key: keys::Key, calls: u64| {
        let number = |number: u64| AttributeValue::N(number.to_string());
        let mut put = dynamodb.put_item().table_name("CountersTable");
        for (name, value) in key.attributes() {
            put = put.item(name, value);
        }
        let figures = [("requests", calls), ("tokens_in", calls * 800), ("tokens_out", calls * 200)];
        for (name, value) in
            figures.into_iter().chain([("cost", calls * 160_000_000), ("charged", calls * 160_000_000)])
        {
            put = put.item(name, number(value));
        }
        put.send().await.unwrap();
    };
    for day in 1..=25 {
        for model in 0..10 {
            let day = format!("{:04}-{:02}-{day:02}", month / 100, month % 100);
            put(keys::usage_of_day(org, month, &day, &format!("model-{model}")), 20_000).await;
        }
    }
    for _ in 0..200 {
        put(keys::usage_of_key(org, month, customer.account.user, Some(ApiKeyId::new())), 25_000).await;
    }
}

#[tokio::test]
async fn a_month_of_five_million_calls_takes_three_reads() {
    let app = TestApp::start().await;
    let customer = app.customer("busy", Money::from_usd(1)).await;
    store_busy_month(&app, &customer, 202_603).await;
    // The first request fills the caches of the process.
    customer.person.get(USAGE).await;
    app.recorder.take();
    let usage = customer.person.get(&format!("{USAGE}?period=2026-03")).await;
    let costs = app.recorder.take_costs().to_string();
    assert_eq!((&usage.json["total_requests"], &usage.json["total_cost"]), (&json!(5_000_000), &json!(800)));
    assert_eq!(usage.json["total_tokens_in"], 4_000_000_000u64);
    let length = |field: &str| usage.json[field].as_array().unwrap().len();
    assert_eq!(["by_model", "daily_breakdown", "by_api_key"].map(length), [10, 25, 200]);
    // The caller takes the other read.
    assert_eq!(costs, "1 dynamodb:BatchGetItem (5 units), 3 dynamodb:Query (19 units)");
}

#[tokio::test]
async fn a_past_month_is_shown_by_model_and_day_and_a_future_one_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("past", Money::from_usd(1)).await;
    store_busy_month(&app, &customer, 202_603).await;
    let usage = customer.person.get(&format!("{USAGE}?period=2026-03")).await.json;
    assert_eq!(usage["by_model"][3]["model"], "model-3");
    assert_eq!((&usage["by_model"][3]["requests"], &usage["by_model"][3]["cost"]), (&json!(500_000), &json!(80)));
    assert_eq!(
        (&usage["daily_breakdown"][0]["date"], &usage["daily_breakdown"][0]["requests"]),
        (&json!("2026-03-01"), &json!(200_000))
    );
    assert_eq!(usage["period"], "2026-03");
    for path in ["usage", "transactions"] {
        let refused = customer.person.get(&format!("/gateway/v1/billing/{path}?period=9999-12")).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"));
        assert!(refused.json["error"]["message"].as_str().unwrap().contains("future"), "{}", refused.text);
    }
}

#[tokio::test]
async fn images_are_counted_in_the_usage() {
    let app = TestApp::start_with_options(|options| options.background = true).await;
    let customer = app.customer("images", Money::from_usd(1)).await;
    let body = json!({"preset": "dev-image", "prompt": "a fox", "n": 3, "size": "16x16"});
    let answer = customer.person.post_json("/gateway/v1/images/generations", body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let usage = customer.person.get(USAGE).await.json;
    assert_eq!((&usage["total_images"], &usage["by_model"][0]["images"]), (&json!(3), &json!(3)));
    assert_eq!(customer.person.get("/gateway/v1/billing/balance").await.json["usage_this_month"]["images"], 3);
}

/// The rows of an exported file, with its header.
async fn rows(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, "201 Created", "{}", answer.text);
    let file = reqwest::get(answer.json["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(file.headers()["content-type"], "text/csv; charset=utf-8");
    file.text().await.unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn transactions_are_exported_as_csv() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.key_client("ada"), app.key_client("bob"));
    let called = chat(&ada, "dev-chat").await;
    chat(&bob, "dev-chat").await;
    let reason = json!({"org": ada.get("/gateway/v1/me").await.json["org"]["id"], "amount": "1", "kind": "credit",
        "reason": "=cmd(), \"gift\""});
    let given = app.operator().post_json("/gateway/v1/billing/admin/credits", reason).await;
    assert_eq!(given.status, "201 Created", "{}", given.text);

    let export = ada.post_json(EXPORTS, json!({})).await;
    let lines = rows(&export).await;
    assert_eq!(
        lines[0],
        "id,created_at,kind,amount,cost,uncollected,balance_after,model,tokens_in,tokens_out,images,user,api_key,request_id,reason,audio_ms,characters"
    );
    assert_eq!((lines.len(), &export.json["rows"], &export.json["next_cursor"]), (5, &json!(4), &Value::Null));
    assert!(lines[1].contains(",credit,1,1,0,") && lines[1].ends_with(",\"'=cmd(), \"\"gift\"\"\",,"), "{}", lines[1]);
    let (cost, request) = (called.header("x-request-cost").unwrap(), called.header("x-request-id").unwrap());
    let own = lines.iter().find(|line| line.contains(request)).unwrap();
    assert!(own.contains(&format!(",debit,{cost},{cost},0,,dev-chat,")), "{own}");

    // Members get only their own calls.
    let of_bob = rows(&bob.post_json(EXPORTS, json!({"content": "transactions"})).await).await;
    assert_eq!(of_bob.len(), 2);
    assert!(of_bob[1].contains(",debit,"));
    let of_eve = rows(&app.key_client("eve").post_json(EXPORTS, json!({})).await).await;
    assert!(of_eve.iter().all(|line| !line.contains(request)));
}

#[tokio::test]
async fn usage_is_exported_by_day_and_model() {
    let app = TestApp::start().await;
    let customer = app.customer("export", Money::from_usd(1)).await;
    store_busy_month(&app, &customer, 202_603).await;
    let export = customer.person.post_json(EXPORTS, json!({"period": "2026-03", "content": "usage"})).await;
    let lines = rows(&export).await;
    assert_eq!(lines[0], "date,model,requests,tokens_in,tokens_out,images,cost,uncollected");
    assert_eq!(lines[1], "2026-03-01,model-0,20000,16000000,4000000,0,3.2,0");
    assert_eq!((lines.len(), &export.json["period"]), (251, &json!("2026-03")));
    for (body, field) in [
        (json!({"period": "2026"}), "period"),
        (json!({"period": "9999-01"}), "period"),
        (json!({"cursor": "x"}), "cursor"),
        (json!({"content": "all"}), "content"),
        (json!({"format": "csv"}), "format"),
    ] {
        let refused = customer.person.post_json(EXPORTS, body).await;
        assert_eq!((refused.code(), &refused.json["error"]["param"]), ("invalid_body", &json!(field)));
    }
}

const ALL_USAGE: &str = "/gateway/v1/billing/admin/usage";

#[tokio::test]
async fn an_operator_sees_the_usage_of_all_organizations_and_of_a_user_in_each_of_theirs() {
    let app = TestApp::start().await;
    let [first, second] =
        [app.customer("first", Money::from_usd(1)).await, app.customer("second", Money::from_usd(1)).await];
    store_busy_month(&app, &first, 202_603).await;
    store_busy_month(&app, &second, 202_603).await;
    let operator = app.operator();

    let mut seen = BTreeMap::new();
    let mut path = format!("{ALL_USAGE}?period=2026-03&limit=1");
    loop {
        let page = operator.get(&path).await;
        for org in page.json["data"].as_array().unwrap() {
            let usage = (org["usage"]["requests"].as_u64().unwrap(), org["usage"]["cost"].clone());
            assert!(seen.insert(org["org"].as_str().unwrap().to_owned(), usage).is_none(), "{org} is listed twice");
        }
        let Some(next) = page.json["next_cursor"].as_str() else { break };
        path = format!("{ALL_USAGE}?period=2026-03&limit=1&cursor={next}");
    }
    assert_eq!(seen.len(), operator.get("/gateway/v1/admin/orgs?limit=100").await.column("id").len());
    for customer in [&first, &second] {
        assert_eq!(seen[&customer.account.org.to_string()], (5_000_000, json!(800)));
    }
    assert_eq!(seen[&app.account("ada").org.to_string()], (0, json!(0)));

    let one = operator.get(&format!("{ALL_USAGE}/{}?period=2026-03", first.account.org)).await.json;
    let by_user = json!([{
        "user": first.account.user, "requests": 5_000_000, "tokens_in": 4_000_000_000u64, "tokens_out": 1_000_000_000,
        "images": 0, "cost": 800, "uncollected": 0,
    }]);
    assert_eq!(
        (&one["period"], &one["total_requests"], &one["by_user"]),
        (&json!("2026-03"), &json!(5_000_000), &by_user)
    );

    // A user of two organizations, with calls in both.
    let (dynamodb, user) = (app.platform.context().aws.dynamodb(), app.account("ada").user);
    let globex = app.person_of("ada", "globex", Role::Member).get("/gateway/v1/me").await;
    let orgs = [app.account("ada").org, globex.json["org"]["id"].as_str().unwrap().parse().unwrap()];
    for (org, calls) in orgs.iter().zip(["3", "4"]) {
        let mut put =
            dynamodb.put_item().table_name("CountersTable").item("requests", AttributeValue::N(calls.to_owned()));
        for (name, value) in keys::usage_of_key(*org, 202_603, user, None).attributes() {
            put = put.item(name, value);
        }
        put.send().await.unwrap();
    }
    let of_user = operator.get(&format!("{ALL_USAGE}?period=2026-03&user={user}")).await;
    let requests = of_user.json["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|org| (org["name"].clone(), org["usage"]["requests"].clone()));
    let requests: BTreeMap<_, _> = requests.map(|(name, requests)| (name.to_string(), requests)).collect();
    assert_eq!(requests, BTreeMap::from([("\"acme\"".to_owned(), json!(3)), ("\"globex\"".to_owned(), json!(4))]));
}

#[tokio::test]
async fn only_the_operator_sees_the_usage_of_other_organizations() {
    let app = TestApp::start().await;
    let org = app.account("eve").org;
    let admin = app.person_of("ada", "acme", Role::Admin);
    for path in
        [ALL_USAGE.to_owned(), format!("{ALL_USAGE}/{org}"), format!("{ALL_USAGE}?user={}", app.account("eve").user)]
    {
        let refused = admin.get(&path).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "operator_only"), "{path}");
    }
    for (path, code) in [
        (format!("{ALL_USAGE}?user=nobody"), "user_not_found"),
        (format!("{ALL_USAGE}/{}", OrgId::new()), "organization_not_found"),
        (format!("{ALL_USAGE}?period=9999-12"), "invalid_query"),
        (format!("{ALL_USAGE}?org={org}"), "invalid_query"),
    ] {
        assert_eq!(app.operator().get(&path).await.code(), code, "{path}");
    }
}
