//! The rows that the closing of leases writes: each call is found once by each of its properties, also after a sweep, a late
//! charge, or an attempt to close the lease that has failed.

use std::sync::Arc;
use std::time::Duration;

use domain::call_facts::{CLIENT_DISCONNECTED, CallFacts, CallLabels, CallStatus};

use domain::call_log::{CallFilter, CallProperty};
use domain::catalog::Pricing;
use domain::id::TransactionId;
use domain::lease::{CallLimits, LONGEST_CALL, Lease, MAX_SLOTS, Payer};
use domain::ledger::{Charge, Spent};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::time::Time;
use store::leases::{ChargeLog, Grant, LeaseRequest};
use store::{CallLog, Leases};
use tests::TestApp;
use tests::gateway::{Customer, charge_of};

pub struct Writer {
    pub leases: Leases,
    pub log: CallLog,
    payer: Payer,
}

impl Writer {
    pub fn new(app: &TestApp, customer: &Customer) -> Self {
        let context = app.platform.context();
        let payer = Payer {
            org: customer.account.org,
            user: customer.account.user,
            key: Some(customer.key),
            is_exempt: false,
            limits: PlanLimits::default(),
        };
        Self { leases: Leases::new(&context).unwrap(), log: CallLog::new(&context).unwrap(), payer }
    }

    /// A new lease for as many calls as one can have.
    pub async fn grant(&self, model: &str, now: Time) -> Lease {
        let need = CallLimits { money: Money::from_pico_usd(7), tokens: 1, images: 0 };
        let request = LeaseRequest {
            need,
            typical: need,
            slots: MAX_SLOTS,
            least: 1,
            model: model.to_owned(),
            pricing: Pricing::default(),
            price_version: 1,
        };
        match self.leases.grant(&self.payer, &request, now).await.unwrap() {
            Grant::Granted(granted) => granted.lease,
            other => panic!("{other:?}"),
        }
    }

    /// Appends charges to the log of a lease.
    pub async fn append(&self, lease: &Lease, log: &mut ChargeLog, charges: &[Charge]) {
        let pending = |charge| Arc::new(self.leases.pending(charge, Money::from_pico_usd(7), None));
        let pending: Vec<_> = charges.iter().map(pending).collect();
        self.leases.append(lease, log, &pending).await.unwrap();
    }

    pub async fn close(&self, lease: &Lease, charges: &[Charge], now: Time) -> bool {
        let mut spent = Spent::default();
        charges.iter().for_each(|charge| spent.add(charge));
        self.leases.close(lease, &spent, charges, now).await.unwrap()
    }

    /// The ids of the calls that a filter of one property finds.
    pub async fn find(&self, property: CallProperty, now: Time) -> Vec<TransactionId> {
        self.list(&CallFilter { properties: vec![property], ..CallFilter::default() }, now).await
    }

    /// The ids of the organization's calls that a filter finds, in pages of three.
    pub async fn list(&self, filter: &CallFilter, now: Time) -> Vec<TransactionId> {
        let filter = CallFilter { orgs: vec![self.payer.org], ..filter.clone() };
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = self.log.list(&filter, 3, after, now).await.unwrap();
            found.extend(page.items.into_iter().map(|call| call.id));
            after = page.next;
            if after.is_none() {
                return found;
            }
        }
    }
}

/// A platform, and a lease of a customer of it.
async fn start(granted_at: Time) -> (TestApp, Writer, Lease) {
    let app = TestApp::start().await;
    let customer = app.customer("log", Money::from_usd(1)).await;
    let writer = Writer::new(&app, &customer);
    let lease = writer.grant("m", granted_at).await;
    (app, writer, lease)
}

/// A call of a lease with these labels, which ended some milliseconds after the grant.
pub fn call(lease: &Lease, slot: u32, after_ms: u64, end_user: &str, tags: &[String]) -> Charge {
    let created_at = lease.granted_at.plus(Duration::from_millis(after_ms));
    let facts = CallFacts {
        alias: None,
        upstream: "m".to_owned(),
        labels: CallLabels { end_user: Some(end_user.to_owned()), tags: tags.to_vec() },
        is_streamed: false,
        is_cached: false,
        is_batch: false,
        is_tool: false,
        started_at: lease.granted_at,
        first_ms: Some(after_ms),
        error: None,
        failed_attempts: Vec::new(),
        retention: None,
    };
    Charge { facts: Some(Box::new(facts)), ..charge_of(lease, slot, created_at) }
}

/// The calls of a lease. Each has ten tags of its own, so the rows do not fit one transaction.
fn many_labels(lease: &Lease) -> Vec<Charge> {
    let tags = |slot: u32| (0..10).map(|tag| format!("{slot}-{tag}")).collect::<Vec<_>>();
    let slots = 1..=lease.slots;
    slots.map(|slot| call(lease, slot, u64::from(slot) * 10, &format!("user-{}", slot % 7), &tags(slot))).collect()
}

fn tag(name: String) -> CallProperty {
    CallProperty::Tag(name)
}

