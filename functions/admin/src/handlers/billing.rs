//! Handlers for credits, balances, usage and transactions of organizations.

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::Error;
use domain::id::{OrgId, TransactionId, UserId};
use domain::identity::Org;
use domain::lease::month;
use domain::ledger::{Adjustment, EntryKind, LedgerEntry};
use domain::money::Money;
use domain::page::Slice;
use futures::future::try_join_all;
use store::admin::AdjustmentOutcome;
use store::ledger::EntryFilter;
use web::cursor::{CursorQuery, Cursors};
use web::gateway::{BodyRefused, Created, CursorList, DailySpendOut, ErrorBody, ErrorResponses, NotFound, Operator};
use web::gateway::{
    OperatorOnly, OrgUsageOut, SpendQuery, TotalsOut, TransactionOut, TransactionsOut, UsageOut, UsageQuery, month_of,
};
use web::responses::Replayed;
use web::{Hashed, Path, Query, Result, UncheckedJson, idempotency};

use crate::Stores;
use crate::dto::billing::{BalanceOut, CreditsHeaders, CreditsIn, OrgTransactionsQuery, OrgsUsageQuery};
use crate::dto::meters::parse_id;
use crate::snapshot::render_snapshot;

const BALANCES: Cursors = Cursors("balances");
const USAGE: Cursors = Cursors("usage");
const TRANSACTIONS: Cursors = Cursors("transactions");

/// Adjust credits
///
/// Adds credits to an organization's balance or deducts them, and records the transaction. A new organization has no
/// credits.
#[utoipa::path(
    post, path = "/gateway/v1/billing/admin/credits", tag = "admin", params(CreditsHeaders), request_body = CreditsIn,
    responses(
        Created<TransactionOut, Replayed>,
        (status = 409, description = "`balance_out_of_range`: the balance would be below zero or above the maximum; \
            `idempotency_conflict`: the `Idempotency-Key` was used with another request", body = ErrorBody),
        NotFound<OrgId>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn adjust_credits(
    State(stores): State<Stores>,
    operator: Operator,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(body), hash, .. }: Hashed<UncheckedJson<CreditsIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let amount = body.check()?;
    let org = body.org.parse().map_err(|_| Error::NotFound { kind: "organization" })?;
    let action = operator.audit_action(
        if matches!(EntryKind::from(body.kind), EntryKind::Credit) { "credits.give" } else { "credits.take" },
        org,
    );
    let adjustment = Adjustment {
        id: TransactionId::new(),
        org,
        kind: body.kind.into(),
        amount,
        balance_after: Money::ZERO,
        reason: body.reason,
        request_id: action.request_id.clone(),
        created_at: action.at,
    };
    let render =
        |adjustment: &Adjustment| render_snapshot(&TransactionOut::from(LedgerEntry::Adjustment(adjustment.clone())));
    match stores.admin.adjust_credits(&action, adjustment, idempotency_key.as_ref(), render).await? {
        AdjustmentOutcome::Done(adjustment) => Ok(idempotency::created_response(None, render(&adjustment))),
        AdjustmentOutcome::Before(answer) => Ok(idempotency::replay_response(None, answer)),
        AdjustmentOutcome::OutOfRange => Err(Error::Conflict {
            code: "balance_out_of_range",
            message: format!("the balance would be below zero or above {}; change the amount", Money::MAX_CREDIT),
        }
        .into()),
    }
}

