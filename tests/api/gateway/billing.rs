//! Balance, usage and transactions: `/gateway/v1/billing…`.

use domain::identity::Plan;
use domain::money::Money;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use store::Identities;
use tests::TestApp;
use tests::client::{Answer, Person};

use super::chat;

const BALANCE: &str = "/gateway/v1/billing/balance";
const USAGE: &str = "/gateway/v1/billing/usage";
const TRANSACTIONS: &str = "/gateway/v1/billing/transactions";

/// Reads the usage, and asserts its number of requests.
async fn usage_of(person: &Person, requests: u64) -> Answer {
    let usage = person.get(USAGE).await;
    assert_eq!(usage.json["total_requests"], requests, "{}", usage.text);
    usage
}

fn money(answer: &Answer, header: &str) -> Money {
    answer.header(header).unwrap().parse().unwrap()
}

/// A number as it is written in the answer, with all its digits.
fn number<'a>(answer: &'a Answer, field: &str) -> &'a str {
    let from = answer.text.split_once(&format!("\"{field}\":")).unwrap().1;
    from.split([',', '}']).next().unwrap()
}

#[tokio::test]
async fn balance_and_usage_are_exact_right_after_a_call() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let before = ada.get(BALANCE).await;
    assert_eq!(before.status, "200 OK", "{}", before.text);
    assert_json_snapshot!(before.json, { ".**.created_at" => "[time]" });

    let called = chat(&ada, "dev-chat").await;
    let cost = money(&called, "x-request-cost");
    let after = ada.get(BALANCE).await;
    assert_eq!(number(&after, "credits_remaining"), Money::from_usd(25).less(cost).to_string());
    assert_eq!(after.json["last_event"]["kind"], "debit");
    assert_eq!(number(&after, "amount"), cost.to_string());

    let usage = usage_of(&ada, 1).await;
    assert_eq!(number(&usage, "total_cost"), cost.to_string());
    assert_json_snapshot!(usage.json, {
        ".period" => "[month]", ".**.date" => "[day]", ".**.user" => "[user]", ".**.api_key" => "[key]",
    });
    assert_eq!(number(&ada.get(BALANCE).await, "cost"), cost.to_string());
}

#[tokio::test]
async fn only_administrators_see_usage_by_user() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.key_client("ada"), app.key_client("bob"));
    assert_eq!(chat(&bob, "dev-chat").await.status, "200 OK");
    let seen = usage_of(&ada, 1).await;
    let bobs_id = bob.get("/gateway/v1/me").await.json["user"]["id"].clone();
    assert_eq!(seen.json["by_user"][0]["user"], bobs_id);
    let by_bob = bob.get(USAGE).await;
    assert_eq!(by_bob.json["total_requests"], 1);
    assert!(by_bob.json.get("by_user").is_none(), "{}", by_bob.text);
}

#[tokio::test]
async fn members_see_only_their_own_keys_and_transactions() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.key_client("ada"), app.key_client("bob"));
    chat(&ada, "dev-chat").await;
    let called = [chat(&bob, "dev-chat").await, chat(&bob, "dev-chat").await];
    let of_bob: Money = called.iter().map(|call| money(call, "x-request-cost")).sum();
    chat(&ada, "dev-chat").await;

    let all = ada.get(TRANSACTIONS).await;
    assert_eq!(all.column("kind"), ["debit", "debit", "debit", "debit", "credit"]);
    let own = bob.get(TRANSACTIONS).await;
    let requests = called.iter().rev().map(|call| call.header("x-request-id").unwrap());
    assert_eq!(own.column("request_id"), requests.collect::<Vec<_>>());
    assert_eq!((number(&own, "debit"), number(&own, "credit")), (of_bob.to_string().as_str(), "0"));
    assert_eq!(bob.get(&format!("{TRANSACTIONS}?kind=credit")).await.json["data"], json!([]));
    let first = bob.get(&format!("{TRANSACTIONS}?limit=1")).await;
    let next = format!("{TRANSACTIONS}?limit=1&cursor={}", first.json["next_cursor"].as_str().unwrap());
    let second = bob.get(&next).await;
    assert_eq!([first.column("id"), second.column("id")].concat(), own.column("id"));
    assert_eq!(second.json["has_more"], false);

    let key = bob.get("/gateway/v1/me").await.json["api_key"]["id"].clone();
    let usage = bob.get(USAGE).await;
    assert_eq!(usage.json["by_api_key"].as_array().unwrap().len(), 1, "{}", usage.text);
    assert_eq!((&usage.json["by_api_key"][0]["api_key"], &usage.json["total_requests"]), (&key, &json!(4)));
    assert_eq!(ada.get(USAGE).await.json["by_api_key"].as_array().unwrap().len(), 2);
    // The newest call is ada's.
    let (seen, last) = (bob.get(BALANCE).await, called[1].header("x-request-cost").unwrap());
    assert_eq!((number(&seen, "amount"), &seen.json["usage_this_month"]["requests"]), (last, &json!(4)));
}

#[tokio::test]
async fn another_organization_sees_no_usage() {
    let app = TestApp::start().await;
    chat(&app.key_client("ada"), "dev-chat").await;
    usage_of(&app.key_client("ada"), 1).await;
    let eve = app.key_client("eve");
    assert_eq!(eve.get(USAGE).await.json["total_requests"], 0);
    assert_eq!(number(&eve.get(BALANCE).await, "credits_remaining"), "25");
    assert_eq!(eve.get(TRANSACTIONS).await.column("kind"), ["credit"]);
}

