//! The spend by day: `/gateway/v1/billing/spend` and `/gateway/v1/billing/admin/spend/{org}`.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::OrgId;
use domain::money::Money;
use domain::spend::SpendBy;
use domain::time::Time;
use futures::future::join_all;
use reqwest::Method;
use serde_json::Value;
use store::keys;
use tests::TestApp;
use tests::client::send;

use super::calls::{close_leases, list};
use super::*;

const SPEND: &str = "/gateway/v1/billing/spend";
const CALLS: &str = "/gateway/v1/billing/calls";

async fn call(person: &Person, tags: &str, end_user: Option<&str>) {
    let mut body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    if let Some(end_user) = end_user {
        body["user"] = end_user.into();
    }
    let request = person.request(Method::POST, "/gateway/v1/chat/completions").header("x-svc-tags", tags);
    let answer = send(request.json(&body)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
}

/// The number of calls and the cost of each group. The simulation of leases checks the days.
type Sums = BTreeMap<String, (u64, f64)>;

/// The sums of the log of calls.
fn sum_calls(calls: &[Value], names: impl Fn(&Value) -> Vec<String>) -> Sums {
    let mut sums = Sums::new();
    for call in calls {
        for name in names(call) {
            let (count, cost) = sums.entry(name).or_default();
            *count += 1;
            *cost += call["cost"].as_f64().unwrap();
        }
    }
    sums
}

/// The sums of the spend, which is in the order of days and names.
fn read_spend(rows: &[Value]) -> Sums {
    let place = |row: &Value| ["date", "name"].map(|field| row[field].as_str().unwrap().to_owned());
    assert!(rows.is_sorted_by(|one, next| place(one) < place(next)), "{rows:?}");
    let mut sums = Sums::new();
    for row in rows {
        let (count, cost) = sums.entry(row["name"].as_str().unwrap().to_owned()).or_default();
        *count += row["usage"]["requests"].as_u64().unwrap();
        *cost += row["usage"]["cost"].as_f64().unwrap();
    }
    sums
}

fn assert_same(found: &Sums, expected: &Sums, what: &str) {
    let rounded = |sums: &Sums| -> Vec<_> {
        sums.iter().map(|(name, (count, cost))| (name.clone(), *count, format!("{cost:.10}"))).collect()
    };
    assert_eq!(rounded(found), rounded(expected), "{what}");
}

#[tokio::test]
async fn the_spend_of_each_group_is_the_sum_of_its_calls() {
    let app = TestApp::start().await;
    let customer = app.customer("spend", Money::from_usd(1)).await;
    let person = &customer.person;
    for (tags, end_user) in [
        ("team=search, nightly", Some("u-1")),
        ("team=search", Some("u-2")),
        ("", Some("u-1")),
        ("nightly", Some("ñandú")),
        ("", None),
    ] {
        call(person, tags, end_user).await;
    }
    close_leases(&app).await;
    let calls = list(person, CALLS, 100).await;
    let tags = |call: &Value| -> Vec<String> {
        call["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap().to_owned()).collect()
    };
    let name = |field: &'static str| move |call: &Value| call[field].as_str().map(str::to_owned).into_iter().collect();
    let groups = [
        ("tag", sum_calls(&calls, tags)),
        ("end_user", sum_calls(&calls, name("end_user"))),
        ("key", sum_calls(&calls, name("api_key"))),
        ("model", sum_calls(&calls, name("model"))),
    ];
    let of_org = format!("/gateway/v1/billing/admin/spend/{}", customer.account.org);
    for (by, expected) in &groups {
        assert!(!expected.is_empty());
        for limit in [1, 2, 100] {
            let rows = list(person, &format!("{SPEND}?by={by}"), limit).await;
            assert_same(&read_spend(&rows), expected, by);
        }
        let by_operator = list(&app.operator(), &format!("{of_org}?by={by}"), 100).await;
        assert_same(&read_spend(&by_operator), expected, by);
        for (name, sums) in expected {
            let rows = list(person, &format!("{SPEND}?by={by}&name={name}"), 7).await;
            assert_same(&read_spend(&rows), &[(name.clone(), *sums)].into(), name);
        }
    }
    assert_eq!((groups[0].1.len(), groups[1].1.len()), (2, 3));
}

#[tokio::test]
async fn the_longest_names_have_pages_too() {
    let app = TestApp::start().await;
    let customer = app.customer("long", Money::from_usd(1)).await;
    let names = ["a", "b"].map(|last| format!("{}{last}", "👍".repeat(127)));
    for name in &names {
        call(&customer.person, "", Some(name)).await;
    }
    close_leases(&app).await;
    let rows = list(&customer.person, &format!("{SPEND}?by=end_user"), 1).await;
    assert_eq!(read_spend(&rows).into_keys().collect::<Vec<_>>(), names);
}

#[tokio::test]
async fn calls_with_many_tags_are_all_counted() {
    let app = TestApp::start().await;
    let customer = app.customer("tags", Money::from_usd(1)).await;
    let person = &customer.person;
    // More than the tags of one lease.
    for round in 0..6 {
        join_all((0..10).map(|number| async move {
            let tags: Vec<String> = (0..10).map(|tag| format!("{round}/{number}/{tag}")).collect();
            call(person, &tags.join(","), Some(&format!("u-{number}"))).await;
        }))
        .await;
    }
    close_leases(&app).await;
    let tags = read_spend(&list(person, &format!("{SPEND}?by=tag"), 100).await);
    assert_eq!((tags.len(), tags.values().map(|(calls, _)| calls).max()), (600, Some(&1)));
    let users = read_spend(&list(person, &format!("{SPEND}?by=end_user"), 100).await);
    assert_eq!(users.values().map(|(calls, _)| *calls).collect::<Vec<_>>(), [6; 10]);
}

#[tokio::test]
async fn only_administrators_read_the_spend_of_their_organization() {
    let app = TestApp::start().await;
    // Ada is an administrator of Acme, Bob is a member, and Eve belongs to another organization.
    let (ada, bob, eve) = (app.key_client("ada"), app.key_client("bob"), app.key_client("eve"));
    call(&bob, "team=search", None).await;
    close_leases(&app).await;
    let path = format!("{SPEND}?by=tag");
    assert_eq!(list(&ada, &path, 10).await.len(), 1);
    assert_eq!(list(&eve, &path, 10).await, Vec::<Value>::new());
    let refused = bob.get(&path).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "administrator_only"));
    let org = ada.get("/gateway/v1/me").await.json["org"]["id"].as_str().unwrap().to_owned();
    let of_org = format!("/gateway/v1/billing/admin/spend/{org}?by=tag");
    let refused = ada.get(&of_org).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "operator_only"));
    let unknown = app.operator().get(&format!("/gateway/v1/billing/admin/spend/{}?by=tag", OrgId::new())).await;
    assert_eq!(unknown.status, "404 Not Found");
    for (query, parameter) in [
        ("by=colour", "by"),
        ("from=2026-11-01", "query"),
        ("by=tag&from=yesterday", "from"),
        ("by=tag&from=2026-11-02&to=2026-11-01", "from"),
        ("by=tag&from=2024-11-02&to=2026-11-01", "from"),
        ("by=tag&limit=0", "limit"),
        ("by=tag&cursor=x", "cursor"),
    ] {
        let refused = ada.get(&format!("{SPEND}?{query}")).await;
        assert_eq!((refused.status.as_str(), &refused.json["error"]["param"]), ("400 Bad Request", &json!(parameter)));
    }
}

