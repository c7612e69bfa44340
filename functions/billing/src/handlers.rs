//! One function a route.

use axum::Json;
use axum::extract::State;
use shared::auth;
use shared::domain::identity::{Account, Role};
use shared::domain::lease::month;
use shared::domain::time::Time;
use shared::http::cursor::Cursors;
use shared::http::gateway::{SpendingCapOut, TotalsOut, TransactionsOut, month_of};
use shared::http::openai::{ApiCaller, Query, Refused, Result};
use shared::http::usd::Usd;
use shared::store::meters::MeterOf;

use crate::Stores;
use crate::dto::{BalanceOut, EventOut, TransactionsQuery, UsageOut, UsageQuery};

const TRANSACTIONS: Cursors = Cursors("transactions");

/// Read the balance
///
/// What the organization has left, what it and the caller are held to, and what this month came to.
#[utoipa::path(
    get, path = "/gateway/v1/billing/balance", tag = "billing", security(("bearer" = [])),
    responses((status = 200, description = "The balance", body = BalanceOut), Refused),
)]
pub async fn get_balance(State(stores): State<Stores>, ApiCaller(caller): ApiCaller) -> Result<Json<BalanceOut>> {
    let (org, now) = (caller.caller.org, Time::now());
    let (standing, caps, usage, last) = futures::try_join!(
        stores.leases.standing(org),
        spending_caps(&stores, &caller, now),
        stores.usage.of_month(org, month(now)),
        stores.ledger.last(org, now),
    )?;
    let (meter, credits) = standing;
    let is_billing_exempt = caller.caller.plan.is_billing_exempt;
    Ok(Json(BalanceOut {
        credits_remaining: (!is_billing_exempt).then(|| Usd::from(credits)),
        initial_credits: meter.initial_credits().into(),
        spending_caps: caps,
        usage_this_month: usage.total().into(),
        last_event: last.map(EventOut::from),
        is_billing_exempt,
    }))
}

async fn spending_caps(stores: &Stores, caller: &auth::ApiCaller, now: Time) -> shared::Result<Vec<SpendingCapOut>> {
    let Account { org, user } = caller.caller.account();
    let key = caller.key.id;
    let of = [MeterOf::Org(org), MeterOf::User(Account { org, user }), MeterOf::Key(key)];
    let ids = [org.to_string(), user.to_string(), key.to_string()];
    let meters = stores.meters.read(&of).await?;
    let caps = of.into_iter().zip(ids).zip(meters).filter_map(|((of, id), meter)| {
        let level = of.level();
        Some(SpendingCapOut::new(level.as_str(), id, meter.cap()?, meter.spent(level, now)))
    });
    Ok(caps.collect())
}

/// Read the usage
///
/// What the organization used in a month, by model, key and day; by user for administrators.
#[utoipa::path(
    get, path = "/gateway/v1/billing/usage", tag = "billing", params(UsageQuery), security(("bearer" = [])),
    responses((status = 200, description = "The month", body = UsageOut), Refused),
)]
pub async fn get_usage(
    State(stores): State<Stores>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageOut>> {
    let month = month_of(query.period.as_deref(), month(Time::now()))?;
    let usage = stores.usage.of_month(caller.caller.org, month).await?;
    let with_users = matches!(caller.caller.role, Role::Admin | Role::Operator);
    Ok(Json(UsageOut::new(month, &usage, with_users)))
}

/// List transactions
///
/// The organization's movements of credits in a month, newest first, and the totals of all of them.
#[utoipa::path(
    get, path = "/gateway/v1/billing/transactions", tag = "billing", params(TransactionsQuery),
    security(("bearer" = [])),
    responses((status = 200, description = "Some transactions", body = TransactionsOut), Refused),
)]
pub async fn list_transactions(
    State(stores): State<Stores>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<TransactionsQuery>,
) -> Result<TransactionsOut> {
    let TransactionsQuery { period, kind, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(Time::now()))?;
    let after = TRANSACTIONS.read(cursor.as_deref())?;
    let org = caller.caller.org;
    let (slice, usage) = futures::try_join!(
        stores.ledger.list_of(org, month, kind.map(Into::into), limit, after),
        stores.usage.of_month(org, month),
    )?;
    Ok(TransactionsOut::new(slice, TRANSACTIONS, TotalsOut::of(&usage)))
}
