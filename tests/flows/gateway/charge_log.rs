//! The charge log of a lease: charges that wait while a record is written share the next one.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::call_facts::CallLabels;
use domain::catalog::Pricing;
use domain::id::TransactionId;
use domain::lease::{CallLimits, Payer};
use domain::ledger::{CallOrigin, Charge};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use futures::future::join_all;
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, LeaseSlot, SlotRequest, Taken};
use serde_json::json;
use store::Claims;
use store::claims::{Claim, ClaimState, StoredAnswer};
use store::leases::{CallEnd, Grant, LeaseRequest};
use store::ledger::EntryFilter;
use store::stored_text::StoredText;
use tables::item::to_item;
use tests::TestApp;
use tests::gateway::{Customer, ModelBuilder};

const TRANSACTIONS: &str = "/gateway/v1/billing/transactions";
const AN_HOUR: Duration = Duration::from_secs(3_600);

/// Each call reserves this amount, and costs a part of it.
const RESERVED: Money = Money::from_pico_usd(1_000);

fn payer(customer: &Customer) -> Payer {
    let account = customer.account;
    Payer {
        org: account.org,
        user: account.user,
        key: Some(customer.key),
        is_exempt: false,
        limits: PlanLimits::default(),
    }
}

async fn take(leases: &LeasePools, customer: &Customer) -> LeaseSlot {
    let pricing = Pricing { input_micro_usd: 10, ..Pricing::default() };
    let model = ModelBuilder::new("m").with(|model| model.pricing = pricing).build();
    let need = CallLimits { money: RESERVED, tokens: 100, images: 0 };
    let (payer, labels) = (payer(customer), CallLabels::default());
    match leases.take(SlotRequest { payer: &payer, model: (&model).into(), need, labels: &labels }).await.unwrap() {
        Taken::Slot(slot) => slot,
        Taken::Short(shortage) => panic!("{shortage:?}"),
    }
}

/// The charge of a call with this number of input tokens.
fn charge(slot: &LeaseSlot, input: u64) -> Charge {
    let call = CallOrigin {
        request_id: format!("req_{}", uuid::Uuid::now_v7().simple()),
        body_hash: "L2rN4zEF8Z4DpDEqQeZpFg".to_owned(),
        ..CallOrigin::default()
    };
    let counted = (Tokens { input, ..Tokens::default() }, UsageSource::Provider);
    slot.price_call(CallUsage::of_tokens(&call, None, Served::first("p", "m"), counted))
}

/// The slots of one new lease for this number of calls, a power of two.
async fn slots_of_one_lease(leases: &LeasePools, customer: &Customer, count: usize) -> Vec<LeaseSlot> {
    // A pool doubles its leases while they are used up: 1 + 2 + 4 … calls come before this lease.
    for _ in 0..count - 1 {
        let mut slot = take(leases, customer).await;
        let charge = charge(&slot, 1);
        slot.record(&charge).await.unwrap();
        slot.close_if_finished().await;
    }
    let mut slots = Vec::new();
    for _ in 0..count {
        slots.push(take(leases, customer).await);
    }
    assert!(slots.iter().all(|slot| slot.lease() == slots[0].lease()), "one lease for all calls");
    slots
}

/// Records all charges at once. The first write begins before the others can join it.
async fn record_at_once(slots: &mut [LeaseSlot]) -> Vec<Charge> {
    let charges: Vec<Charge> = slots.iter().zip(1..).map(|(slot, input)| charge(slot, input)).collect();
    let recorded = join_all(slots.iter_mut().zip(&charges).map(|(slot, charge)| slot.record(charge))).await;
    assert!(recorded.iter().all(Result::is_ok), "{recorded:?}");
    charges
}

/// A single charge costs two units: one for the record, one for its index.
#[tokio::test]
async fn charges_at_once_share_the_units_of_a_record() {
    let (app, gate) = TestApp::start_gated().await;
    let customer = app.customer("busy", Money::from_usd(1_000)).await;
    let mut costs = Vec::new();
    for count in [1, 16, 64] {
        let leases = LeasePools::new(&app.platform.new_environment_context()).unwrap();
        let mut slots = slots_of_one_lease(&leases, &customer, count).await;
        app.recorder.take();
        let held = gate.hold("PutItem");
        let release = async { held.arrived().await.send(()).unwrap() };
        futures::join!(record_at_once(&mut slots), release);
        // A lease that is granted ahead of need makes other calls.
        let puts = app.recorder.take().into_iter().filter(|call| call.operation == "PutItem");
        let units: Vec<f64> = puts.map(|call| call.units).collect();
        costs.push((count, units));
    }
    // The first record has one charge, and the second one all others: 0.38 units for each of 16 charges, 0.22 for each of 64.
    assert_eq!(costs, [(1, vec![2.0]), (16, vec![2.0, 4.0]), (64, vec![2.0, 12.0])]);
}

