//! Leases are renewed ahead of need: at a steady rate, calls do not wait for a grant.

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use domain::call_facts::CallLabels;
use domain::catalog::Pricing;
use domain::lease::{CallLimits, Payer};
use domain::ledger::CallOrigin;
use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use futures::poll;
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, LeaseSlot, SlotRequest, Taken};
use tests::TestApp;
use tests::gateway::{Customer, ModelBuilder};

const CALLS: usize = 600;
const AN_HOUR: Duration = Duration::from_secs(3_600);

fn payer(customer: &Customer, limits: PlanLimits) -> Payer {
    let account = customer.account;
    Payer { org: account.org, user: account.user, key: Some(customer.key), is_exempt: false, limits }
}

/// Makes calls one after the other, and returns which of them waited for a grant.
async fn calls_that_wait(leases: &LeasePools, payer: &Payer) -> Vec<usize> {
    let pricing = Pricing { input_micro_usd: 10, ..Pricing::default() };
    let model = ModelBuilder::new("m").with(|model| model.pricing = pricing).build();
    let need = CallLimits { money: Money::from_pico_usd(100), tokens: 10, images: 0 };
    let mut waited = Vec::new();
    for call in 0..CALLS {
        let labels = CallLabels::default();
        let mut taking = pin!(leases.take(SlotRequest { payer, model: (&model).into(), need, labels: &labels }));
        let taken = match poll!(&mut taking) {
            Poll::Ready(taken) => taken,
            Poll::Pending => {
                waited.push(call);
                taking.await
            }
        };
        match taken.unwrap() {
            Taken::Slot(slot) => charge(slot).await,
            Taken::Short(shortage) => panic!("{shortage:?}"),
        }
    }
    waited
}

async fn charge(mut slot: LeaseSlot) {
    let counted = (Tokens { input: 5, ..Tokens::default() }, UsageSource::Provider);
    let usage = CallUsage::of_tokens(&CallOrigin::default(), None, Served::first("p", "m"), counted);
    let charge = slot.price_call(usage);
    slot.record(&charge).await.unwrap();
    slot.close_if_finished().await;
}

/// A pool learns its rate from leases of 1, 2, 4, 8 and 16 calls. Without renewal, one call in 64 waited after that too.
#[tokio::test]
async fn only_the_first_calls_of_a_steady_rate_wait_for_a_grant() {
    let app = TestApp::start().await;
    let credits = Money::from_usd(1_000);
    let customer = app.customer("steady", credits).await;
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    let waited = calls_that_wait(&leases, &payer(&customer, PlanLimits::default())).await;
    // The midnight of UTC ends a lease, and a very slow machine uses one up before the next is granted.
    let late = waited.iter().filter(|call| **call >= 31).count();
    assert!(late <= 1, "{waited:?}");
    assert_eq!(waited[..5], [0, 1, 3, 7, 15]);
    // What was granted ahead is given back.
    app.platform.tick(Time::now().plus(AN_HOUR)).await.unwrap();
    let (charged, calls) = app.sum_charges(customer.account.org).await;
    assert_eq!((app.balance(customer.account.org).await + charged, calls), (credits, CALLS));
}

/// Near a limit, a lease covers few calls, and each grant has a call that waits for it.
#[tokio::test]
async fn nothing_is_granted_ahead_near_a_limit() {
    let app = TestApp::start().await;
    let customer = app.customer("near", Money::from_usd(1_000)).await;
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    // A lease takes at most a hundredth of what is left of a limit: 15 calls, then fewer.
    let limits = PlanLimits { org: Limits { rpd: Some(1_500), ..Limits::NONE }, ..PlanLimits::default() };
    app.recorder.take();
    let waited = calls_that_wait(&leases, &payer(&customer, limits)).await;
    let grants = app.recorder.take().into_iter().filter(|call| call.operation == "BatchGetItem").count();
    assert_eq!(grants, waited.len(), "{waited:?}");
}
