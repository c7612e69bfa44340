//! HTTP handlers: one function for each route.

use auth::Caller;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::UserId;
use domain::identity::Role;
use domain::lease::month;
use domain::page::Slice;
use domain::time::Time;
use domain::usd::Usd;
use store::guard_events::GuardEventFilter;
use store::leases::BillingStatement;
use store::ledger::EntryFilter;
use store::meters::MeterOwner;
use web::cursor::Cursors;
use web::gateway::{BodyRefused, Created, CursorList, ErrorResponses, Person, UserOnly};
use web::gateway::{GuardEventOut, SpendingCapOut, TotalsOut, TransactionsOut, UsageOut, UsageQuery, month_of, period};
use web::{Json as Body, Query, Result};

use crate::Stores;
use crate::dto::{BalanceOut, EventOut, ExportContent, ExportIn, ExportOut, GuardEventsQuery, TransactionsQuery};
use crate::exports::{URL_LIFETIME, export_transactions, export_usage, upload};

const TRANSACTIONS: Cursors = Cursors("transactions");
const EXPORTS: Cursors = Cursors("exports");
const GUARD_EVENTS: Cursors = Cursors("guard_events");

/// Read the balance
///
/// Returns the organization's remaining credits, the spending caps that apply to the caller, and the usage of the
/// current month. A new organization has no credits until the operator adds some.
#[utoipa::path(
    get, path = "/gateway/v1/billing/balance", tag = "billing",
    responses((status = 200, description = "The balance", body = BalanceOut), UserOnly, ErrorResponses),
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
    responses((status = 200, description = "The usage of the month", body = UsageOut), UserOnly, ErrorResponses),
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
    responses((status = 200, description = "A page of transactions", body = TransactionsOut), UserOnly, ErrorResponses),
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

/// Export a month
///
/// Writes the transactions or the usage of a month to a CSV file, and returns the URL to download it. The file is kept
/// for seven days, and its URL is valid for an hour.
#[utoipa::path(
    post, path = "/gateway/v1/billing/exports", tag = "billing", request_body = ExportIn,
    responses(Created<ExportOut>, BodyRefused, UserOnly, ErrorResponses),
)]
pub async fn create_export(
    State(stores): State<Stores>,
    person: Person,
    Body(body): Body<ExportIn>,
) -> Result<(StatusCode, Json<ExportOut>)> {
    let ExportIn { period: asked, content, cursor } = body;
    let (org, now) = (person.caller.org, person.caller.at);
    let in_body = |error| match error {
        Error::InvalidQuery { parameter, message } => {
            let problem = message.strip_prefix(&format!("{parameter}: ")).unwrap_or(&message);
            Error::invalid_body(parameter, problem)
        }
        other => other,
    };
    let month = month_of(asked.as_deref(), month(now)).map_err(in_body)?;
    let after = EXPORTS.read(cursor.as_deref()).map_err(in_body)?;
    let content = content.unwrap_or(ExportContent::Transactions);
    let file = match content {
        ExportContent::Transactions => {
            export_transactions(&stores, org, month, only_user(&person.caller), after).await?
        }
        ExportContent::Usage => export_usage(stores.leases.statement(org, month).await?.usage)?,
    };
    let out = ExportOut {
        period: period(month),
        content,
        rows: file.rows,
        url: upload(&stores, org, file.content).await?,
        expires_at: now.plus(URL_LIFETIME).to_string(),
        next_cursor: file.next.map(|place| EXPORTS.write(&place)),
    };
    Ok((StatusCode::CREATED, Json(out)))
}

/// List guard events
///
/// Returns the evaluations of a month, newest first: of `POST /gateway/v1/guard` and `/gateway/v1/moderations`, of `guard` nodes, of
/// chats with `guard: true`, and of input that the plan checks. Administrators see all events of the organization,
/// members only those of their own calls. A page can have fewer items than `limit` although more pages follow. An event
/// is kept for 90 days.
#[utoipa::path(
    get, path = "/gateway/v1/guard/events", tag = "billing", params(GuardEventsQuery),
    responses(
        (status = 200, description = "A page of events", body = CursorList<GuardEventOut>),
        UserOnly, ErrorResponses,
    ),
)]
pub async fn list_guard_events(
    State(stores): State<Stores>,
    person: Person,
    Query(query): Query<GuardEventsQuery>,
) -> Result<CursorList<GuardEventOut>> {
    let GuardEventsQuery { period, category, flagged, api_key, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(person.caller.at))?;
    let after = GUARD_EVENTS.read(cursor.as_deref())?;
    let filter = GuardEventFilter { user: only_user(&person.caller), key: api_key, flagged, category };
    let events = stores.guard_events.list(person.caller.org, month, &filter, limit, after).await?;
    let items = events.items.into_iter().map(|event| event.at(person.caller.at)).collect();
    Ok(CursorList::new(Slice { items, ..events }, GUARD_EVENTS))
}

/// Returns the user whose entries the caller may see, or `None` for administrators, who see all users.
pub fn only_user(caller: &Caller) -> Option<UserId> {
    match caller.role {
        Role::Admin | Role::Operator => None,
        Role::Member => Some(caller.user),
    }
}
