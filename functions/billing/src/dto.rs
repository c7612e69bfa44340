//! Query parameters and response bodies of balance, usage, transactions, exports and guard events.

use std::collections::BTreeMap;

use domain::id::{ApiKeyId, UserId};
use domain::ledger::LedgerEntry;
use domain::usd::Usd;
use serde::{Deserialize, Serialize};
use shared::http::gateway::{SpendingCapOut, TransactionKind, TransactionOut};
use shared::http::paging::{default_per_page, per_page};
use shared::store::usage::{Figures, MonthlyUsage};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TransactionsQuery {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// Returns only transactions of this kind.
    #[param(nullable = false, inline)]
    pub kind: Option<TransactionKind>,
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GuardEventsQuery {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// Returns only events in which the category with this code is flagged.
    #[param(nullable = false, example = "violence")]
    pub category: Option<String>,
    /// `true` returns only flagged events, `false` only the others: also pending and failed ones.
    #[param(nullable = false)]
    pub flagged: Option<bool>,
    /// Returns only events of calls with this API key.
    #[param(nullable = false, value_type = Option<String>)]
    pub api_key: Option<ApiKeyId>,
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

/// The content of an export.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewExport)]
#[serde(deny_unknown_fields)]
pub struct ExportIn {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[schema(pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// Defaults to `transactions`.
    pub content: Option<ExportContent>,
    /// The `next_cursor` of the previous export: exports the transactions that follow.
    pub cursor: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportContent {
    /// A row for each transaction, newest first. Members get only those of their own calls.
    Transactions,
    /// A row for each day and model.
    Usage,
}

/// An exported CSV file.
#[derive(Serialize, ToSchema)]
#[schema(as = Export)]
pub struct ExportOut {
    #[schema(example = "2026-03")]
    pub period: String,
    pub content: ExportContent,
    /// The number of rows below the header.
    pub rows: usize,
    /// Anyone with this URL can download the file until `expires_at`.
    pub url: String,
    #[schema(format = DateTime)]
    pub expires_at: String,
    /// Send it as `cursor` to export the transactions that follow. A file has at most 50,000 transactions. It can have
    /// fewer, because those of other users are left out. Null if this is the last file.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

/// The balance of the caller's organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Balance)]
pub struct BalanceOut {
    /// The remaining credits after the last call that ended. Null on a plan that is exempt from billing.
    #[schema(required)]
    pub credits_remaining: Option<Usd>,
    /// The balance right after the last credits were added.
    pub initial_credits: Usd,
    /// The spending caps of the organization, the user and the API key that authenticated the request. Scopes without a
    /// cap are omitted.
    pub spending_caps: Vec<SpendingCapOut>,
    /// The usage of the current month.
    pub usage_this_month: MonthOut,
    /// The latest credit transaction. Null if there is none.
    #[schema(required)]
    pub last_event: Option<EventOut>,
    /// Whether the plan is exempt from billing.
    pub is_billing_exempt: bool,
}

/// The usage of the organization in the current month. Includes all calls that have ended.
#[derive(Serialize, ToSchema)]
#[schema(as = Balance_Month)]
pub struct MonthOut {
    cost: Usd,
    /// The part of `cost` that was not deducted because the balance or a spending cap was exhausted.
    uncollected: Usd,
    requests: u64,
    tokens_in: u64,
    tokens_out: u64,
    images: u64,
}

impl From<Figures> for MonthOut {
    fn from(Figures { requests, tokens_in, tokens_out, images, cost, charged: _, uncollected }: Figures) -> Self {
        Self { cost: cost.into(), uncollected: uncollected.into(), requests, tokens_in, tokens_out, images }
    }
}

/// The latest credit transaction that the caller may see.
#[derive(Serialize, ToSchema)]
#[schema(as = Balance_Event)]
pub struct EventOut {
    kind: TransactionKind,
    amount: Usd,
    /// The cost of a call above `amount`, not deducted because the balance or a spending cap was exhausted.
    uncollected: Usd,
    reason: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<LedgerEntry> for EventOut {
    fn from(entry: LedgerEntry) -> Self {
        let TransactionOut { kind, amount, uncollected, reason, created_at, .. } = entry.into();
        Self { kind, amount, uncollected, reason, created_at }
    }
}

/// The usage of an organization in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = Usage)]
pub struct UsageOut {
    #[schema(example = "2026-03")]
    period: String,
    total_requests: u64,
    total_tokens_in: u64,
    total_tokens_out: u64,
    total_images: u64,
    total_cost: Usd,
    /// The part of `total_cost` that was not deducted because the balance or a spending cap was exhausted.
    total_uncollected: Usd,
    by_model: Vec<ModelUsageOut>,
    /// Usage by API key. Members see only their own keys.
    by_api_key: Vec<KeyUsageOut>,
    /// Usage by user. Only administrators receive this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    by_user: Option<Vec<UserUsageOut>>,
    /// Usage by day. Days without calls are omitted.
    daily_breakdown: Vec<DayUsageOut>,
}

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident as $schema:ident { $field:ident: $type:ty, $(#[$attribute:meta])* };)*) => {$(
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $schema)]
        struct $name {
            $(#[$attribute])*
            $field: $type,
            requests: u64,
            tokens_in: u64,
            tokens_out: u64,
            images: u64,
            cost: Usd,
            uncollected: Usd,
        }

        impl From<($type, Figures)> for $name {
            fn from(($field, figures): ($type, Figures)) -> Self {
                let Figures { requests, tokens_in, tokens_out, images, cost, charged: _, uncollected } = figures;
                let (cost, uncollected) = (cost.into(), uncollected.into());
                Self { $field, requests, tokens_in, tokens_out, images, cost, uncollected }
            }
        }
    )*};
}

figures! {
    ModelUsageOut as ModelUsage { model: String, };
    /// The usage of an API key. A null key collects the calls of agents and workflows.
    KeyUsageOut as KeyUsage { api_key: Option<String>, #[schema(required)] };
    UserUsageOut as UserUsage { user: String, };
    DayUsageOut as DayUsage { date: String, #[schema(format = Date)] };
}

impl UsageOut {
    /// Sums the usage of a month. `only` limits the result to the keys of one user and omits `by_user`.
    pub fn new(month: i64, usage: &MonthlyUsage, only: Option<UserId>) -> Self {
        let Figures { requests, tokens_in, tokens_out, images, cost, charged: _, uncollected } = usage.total();
        let by_user = || sum_by_key(usage.keys.iter().map(|(user, _, figures)| (user.to_string(), *figures)));
        let key = |key: &Option<_>| key.as_ref().map(ToString::to_string);
        let keys = usage.keys.iter().filter(|(user, _, _)| only.is_none_or(|only| only == *user));
        Self {
            period: period(month),
            total_requests: requests,
            total_tokens_in: tokens_in,
            total_tokens_out: tokens_out,
            total_images: images,
            total_cost: cost.into(),
            total_uncollected: uncollected.into(),
            by_model: sum_by_key(usage.days.iter().map(|(_, model, figures)| (model.clone(), *figures))),
            by_api_key: sum_by_key(keys.map(|(_, of, figures)| (key(of), *figures))),
            by_user: only.is_none().then(by_user),
            daily_breakdown: sum_by_key(usage.days.iter().map(|(day, _, figures)| (day.clone(), *figures))),
        }
    }
}

/// A month (`202603`) as the API writes it.
pub fn period(month: i64) -> String {
    format!("{:04}-{:02}", month / 100, month % 100)
}

/// Sums the rows by key. The result is sorted by key.
fn sum_by_key<K: Ord, T: From<(K, Figures)>>(rows: impl Iterator<Item = (K, Figures)>) -> Vec<T> {
    let mut sums = BTreeMap::<K, Figures>::new();
    rows.for_each(|(of, figures)| *sums.entry(of).or_default() += figures);
    sums.into_iter().map(T::from).collect()
}
