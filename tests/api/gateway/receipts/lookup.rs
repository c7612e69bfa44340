//! Which receipt a name means, who may read it, and what the search costs.

use std::sync::Arc;
use std::time::Duration;

use domain::catalog::Pricing;
use domain::id::{LeaseId, TransactionId};
use domain::identity::{Account, Org, Plan, Role};
use domain::lease::{CallLimits, Lease, MAX_SLOTS};
use domain::ledger::Charge;
use domain::money::Money;
use domain::receipt::ReceiptName;
use domain::time::Time;
use reqwest::Method;
use serde_json::{Value, json};
use store::leases::ChargeLog;
use store::{Identities, Leases, Ledger};
use tests::client::send;
use tests::gateway::charge_of;
use tests::scale::full_or;
use uuid::Uuid;

use super::super::chat;
use super::*;

fn assert_missing(answer: &Answer) {
    assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "receipt_not_found"), "{}", answer.text);
}

/// The error without the id of the request, which differs in each response.
fn without_request_id(answer: &Answer) -> Value {
    let mut error = answer.json["error"].clone();
    error.as_object_mut().unwrap().shift_remove("request_id").unwrap();
    error
}

#[tokio::test]
async fn a_receipt_is_found_by_transaction_completion_and_request() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let called = [chat(&ada, "dev-chat").await, chat(&ada, "dev-chat").await, chat(&ada, "dev-chat").await];
    for call in &called {
        let by_completion = receipt(&ada, call.json["id"].as_str().unwrap()).await;
        let by_request = receipt(&ada, call.header("x-request-id").unwrap()).await;
        assert_eq!(by_completion.json["receipt"]["request_id"].as_str(), call.header("x-request-id"));
        assert_eq!(by_request.text, by_completion.text);
        let transaction = by_request.json["receipt"]["transaction_id"].as_str().unwrap();
        assert_eq!(receipt(&ada, transaction).await.text, by_request.text);
    }
    // The id of a stream is created before its charge.
    let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}], "stream": true});
    let streamed = ada.post_json("/gateway/v1/chat/completions", body).await;
    let by_request = receipt(&ada, streamed.header("x-request-id").unwrap()).await;
    assert_eq!(by_request.json["receipt"]["request_id"].as_str(), streamed.header("x-request-id"));
}

#[tokio::test]
async fn the_request_id_of_a_client_is_no_name_unless_it_holds_the_time() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}]});
    let call_as = async |id: &str| {
        let call = ada.request(Method::POST, "/gateway/v1/chat/completions").header("x-request-id", id);
        let called = send(call.json(&body)).await;
        assert_eq!((called.status.as_str(), called.header("x-request-id")), ("200 OK", Some(id)));
        called.json["id"].as_str().unwrap().to_owned()
    };
    let completion = call_as("trace-7").await;
    assert_missing(&receipt(&ada, "trace-7").await);
    let found = receipt(&ada, &completion).await;
    assert_eq!(found.json["receipt"]["request_id"], "trace-7");

    let own = format!("req_{}", Uuid::now_v7().simple());
    let (oldest, _) = (call_as(&own).await, call_as(&own).await);
    assert_eq!(receipt(&ada, &own).await.text, receipt(&ada, &oldest).await.text);
    // An id of the future is not searched in vain.
    let later = Time::now().plus(Duration::from_secs(40 * 24 * 60 * 60)).first_uuid();
    call_as(&format!("req_{}", later.simple())).await;
    assert_missing(&receipt(&ada, &format!("req_{}", later.simple())).await);
}