/// Checks that each call is found once by each of its properties.
async fn check_all_found(writer: &Writer, charges: &[Charge], now: Time) {
    let newest_first: Vec<TransactionId> = charges.iter().rev().map(|charge| charge.id).collect();
    for property in [CallProperty::Model("m".to_owned()), CallProperty::Provider("p".to_owned())] {
        assert_eq!(writer.find(property.clone(), now).await, newest_first, "{property:?}");
    }
    for charge in charges {
        let facts = charge.facts.as_ref().unwrap();
        for name in &facts.labels.tags {
            assert_eq!(writer.find(tag(name.clone()), now).await, [charge.id], "{name}");
        }
    }
    let of_user = charges.iter().rev().filter(|charge| CallProperty::EndUser("user-3".to_owned()).is_of(charge));
    let of_user: Vec<TransactionId> = of_user.map(|charge| charge.id).collect();
    assert_eq!(writer.find(CallProperty::EndUser("user-3".to_owned()), now).await, of_user);
}

#[tokio::test]
async fn a_lease_with_more_rows_than_a_transaction_has_room_for_is_closed() {
    let now = Time::now();
    let (_app, writer, lease) = start(now).await;
    assert_eq!(lease.slots, MAX_SLOTS);
    let (charges, mut log) = (many_labels(&lease), ChargeLog::default());
    writer.append(&lease, &mut log, &charges).await;
    assert!(writer.close(&lease, &charges, now).await);
    check_all_found(&writer, &charges, now).await;
}

#[tokio::test]
async fn the_calls_of_a_lease_that_did_not_end_well_are_found_among_the_others() {
    let now = Time::now();
    let (_app, writer, lease) = start(now).await;
    let (mut charges, mut log) = (many_labels(&lease), ChargeLog::default());
    let mut broken = Vec::new();
    for (index, code) in [(3, "stream_cut"), (9, CLIENT_DISCONNECTED), (20, "stream_cut"), (33, CLIENT_DISCONNECTED)] {
        charges[index].facts.as_mut().unwrap().error = Some(code.to_owned());
        broken.insert(0, charges[index].id);
    }
    writer.append(&lease, &mut log, &charges).await;
    assert!(writer.close(&lease, &charges, now).await);
    for (status, expected) in
        [(CallStatus::Failed, [broken[1], broken[3]]), (CallStatus::Cancelled, [broken[0], broken[2]])]
    {
        let of_org = CallFilter { status: Some(status), ..CallFilter::default() };
        assert_eq!(writer.list(&of_org, now).await, expected, "{status:?}");
        let of_all = writer.log.list(&of_org, 10, None, now).await.unwrap().items;
        assert_eq!(of_all.iter().map(|call| call.id).collect::<Vec<_>>(), expected, "{status:?}");
    }
    let completed = CallFilter { status: Some(CallStatus::Completed), ..CallFilter::default() };
    assert_eq!(writer.list(&completed, now).await.len(), charges.len() - broken.len());
}

/// A call at the turn of a month is listed in the month of its lease, and ended in the next one.
#[tokio::test]
async fn a_call_at_the_turn_of_a_month_is_found_by_the_time_of_its_end() {
    // 2026-10-31T23:59:59Z.
    let granted_at = Time::from_millis(1_793_491_199_000);
    let (_app, writer, lease) = start(granted_at).await;
    let charges = [call(&lease, 1, 500, "u", &[]), call(&lease, 2, 2_000, "u", &[])];
    writer.append(&lease, &mut ChargeLog::default(), &charges).await;
    let first_of_month = Some(granted_at.plus(Duration::from_secs(1)));
    let now = granted_at.plus(Duration::from_secs(60));
    let after = CallFilter { from: first_of_month, ..CallFilter::default() };
    let before = CallFilter { to: first_of_month, ..CallFilter::default() };
    assert_eq!(writer.list(&after, now).await, [charges[1].id]);
    assert_eq!(writer.list(&before, now).await, [charges[0].id]);
}

/// A sweep that fails has written rows for the calls that it knew. They lead to the lease, and must not show its calls twice.
#[tokio::test]
async fn rows_of_an_attempt_that_failed_do_not_count() {
    let now = Time::now();
    let (_app, writer, lease) = start(now).await;
    let (charges, mut log) = (many_labels(&lease), ChargeLog::default());
    writer.append(&lease, &mut log, &charges[..40]).await;
    // A lease that is closed already refuses the transaction, as the void of a sweep does when the owner writes.
    let closed = writer.grant("m", now).await;
    assert!(writer.close(&closed, &[], now).await);
    assert!(!writer.close(&closed, &charges[..40], now).await);
    writer.append(&lease, &mut log, &charges[40..]).await;
    assert!(writer.close(&lease, &charges, now).await);
    check_all_found(&writer, &charges, now).await;
}

#[tokio::test]
async fn a_sweep_adds_the_calls_of_an_abandoned_lease_and_a_late_charge_adds_its_own() {
    let now = Time::now();
    let (_app, writer, lease) = start(now).await;
    let (mut charges, mut log) = (many_labels(&lease), ChargeLog::default());
    let late = charges.pop().unwrap();
    writer.append(&lease, &mut log, &charges).await;
    assert!(writer.find(tag("1-0".to_owned()), now).await.is_empty(), "the lease is open");
    let later = lease.expires_at.plus(LONGEST_CALL);
    writer.leases.sweep(lease.org, lease.id, later).await.unwrap();
    check_all_found(&writer, &charges, later).await;

    let pending = writer.leases.pending(&late, Money::ZERO, None);
    assert!(writer.leases.record_late(&lease, &pending).await.unwrap().is_some());
    charges.push(late);
    check_all_found(&writer, &charges, later).await;
}