#[tokio::test]
async fn the_charges_of_a_record_are_listed_newest_first_in_pages_of_any_size() {
    let app = TestApp::start().await;
    let customer = app.customer("paged", Money::from_usd(1_000)).await;
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    // Two leases, whose charges are created in turns, and recorded in two records each.
    let other = LeasePools::new(&app.platform.new_environment_context()).unwrap();
    let mut slots = slots_of_one_lease(&leases, &customer, 8).await;
    let mut other_slots = slots_of_one_lease(&other, &customer, 8).await;
    let mut charges = app.charges(customer.account.org).await;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (slot, other) in slots.iter().zip(&other_slots) {
        own.push(charge(slot, 7));
        others.push(charge(other, 9));
    }
    charges.extend(own.iter().chain(&others).cloned());
    for (slots, charges) in [(&mut slots, &own), (&mut other_slots, &others)] {
        let recorded = join_all(slots.iter_mut().zip(charges).map(|(slot, charge)| slot.record(charge))).await;
        assert!(recorded.iter().all(Result::is_ok), "{recorded:?}");
    }
    charges.sort_by_key(|charge| std::cmp::Reverse((charge.created_at, charge.id)));
    let newest_first: Vec<TransactionId> = charges.iter().map(|charge| charge.id).collect();
    assert_eq!(newest_first.len(), 2 * (7 + 8));

    let all = app.charges(customer.account.org).await;
    assert_eq!(all.iter().map(|charge| charge.id).collect::<Vec<_>>(), newest_first);
    assert_eq!(all[0], charges[0], "a charge is read as it was written");
    let totals = customer.person.get(TRANSACTIONS).await.json["totals"].clone();
    for (limit, filter) in
        [1, 2, 3, 5, 29, 30, 31, 100].into_iter().flat_map(|limit| [(limit, ""), (limit, "&kind=debit")])
    {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = customer.person.get(&format!("{TRANSACTIONS}?limit={limit}{filter}{cursor}")).await;
            assert!(page.column("id").len() <= limit, "{}", page.text);
            ids.extend(page.column("id").into_iter().map(|id| id.parse::<TransactionId>().unwrap()));
            assert_eq!(page.json["totals"], totals, "the totals do not depend on the page");
            let Some(next) = page.json["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        // Without a filter, the oldest entry is the credit.
        ids.truncate(newest_first.len());
        assert_eq!(ids, newest_first, "{limit}{filter}");
    }
    // The list of one user is read in larger steps, and gives the same pages.
    let ledger = store::Ledger::new(&app.platform.context()).unwrap();
    let filter = EntryFilter { kind: None, user: Some(customer.account.user) };
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let month = domain::lease::month(Time::now());
        let page = ledger.list(customer.account.org, month, filter, 4, after).await.unwrap();
        ids.extend(page.items.iter().map(domain::ledger::LedgerEntry::id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(ids, newest_first);
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
}

/// Calls with an `Idempotency-Key` share transactions. One of them was taken over, which does not fail the others.
#[tokio::test]
async fn charges_with_answers_share_a_transaction_and_one_that_was_taken_over_is_left_out() {
    const CALLS: usize = 8;
    const TAKEN_OVER: usize = 5;
    let (app, gate) = TestApp::start_gated().await;
    let customer = app.customer("keyed", Money::from_usd(1_000)).await;
    let claims = Claims::new(&app.platform.context()).unwrap();
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    let mut slots = slots_of_one_lease(&leases, &customer, CALLS).await;
    let warmed = app.sum_charges(customer.account.org).await.1;
    let key = |call: usize| format!("key-{call}");
    let mut owned = Vec::new();
    for call in 0..CALLS {
        owned.push(claim(&claims, &customer, &key(call), Time::now()).await);
    }
    let _successor = claim(&claims, &customer, &key(TAKEN_OVER), Time::now().plus(AN_HOUR)).await;
    app.recorder.take();
    let answer = StoredAnswer { content_type: "text/plain".to_owned(), body: StoredText::from("Yes.") };
    let charges: Vec<Charge> = slots.iter().map(|slot| charge(slot, 3)).collect();
    let recorded = slots.iter_mut().zip(&charges).zip(&owned);
    let recorded = recorded.map(|((slot, charge), claim)| slot.record_once(charge, CallEnd::Answer(claim, &answer)));
    let held = gate.hold("TransactWriteItems");
    let release = async { held.arrived().await.send(()).unwrap() };
    let (recorded, ()) = futures::join!(join_all(recorded), release);
    for (call, outcome) in recorded.into_iter().enumerate() {
        assert_eq!(outcome.unwrap(), call != TAKEN_OVER, "call {call}");
    }
    // The first one alone, all others, and the others without the one that was taken over.
    assert_eq!(app.recorder.take_costs().calls(), 3);
    slots[TAKEN_OVER].put_back();
    assert_eq!(app.sum_charges(customer.account.org).await.1 - warmed, CALLS - 1);
    for call in (0..CALLS).filter(|call| *call != TAKEN_OVER) {
        let replayed = claims.claim(customer.account, &key(call), "hash", Time::now()).await.unwrap();
        assert!(matches!(replayed, ClaimState::Answered(stored) if stored == answer), "call {call}");
    }
}

async fn claim(claims: &Claims, customer: &Customer, key: &str, now: Time) -> Claim {
    match claims.claim(customer.account, key, "hash", now).await.unwrap() {
        ClaimState::Claimed(claim) => claim,
        other => panic!("{other:?}"),
    }
}

/// A process of the version before has an open lease of three calls during an upgrade. Two have charges, each in its own row.
#[tokio::test]
async fn a_lease_of_the_version_before_is_read_and_swept() {
    let app = TestApp::start().await;
    let credits = Money::from_usd(1_000);
    let customer = app.customer("upgraded", credits).await;
    let leases = store::Leases::new(&app.platform.context()).unwrap();
    let need = CallLimits { money: RESERVED, tokens: 100, images: 0 };
    let request = LeaseRequest {
        need,
        typical: need,
        slots: 3,
        least: 1,
        model: "m".to_owned(),
        pricing: Pricing { input_micro_usd: 10, ..Pricing::default() },
        price_version: 1,
    };
    let lease = match leases.grant(&payer(&customer), &request, Time::now()).await.unwrap() {
        Grant::Granted(granted) => granted.lease,
        other => panic!("{other:?}"),
    };
    let row = |slot: u32| {
        let (id, now) = (TransactionId::new(), Time::now());
        to_item(&json!({
            "pk": format!("LEASE#{}", lease.id),
            "sk": format!("SLOT#{slot:02}"),
            "slot": {"charge": {
                "id": id, "lease": lease.id, "slot": slot, "org": lease.org, "user": lease.user, "key": lease.key,
                "model": "m", "price_version": 1, "cost": 70, "charged": 70,
                "tokens": {"input": 7, "cached": 0, "output": 0, "reasoning": 0}, "images": 0, "source": "provider",
                "provider": "p", "request_id": format!("old-{slot}"), "retry_of": null, "body_hash": "h",
                "created_at": now,
            }},
            "listed_in": format!("LEDGER#{}#{}", lease.org, domain::lease::month(now)),
            "listed_at": format!("{now}#{id}"),
            "expires_at": now.as_seconds() + 400 * 24 * 60 * 60,
        }))
    };
    let dynamodb = app.platform.context().aws.dynamodb();
    for slot in [1, 2] {
        dynamodb.put_item().table_name("JournalTable").set_item(Some(row(slot))).send().await.unwrap();
    }
    let spent = Money::from_pico_usd(140);
    assert_eq!(app.balance(lease.org).await, credits.less(spent));
    let listed = customer.person.get(TRANSACTIONS).await;
    assert_eq!(listed.column("request_id")[..2], ["old-2", "old-1"]);
    assert_eq!(app.sum_charges(lease.org).await, (spent, 2));

    app.platform.tick(Time::now().plus(AN_HOUR)).await.unwrap();
    assert_eq!(app.balance(lease.org).await, credits.less(spent));
    assert_eq!(app.usage(lease.org).await.total().charged, spent);
    // The old process wakes up, and writes its last charge as before: on condition that its slot is empty.
    let late = dynamodb.put_item().table_name("JournalTable").set_item(Some(row(3)));
    let refused = late.condition_expression("attribute_not_exists(pk)").send().await.unwrap_err();
    assert!(refused.into_service_error().is_conditional_check_failed_exception());
    let void =
        dynamodb.get_item().table_name("JournalTable").key("pk", AttributeValue::S(format!("LEASE#{}", lease.id)));
    let void = void.key("sk", AttributeValue::S("SLOT#03".to_owned())).send().await.unwrap().item.unwrap();
    assert_eq!(void["slot"], AttributeValue::S("void".to_owned()), "where the old process looks for it");
}