#[tokio::test]
async fn members_read_the_receipts_of_their_own_calls_and_administrators_all() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.key_client("ada"), app.key_client("bob"), app.key_client("eve"));
    let (of_ada, of_bob) = (chat(&ada, "dev-chat").await, chat(&bob, "dev-chat").await);
    let names =
        |call: &Answer| [call.json["id"].as_str().unwrap(), call.header("x-request-id").unwrap()].map(str::to_owned);
    for name in names(&of_bob) {
        assert_eq!(receipt(&ada, &name).await.text, receipt(&bob, &name).await.text);
        assert_eq!(receipt(&app.person("bob"), &name).await.status, "200 OK", "with an access token too");
    }
    let unknown = [
        format!("txn_{}", Uuid::now_v7().simple()),
        format!("req_{}", Uuid::now_v7().simple()),
        "txn_1".to_owned(),
        "trace-7".to_owned(),
        "%ff".to_owned(),
    ];
    let mut errors = Vec::new();
    for name in &unknown {
        errors.push(receipt(&bob, name).await);
    }
    for name in names(&of_ada) {
        errors.push(receipt(&bob, &name).await);
        errors.push(receipt(&eve, &name).await);
        errors.push(receipt(&app.person_of("eve", "initech", Role::Operator), &name).await);
        let refused = receipt(&app.anonymous(), &name).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("401 Unauthorized", "identity.invalid_token"));
    }
    for error in &errors {
        assert_missing(error);
        assert_eq!(without_request_id(error), without_request_id(&errors[0]));
    }
    let refused = receipt(&ada, &format!("{}?period=2026-01", names(&of_ada)[0])).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"));
}

#[tokio::test]
async fn a_request_has_the_receipt_of_its_call_and_not_of_its_evaluation() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}], "guard": true});
    let called = ada.post_json("/gateway/v1/chat/completions", body).await;
    assert_eq!(called.status, "200 OK", "{}", called.text);
    app.platform.drain().await;
    let charges = app.charges(app.account("ada").org).await;
    let hashes: Vec<String> = charges.iter().filter_map(|charge| charge.body_hash.clone()).collect();
    assert_eq!((charges.len(), hashes[0].as_str()), (2, format!("guard:{}", hashes[1]).as_str()));
    assert_eq!(charges[0].request_id, charges[1].request_id);

    let of_call = receipt(&ada, &charges[0].request_id).await;
    assert_eq!(of_call.json["receipt"]["transaction_id"], charges[1].id.to_string());
    let of_evaluation = receipt(&ada, &charges[0].id.to_string()).await;
    assert_eq!(of_evaluation.json["receipt"]["request_hash"], hashes[0]);
    assert!(is_valid(&of_evaluation, &key_set(&app).await));
}

#[tokio::test]
async fn a_call_that_no_credits_paid_has_no_receipt() {
    let app = TestApp::start().await;
    let identities = Identities::new(&app.platform.context()).unwrap();
    let plan = Plan { id: "internal".to_owned(), is_billing_exempt: true, ..local::seed::default_plan() };
    identities.add_plan(&plan).await.unwrap();
    let customer = app.customer("internal", Money::ZERO).await;
    let found = identities.find(customer.account.org, customer.account.user).await.unwrap().unwrap();
    identities.put_org(&Org { plan: plan.id, ..found.org }).await.unwrap();
    let called = chat(&customer.person, "dev-chat").await;
    assert_missing(&receipt(&customer.person, called.json["id"].as_str().unwrap()).await);
    assert_eq!(key_set(&app).await, json!({"keys": []}), "no key was created for it");
}

