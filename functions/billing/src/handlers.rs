//! HTTP handlers: one function for each route.

use axum::Json;
use axum::extract::State;
use domain::id::UserId;
use domain::identity::Role;
use domain::lease::month;
use domain::time::Time;
use domain::usd::Usd;
use shared::auth::Caller;
use shared::http::cursor::Cursors;
use shared::http::gateway::{SpendingCapOut, TotalsOut, TransactionsOut, month_of};
use shared::http::openai::{ErrorResponses, Person, Query, Result};
use shared::store::leases::BillingStatement;
use shared::store::ledger::EntryFilter;
use shared::store::meters::MeterOwner;

use crate::Stores;
use crate::dto::{BalanceOut, EventOut, TransactionsQuery, UsageOut, UsageQuery};

const TRANSACTIONS: Cursors = Cursors("transactions");

/// Read the balance
///
/// Returns the organization's remaining credits, the spending caps that apply to the caller, and the usage of the
/// current month.
#[utoipa::path(
    get, path = "/gateway/v1/billing/balance", tag = "billing",
    responses((status = 200, description = "The balance", body = BalanceOut), ErrorResponses),
)]
pub async fn get_balance(State(stores): State<Stores>, person: Person) -> Result<Json<BalanceOut>> {
    let (org, now) = (person.caller.org, person.caller.at);
    let (statement, caps, last) = futures::try_join!(
        stores.leases.statement(org, month(now)),
        spending_caps(&stores, &person, now),
        stores.ledger.last(org, only_user(&person.caller), now),
    )?;
    let BillingStatement { meter, balance, usage } = statement;
    let is_billing_exempt = person.caller.plan.is_billing_exempt;
    Ok(Json(BalanceOut {
        credits_remaining: (!is_billing_exempt).then(|| Usd::from(balance)),
        initial_credits: meter.initial_credits().into(),
        spending_caps: caps,
        usage_this_month: usage.total().into(),
        last_event: last.map(EventOut::from),
        is_billing_exempt,
    }))
}

async fn spending_caps(stores: &Stores, person: &Person, now: Time) -> domain::Result<Vec<SpendingCapOut>> {
    let account = person.caller.account();
    let mut of = vec![
        (MeterOwner::Org(account.org), account.org.to_string()),
        (MeterOwner::User(account), account.user.to_string()),
    ];
    of.extend(person.key.as_ref().map(|key| (MeterOwner::Key(key.id), key.id.to_string())));
    let meters = stores.meters.read(&of.iter().map(|(of, _)| *of).collect::<Vec<_>>()).await?;
    let caps = of.into_iter().zip(meters).filter_map(|((of, id), meter)| {
        let level = of.level();
        Some(SpendingCapOut::new(level.as_str(), id, meter.cap()?, meter.spent(level, now)))
    });
    Ok(caps.collect())
}

/// Read the usage
///
/// Returns the organization's usage in a month by model, API key and day, and for administrators also by user. Members
/// see only their own keys.
#[utoipa::path(
    get, path = "/gateway/v1/billing/usage", tag = "billing", params(UsageQuery),
    responses((status = 200, description = "The usage of the month", body = UsageOut), ErrorResponses),
)]
pub async fn get_usage(
    State(stores): State<Stores>,
    person: Person,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageOut>> {
    let month = month_of(query.period.as_deref(), month(person.caller.at))?;
    let statement = stores.leases.statement(person.caller.org, month).await?;
    Ok(Json(UsageOut::new(month, &statement.usage, only_user(&person.caller))))
}

/// List transactions
///
/// Returns the credit transactions of a month, newest first, and their totals. Administrators see all transactions of
/// the organization, members only those of their own calls. A page can have fewer items than `limit` although more
/// pages follow.
#[utoipa::path(
    get, path = "/gateway/v1/billing/transactions", tag = "billing", params(TransactionsQuery),
    responses((status = 200, description = "A page of transactions", body = TransactionsOut), ErrorResponses),
)]
pub async fn list_transactions(
    State(stores): State<Stores>,
    person: Person,
    Query(query): Query<TransactionsQuery>,
) -> Result<TransactionsOut> {
    let TransactionsQuery { period, kind, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(person.caller.at))?;
    let after = TRANSACTIONS.read(cursor.as_deref())?;
    let (org, user) = (person.caller.org, only_user(&person.caller));
    let filter = EntryFilter { kind: kind.map(Into::into), user };
    let (slice, BillingStatement { usage, .. }) =
        futures::try_join!(stores.ledger.list(org, month, filter, limit, after), stores.leases.statement(org, month),)?;
    let totals = user.map_or_else(|| TotalsOut::of_org(&usage), |user| TotalsOut::of_user(&usage, user));
    Ok(TransactionsOut::new(slice, TRANSACTIONS, totals))
}

/// Returns the user whose entries the caller may see, or `None` for administrators, who see all users.
fn only_user(caller: &Caller) -> Option<UserId> {
    match caller.role {
        Role::Admin | Role::Operator => None,
        Role::Member => Some(caller.user),
    }
}