#[tokio::test]
async fn transactions_are_paged_newest_first_with_the_totals_of_the_month() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let mut spent = Money::ZERO;
    for _ in 0..5 {
        spent += money(&chat(&ada, "dev-chat").await, "x-request-cost");
    }
    // The last lease is still open, for calls that never come.
    usage_of(&ada, 5).await;
    let all = ada.get(TRANSACTIONS).await;
    assert_eq!(all.column("kind"), ["debit", "debit", "debit", "debit", "debit", "credit"]);
    assert_eq!(number(&all, "debit"), spent.to_string());
    assert_eq!(number(&all, "credit"), "25");
    assert_eq!(number(&all, "net"), Money::from_usd(25).less(spent).to_string());
    let shown = json!([all.json["data"][0], all.json["data"][5]]);
    assert_json_snapshot!(shown, {
        "[].id" => "[id]", "[].created_at" => "[time]", "[].request_id" => "[request]", "[].api_key" => "[key]",
    });

    for (kind, count) in [("", 6), ("&kind=debit", 5), ("&kind=credit", 1)] {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = ada.get(&format!("{TRANSACTIONS}?limit=2{kind}{cursor}")).await;
            ids.extend(page.column("id").into_iter().map(str::to_owned));
            assert_eq!(page.json["totals"], all.json["totals"], "the totals do not depend on the page");
            let Some(next) = page.json["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!((ids.len(), unique.len()), (count, count), "{kind}");
    }
    let past = ada.get(&format!("{TRANSACTIONS}?period=2020-01")).await;
    assert_eq!((&past.json["data"], &past.json["totals"]["net"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn invalid_queries_are_named_and_anonymous_requests_refused() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let wrong = [
        (USAGE, "period=2026", "period"),
        (USAGE, "period=2026-13", "period"),
        (USAGE, "period=2026-1", "period"),
        (USAGE, "period=+026-01", "period"),
        (USAGE, "month=2026-01", "month"),
        (TRANSACTIONS, "kind=gift", "kind"),
        (TRANSACTIONS, "limit=0", "limit"),
        (TRANSACTIONS, "cursor=abc", "cursor"),
    ];
    for (path, query, param) in wrong {
        let answer = ada.get(&format!("{path}?{query}")).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_query"), "{query}");
        assert_eq!(answer.json["error"]["param"], param, "{query}");
    }
    for path in [BALANCE, USAGE, TRANSACTIONS] {
        assert_eq!(app.anonymous().get(path).await.code(), "identity.invalid_token");
    }
}

#[tokio::test]
async fn an_exempt_plan_has_usage_and_no_credits() {
    let app = TestApp::start().await;
    let identities = Identities::new(&app.platform.context()).unwrap();
    let plan = Plan {
        id: "internal".to_owned(),
        name: "Internal".to_owned(),
        is_billing_exempt: true,
        ..local::seed::default_plan()
    };
    identities.add_plan(&plan).await.unwrap();
    let customer = app.customer("internal", Money::ZERO).await;
    let found = identities.find(customer.account.org, customer.account.user).await.unwrap().unwrap();
    identities.put_org(&domain::identity::Org { plan: plan.id, ..found.org }).await.unwrap();

    let called = chat(&customer.person, "dev-chat").await;
    assert_eq!((called.status.as_str(), called.header("x-credits-remaining")), ("200 OK", None));
    let usage = usage_of(&customer.person, 1).await;
    assert_eq!(number(&usage, "total_cost"), called.header("x-request-cost").unwrap());
    let balance = customer.person.get(BALANCE).await;
    assert_eq!(
        (&balance.json["credits_remaining"], &balance.json["is_billing_exempt"], &balance.json["last_event"]),
        (&Value::Null, &json!(true), &Value::Null)
    );
    assert_eq!(customer.person.get(TRANSACTIONS).await.json["data"], json!([]));
}

#[tokio::test]
async fn an_access_token_reads_the_same_as_a_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let account = app.account("ada");
    let caps = "/gateway/v1/billing/admin/caps";
    let key = app.key_client("ada").get("/gateway/v1/me").await.json["api_key"]["id"].as_str().unwrap().to_owned();
    for of in
        [format!("org={}", account.org), format!("org={}&user={}", account.org, account.user), format!("key={key}")]
    {
        assert_eq!(operator.put(&format!("{caps}?{of}"), json!({"limit": 9})).await.status, "200 OK");
    }
    let ada = app.person_of("ada", "acme", domain::identity::Role::Admin);
    let scopes = |answer: &Answer| {
        let caps = answer.json["spending_caps"].as_array().unwrap();
        caps.iter().map(|cap| cap["scope"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (by_key, by_token) = (app.key_client("ada").get(BALANCE).await, ada.get(BALANCE).await);
    assert_eq!(
        (scopes(&by_key), scopes(&by_token)),
        (vec!["org".to_owned(), "user".to_owned(), "key".to_owned()], vec!["org".to_owned(), "user".to_owned()],)
    );
    assert!(by_key.json["credits_remaining"].is_number());
    assert_eq!(by_key.json["credits_remaining"], by_token.json["credits_remaining"]);
    assert!(ada.get(USAGE).await.json["by_user"].is_array(), "an administrator by token too");
    assert_eq!(ada.get(TRANSACTIONS).await.text, app.key_client("ada").get(TRANSACTIONS).await.text);
    // A new user's first request may be for the balance.
    let newcomer = app.person_of("newcomer", "initech", domain::identity::Role::Member);
    assert_eq!(newcomer.get(BALANCE).await.json["credits_remaining"], 0);
    for path in [BALANCE, USAGE, TRANSACTIONS] {
        assert_eq!(app.anonymous().get(path).await.code(), "identity.invalid_token");
    }
}