#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let called = chat(&ada, "dev-chat").await;
    let completion = called.json["id"].as_str().unwrap();
    // The first request also reads the state of maintenance.
    assert_missing(&receipt(&ada, "trace-7").await);
    let first = app.costs(receipt(&ada, completion)).await.to_string();
    let next = app.costs(receipt(&ada, completion)).await.to_string();
    let by_request = app.costs(receipt(&ada, called.header("x-request-id").unwrap())).await.to_string();
    let keys = app.costs(app.anonymous().get(KEYS)).await.to_string();
    let operator = app.operator();
    assert_eq!(operator.post(ROTATE).await.status, "201 Created");
    let rotate = app.costs(operator.post(ROTATE)).await.to_string();
    insta::assert_snapshot!(
        format!("first: {first}\nnext: {next}\nby request: {by_request}\nkeys: {keys}\nrotate: {rotate}"), @r"
    first: 1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (1 units), 1 dynamodb:Query (0.5 units), 1 kms:Decrypt, 1 kms:GenerateDataKey
    next: 1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (0.5 units)
    by request: 1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (0.5 units)
    keys: 1 dynamodb:GetItem (1 units)
    rotate: 2 dynamodb:BatchGetItem (6 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (13 units)
    ");
}

/// Writes charges of the same time, each in a row of its own.
async fn write_charges(app: &TestApp, account: Account, granted_at: Time, created_at: &[Time]) -> Vec<Charge> {
    let leases = Leases::new(&app.platform.context()).unwrap();
    let mut charges = Vec::new();
    for times in created_at.chunks(MAX_SLOTS as usize) {
        let lease = Lease {
            id: LeaseId::new(),
            org: account.org,
            user: account.user,
            key: None,
            is_exempt: false,
            model: "m".to_owned(),
            pricing: Pricing::default(),
            price_version: 1,
            unit: CallLimits { money: Money::from_usd(1), tokens: 1, images: 0 },
            slots: MAX_SLOTS,
            counted: Vec::new(),
            granted_at,
            admits_until: granted_at,
            expires_at: granted_at,
        };
        let mut log = ChargeLog::default();
        for (slot, created_at) in (1..).zip(times) {
            let charge = charge(&lease, slot, *created_at);
            let pending = Arc::new(leases.pending(&charge, Money::from_usd(1), None));
            leases.append(&lease, &mut log, &[pending]).await.unwrap();
            charges.push(charge);
        }
    }
    charges
}

fn charge(lease: &Lease, slot: u32, created_at: Time) -> Charge {
    let random = Uuid::now_v7().as_u128() & (u128::MAX >> 66);
    let id = |at: Time| Uuid::from_u128(at.first_uuid().as_u128() | random);
    Charge {
        id: TransactionId::from(id(created_at)),
        request_id: format!("req_{}", id(created_at.minus(Duration::from_secs(2))).simple()),
        ..charge_of(lease, slot, created_at)
    }
}

fn by_request(charge: &Charge) -> ReceiptName {
    charge.request_id.parse().unwrap()
}

/// A transaction is found in one query, whatever was charged before and after it. The search for a request goes through the
/// calls that were charged while it was in flight, as far as its bound.
#[tokio::test]
async fn the_search_does_not_grow_with_the_ledger() {
    let app = TestApp::start().await;
    let account = app.account("ada");
    let start = Time::from_millis(1_790_000_000_000);
    // Five calls a second, or 1,500 a second, so that more rows than the bound lie between a request and its charge.
    let (count, per_s) = (full_or(4_500, 100), full_or(1_500, 5));
    let at = |index: usize| start.plus(Duration::from_micros((index * 1_000_000 / per_s) as u64));
    let times: Vec<Time> = (0..count).map(at).collect();
    let charges = write_charges(&app, account, start, &times).await;

    let ledger = Ledger::new(&app.platform.context()).unwrap();
    for index in [0, count / 2, count - 1] {
        app.recorder.take();
        let name = ReceiptName::Transaction(charges[index].id);
        let found = ledger.find_charge(account.org, None, name).await.unwrap();
        let queries = app.recorder.take().len();
        assert_eq!(found.as_ref(), Some(&charges[index]));
        assert!(queries <= full_or(2, 1), "{queries}");

        let found = ledger.find_charge(account.org, None, by_request(&charges[index])).await.unwrap();
        let queries = app.recorder.take().len();
        let rows_before = (index + 1).min(2 * per_s);
        assert_eq!(found.is_some(), rows_before < 2_000, "after {rows_before} rows");
        assert!(queries <= 6, "{queries}");
    }
}

/// A charge is listed in the month of its lease, at the time at which its call ended.
#[tokio::test]
async fn a_call_at_the_turn_of_a_month_is_found() {
    let app = TestApp::start().await;
    let account = app.account("ada");
    // 2026-10-31T23:59:59Z.
    let granted_at = Time::from_millis(1_793_491_199_000);
    let times = [0, 500, 1_000, 1_500, 320_000].map(|ms| granted_at.plus(Duration::from_millis(ms)));
    let mut charges = write_charges(&app, account, granted_at, &times).await;
    let first_of_month = granted_at.plus(Duration::from_secs(1));
    charges.extend(write_charges(&app, account, first_of_month, &[first_of_month]).await);
    let ledger = Ledger::new(&app.platform.context()).unwrap();
    for charge in charges {
        for name in [ReceiptName::Transaction(charge.id), by_request(&charge)] {
            let found = ledger.find_charge(account.org, Some(account.user), name).await.unwrap();
            assert_eq!(found, Some(charge.clone()), "{name:?}");
        }
    }
}
