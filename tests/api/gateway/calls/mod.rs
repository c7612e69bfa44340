//! The log of calls: `/gateway/v1/billing/calls…` and `/gateway/v1/admin/calls…`.

mod bodies;
mod filters;
mod pages;
mod readers;
mod rows;

use std::time::Duration;

use domain::time::Time;
use serde_json::Value;
use store::Leases;
use tests::TestApp;
use tests::client::Person;

const CALLS: &str = "/gateway/v1/billing/calls";
const ADMIN_CALLS: &str = "/gateway/v1/admin/calls";

/// All calls of a list, read in pages of this size.
pub(super) async fn list(person: &Person, path: &str, limit: u32) -> Vec<Value> {
    let (mut calls, mut cursor) = (Vec::new(), String::new());
    let separator = if path.contains('?') { '&' } else { '?' };
    loop {
        let page = person.get(&format!("{path}{separator}limit={limit}{cursor}")).await;
        assert_eq!(page.status, "200 OK", "{}", page.text);
        calls.extend(page.json["data"].as_array().unwrap().iter().cloned());
        match page.json["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return calls,
        }
    }
}

/// Closes the open leases, whose calls are not in the lists of filters yet.
pub(super) async fn close_leases(app: &TestApp) {
    let leases = Leases::new(&app.platform.context()).unwrap();
    let later = Time::now().plus(Duration::from_secs(60 * 60));
    for (org, lease) in leases.expired(later, 100).await.unwrap() {
        leases.sweep(org, lease, later).await.unwrap();
    }
}

fn ids(calls: &[Value]) -> Vec<&str> {
    calls.iter().map(|call| call["id"].as_str().unwrap()).collect()
}
