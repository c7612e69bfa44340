//! What a page costs: it does not grow with the number of calls.

use std::time::Duration;

use domain::call_facts::CLIENT_DISCONNECTED;
use domain::ledger::Charge;
use domain::money::Money;
use domain::time::Time;
use store::leases::ChargeLog;
use tests::TestApp;
use tests::scale::full_or;

use super::rows::{Writer, call};
use super::*;

/// The calls of a lease.
const WIDTH: usize = 64;

/// Labels calls so that some filters match nearly all of them, and others one in many.
fn labelled(mut call: Charge, number: usize) -> Charge {
    let facts = call.facts.as_mut().unwrap();
    facts.labels.tags = vec![format!("team-{}", number % 5)];
    if number.is_multiple_of(97) {
        facts.labels.tags.push("rare".to_owned());
        facts.alias = Some("rare-alias".to_owned());
        facts.upstream = "rare-upstream".to_owned();
        call.provider = "rare-provider".to_owned();
    }
    if number.is_multiple_of(89) {
        facts.error = Some(if number.is_multiple_of(2) { "stream_cut" } else { CLIENT_DISCONNECTED }.to_owned());
    }
    call
}

/// Every single filter costs a page, whatever the number of calls. `FULL_TESTS=1` writes 1,000,000 calls.
#[tokio::test]
async fn a_page_costs_the_same_among_any_number_of_calls() {
    let app = TestApp::start().await;
    let customer = app.customer("log", Money::from_usd(1_000)).await;
    let writer = Writer::new(&app, &customer);
    let (user, key) = (customer.account.user, customer.key);
    let filters = [
        "".to_owned(),
        "status=completed".to_owned(),
        "status=failed".to_owned(),
        "status=cancelled".to_owned(),
        "error_code=stream_cut".to_owned(),
        format!("api_key={key}"),
        format!("user={user}"),
        "end_user=user-7".to_owned(),
        "tag=team-3".to_owned(),
        "tag=rare".to_owned(),
        "model=m-1".to_owned(),
        "alias=rare-alias".to_owned(),
        "provider=p".to_owned(),
        "provider=rare-provider".to_owned(),
        "deployment=p/m".to_owned(),
        "deployment=rare-provider/rare-upstream".to_owned(),
    ];
    let operator = app.operator();
    list(&customer.person, &format!("{CALLS}?tag=none"), 1).await;
    list(&operator, &format!("{ADMIN_CALLS}?model=none"), 1).await;

    let start = Time::now().minus(Duration::from_secs(200 * 24 * 60 * 60));
    let (mut written, mut table) = (0, String::new());
    for size in [full_or(10_048, 1_280), full_or(1_000_000, 7_680)] {
        while written < size {
            // A lease every ten seconds.
            let now = start.plus(Duration::from_secs((written / WIDTH) as u64 * 10));
            let lease = writer.grant(&format!("m-{}", written / WIDTH % 3), now).await;
            let calls = (0..WIDTH).map(|index| {
                let number = written + index;
                let (slot, after_ms) = (index as u32 + 1, index as u64 * 150);
                labelled(call(&lease, slot, after_ms, &format!("user-{}", number % 1_000), &[]), number)
            });
            let (calls, mut log) = (calls.collect::<Vec<_>>(), ChargeLog::default());
            writer.append(&lease, &mut log, &calls).await;
            assert!(writer.close(&lease, &calls, now).await);
            written += WIDTH;
        }
        for filter in &filters {
            let mut line = format!("{filter} of {size}:");
            let of_org = app.costs(customer.person.get(&format!("{CALLS}?{filter}"))).await;
            let mut all = vec![("organization", of_org)];
            if !filter.contains("tag") && !filter.contains("end_user") {
                all.push(("all", app.costs(operator.get(&format!("{ADMIN_CALLS}?{filter}"))).await));
            }
            for (scope, costs) in all {
                line += &format!(" {scope} {} calls, {} units;", costs.calls(), costs.units());
                // Twenty calls that are in a lease each, of at most 6 units, and the rows of eight partitions.
                assert!(costs.units() <= 160.0, "{line}");
                assert!(costs.calls() <= 80, "{line}");
            }
            table += &format!("{line}\n");
        }
    }
    eprintln!("{table}");
    let found = list(&customer.person, &format!("{CALLS}?tag=rare"), 100).await;
    assert!(found.iter().all(|call| call["tags"].as_array().unwrap().contains(&"rare".into())));
    assert_eq!(found.len(), written.div_ceil(97));
}
