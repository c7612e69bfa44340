//! The bodies of calls that an organization keeps: `/gateway/v1/billing/call-retention` and `/gateway/v1/billing/calls/{id}/body`.

mod access;
mod kinds;
mod retention;

use domain::money::Money;
use reqwest::Method;
use serde_json::json;
use tests::client::{Answer, send};
use tests::gateway::{CHAT, Customer};

use super::*;

const RETENTION: &str = "/gateway/v1/billing/call-retention";

/// The organization of this administrator keeps bodies for these days.
async fn keep_bodies(administrator: &Person, days: u8) {
    let kept = administrator.put(RETENTION, json!({"days": days})).await;
    assert_eq!((kept.status.as_str(), &kept.json["days"]), ("200 OK", &json!(days)), "{}", kept.text);
}

async fn keeper(app: &TestApp, org: &str, days: u8) -> Customer {
    let customer = app.customer(org, Money::from_usd(10)).await;
    keep_bodies(&customer.person, days).await;
    customer
}

fn request_of(answer: &Answer) -> &str {
    answer.header("x-request-id").unwrap()
}

fn path_of(call: &str) -> String {
    format!("{CALLS}/{call}/body")
}

/// Reads the bodies of a call, when all have been stored.
async fn read(app: &TestApp, person: &Person, call: &str) -> Answer {
    app.platform.context().tasks.ended().await;
    person.get(&path_of(call)).await
}

/// The objects of bodies, when all have been stored.
async fn count_objects(app: &TestApp) -> usize {
    app.platform.context().tasks.ended().await;
    app.objects("call-bodies")
}

fn question(text: &str) -> Value {
    json!({"model": "dev-chat", "messages": [{"role": "user", "content": text}], "max_tokens": 20})
}

async fn ask(person: &Person, text: &str) -> Answer {
    let answer = person.post_json(CHAT, question(text)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer
}