/// List balances
///
/// Returns the balances of all organizations. Each includes all calls that have ended.
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/balances", tag = "admin", params(CursorQuery),
    responses(
        (status = 200, description = "A page of balances", body = CursorList<BalanceOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_balances(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<CursorQuery>,
) -> Result<CursorList<BalanceOut>> {
    let after = BALANCES.read(query.cursor.as_deref())?;
    let orgs = stores.identities.list_orgs(query.limit, after).await?;
    let balance = async |org: &Org| {
        let (meter, credits) = stores.leases.balance(org.id).await?;
        Ok::<_, Error>(BalanceOut::new(org, &meter, credits))
    };
    let balances = try_join_all(orgs.items.iter().map(balance)).await?;
    Ok(CursorList::new(Slice { items: balances, next: orgs.next }, BALANCES))
}

/// List the usage of organizations
///
/// Returns the usage of all organizations in a month, or with `user` the usage of one user in each of their
/// organizations. Includes all calls that have ended.
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/usage", tag = "admin", params(OrgsUsageQuery),
    responses(
        (status = 200, description = "A page of usage", body = CursorList<OrgUsageOut>),
        NotFound<UserId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_usage(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<OrgsUsageQuery>,
) -> Result<CursorList<OrgUsageOut>> {
    let OrgsUsageQuery { user, period, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(operator.at()))?;
    let after = USAGE.read(cursor.as_deref())?;
    let user = user.map(|user| parse_id::<UserId>(&user)).transpose()?;
    let Slice { items: orgs, next } = match user {
        Some(user) => stores.identities.list_orgs_of(stores.identities.user(user).await?.id, limit, after).await?,
        None => stores.identities.list_orgs(limit, after).await?,
    };
    let usage = async |org: &Org| {
        let usage = stores.leases.statement(org.id, month).await?.usage;
        Ok::<_, Error>(OrgUsageOut::new(org, &usage, user))
    };
    Ok(CursorList::new(Slice { items: try_join_all(orgs.iter().map(usage)).await?, next }, USAGE))
}

/// Read an organization's usage
///
/// Returns an organization's usage in a month by model, API key, user and day.
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/usage/{org}", tag = "admin",
    params(("org" = String, Path, description = "The organization"), UsageQuery),
    responses(
        (status = 200, description = "The usage of the month", body = UsageOut),
        NotFound<OrgId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_org_usage(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<UsageQuery>,
    Path(org): Path<OrgId>,
) -> Result<Body<UsageOut>> {
    let month = month_of(query.period.as_deref(), month(operator.at()))?;
    let org = stores.identities.org(org).await?.id;
    Ok(Body(UsageOut::new(month, &stores.leases.statement(org, month).await?.usage, None)))
}

/// List an organization's spend by day
///
/// Returns what the calls of each API key, model, tag or end user of the organization used and cost on each day, oldest first. Calls
/// appear when their lease is closed, after some seconds.
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/spend/{org}", tag = "admin",
    params(("org" = String, Path, description = "The organization"), SpendQuery),
    responses(
        (status = 200, description = "A page of days", body = CursorList<DailySpendOut>),
        NotFound<OrgId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_org_spend(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<SpendQuery>,
    Path(org): Path<OrgId>,
) -> Result<CursorList<DailySpendOut>> {
    let org = stores.identities.org(org).await?.id;
    query.read(&stores.spend, org, operator.at()).await
}

/// List an organization's transactions
///
/// Returns the credit transactions of a month, newest first, and their totals.
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/transactions", tag = "admin", params(OrgTransactionsQuery),
    responses(
        (status = 200, description = "A page of transactions", body = TransactionsOut),
        NotFound<OrgId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_org_transactions(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<OrgTransactionsQuery>,
) -> Result<TransactionsOut> {
    let OrgTransactionsQuery { org, period, kind, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(operator.at()))?;
    let after = TRANSACTIONS.read(cursor.as_deref())?;
    let org = stores.identities.org(parse_id::<OrgId>(&org)?).await?.id;
    let filter = EntryFilter { kind: kind.map(Into::into), user: None };
    let (slice, statement) =
        futures::try_join!(stores.ledger.list(org, month, filter, limit, after), stores.leases.statement(org, month),)?;
    Ok(TransactionsOut::new(slice, TRANSACTIONS, TotalsOut::of_org(&statement.usage)))
}
