//! The list of events.

use domain::money::Money;

use super::*;

#[tokio::test]
async fn events_are_filtered_and_paged() {
    let app = TestApp::start().await;
    let customer = app.customer("filters", Money::from_usd(1)).await;
    for text in ["hello", "I will kill you", "I want to die", "good morning"] {
        assert_eq!(post(&customer.person, GUARD, &json!({"input": [message(text)]})).await.status, "200 OK");
    }
    let count = async |query: &str| events(&customer.person, query).await.len();
    assert_eq!(count("").await, 4);
    assert_eq!(count("?flagged=true").await, 2);
    assert_eq!(count("?flagged=false").await, 2);
    assert_eq!(count("?category=violence").await, 1);
    assert_eq!(count("?category=violence&flagged=false").await, 0);
    assert_eq!(count(&format!("?api_key={}", customer.key)).await, 4);
    assert_eq!(count("?api_key=key_019cb8e23f4a7c219b6d000000000002").await, 0);
    assert_eq!(count("?period=2020-01").await, 0);

    let newest = &events(&customer.person, "?limit=1").await[0];
    assert_eq!(newest["flagged"], false);
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = customer.person.get(&format!("{EVENTS}?limit=3{cursor}")).await.json;
        seen.extend(page["data"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 4);
    for query in ["?period=2999-01", "?period=x", "?flagged=maybe", "?api_key=x", "?limit=0", "?cursor=x", "?sort=x"] {
        let refused = customer.person.get(&format!("{EVENTS}{query}")).await;
        assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}");
    }
}

#[tokio::test]
async fn members_see_their_own_events_and_other_organizations_none() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.key_client("ada"), app.key_client("bob"), app.key_client("eve"));
    for person in [&ada, &bob] {
        post(person, GUARD, &json!({"input": [message("hello")]})).await;
    }
    assert_eq!(events(&ada, "").await.len(), 2);
    assert_eq!(events(&bob, "").await.len(), 1);
    assert_eq!(events(&eve, "").await.len(), 0);
}

#[tokio::test]
async fn events_keep_the_text_only_if_the_organization_wants_it() {
    let app = TestApp::start().await;
    let customer = app.customer("texts", Money::from_usd(1)).await;
    let org = format!("/gateway/v1/admin/orgs/{}", customer.account.org);
    chat(&customer.person, &guarded("a secret sentence")).await;
    app.platform.drain().await;
    let page = customer.person.get(EVENTS).await;
    assert!(!page.text.contains("a secret sentence"), "{}", page.text);
    assert_eq!(page.json["data"].as_array().map(Vec::len), Some(1));

    let changed = app.operator().patch(&org, json!({"keeps_guard_input": true})).await;
    assert_eq!(changed.json["keeps_guard_input"], true, "{}", changed.text);
    // A new environment has not cached the organization.
    let environment = app.environment();
    customer.call(&environment, tests::gateway::CHAT, &guarded("a secret sentence")).await;
    app.platform.drain().await;
    let newest = &events(&customer.person, "").await[0];
    assert_eq!(newest["input"][0], json!({"role": "user", "content": "a secret sentence"}));
    assert_eq!(newest["input"][1]["role"], "assistant");
}