/// Writes the spend of end users on each day.
async fn store_spend(app: &TestApp, org: OrgId, days: &[String], names: u32) {
    let dynamodb = app.platform.context().aws.dynamodb();
    for day in days {
        let month: i64 = format!("{}{}", &day[..4], &day[5..7]).parse().unwrap();
        for name in 0..names {
            let key = keys::spend_of_day(org, month, SpendBy::EndUser, day, &format!("user-{name:04}"));
            let mut put = dynamodb.put_item().table_name("CountersTable");
            for (name, value) in key.attributes() {
                put = put.item(name, value);
            }
            put.item("requests", AttributeValue::N("3".to_owned())).send().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_page_of_the_spend_costs_the_same_in_any_month() {
    let app = TestApp::start().await;
    let customer = app.customer("users", Money::from_usd(1)).await;
    let day = |days_ago: u64| Time::now().minus(std::time::Duration::from_secs(days_ago * 24 * 60 * 60)).day();
    // Three months, the first and the last with many end users.
    store_spend(&app, customer.account.org, &[day(70), day(10)], 400).await;
    let (from, to) = (day(80), day(0));
    let path = format!("{SPEND}?by=end_user&from={from}&to={to}");
    let rows = list(&customer.person, &path, 100).await;
    assert_eq!((rows.len(), read_spend(&rows).values().map(|(calls, _)| calls).sum::<u64>()), (800, 2_400));
    // A cursor of another period starts at the beginning of this one.
    let page = customer.person.get(&format!("{path}&limit=5")).await;
    let cursor = page.json["next_cursor"].as_str().unwrap();
    let later = format!("{SPEND}?by=end_user&from={}&to={to}&limit=5&cursor={cursor}", day(20));
    let page = customer.person.get(&later).await;
    assert_eq!((&page.json["data"][0]["date"], &page.json["data"][0]["name"]), (&json!(day(10)), &json!("user-0000")));
    app.recorder.take();
    customer.person.get(&format!("{path}&limit=20")).await;
    insta::assert_snapshot!(app.recorder.take_costs().to_string(), @"1 dynamodb:BatchGetItem (5 units), 1 dynamodb:Query (1 units)");
    customer.person.get(&format!("{path}&limit=100&name=user-0007")).await;
    insta::assert_snapshot!(app.recorder.take_costs().to_string(), @"2 dynamodb:BatchGetItem (86 units)");
    // Days without calls take no place on a page.
    let page = customer.person.get(&format!("{path}&limit=1&name=user-0007")).await;
    assert_eq!((&page.json["data"][0]["date"], &page.json["has_more"]), (&json!(day(70)), &json!(true)));
    let rows = list(&customer.person, &format!("{path}&name=user-0007"), 1).await;
    assert_eq!(rows.iter().map(|row| row["date"].as_str().unwrap()).collect::<Vec<_>>(), [day(70), day(10)]);
}
