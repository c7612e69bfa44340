//! Query parameters and response bodies of balance, usage, transactions, exports and guard events.

use domain::id::ApiKeyId;
use domain::ledger::LedgerEntry;
use domain::usd::Usd;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use web::gateway::{FiguresOut, SpendingCapOut, TransactionKind, TransactionOut};
use web::paging::{default_per_page, per_page};

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
    /// The usage of the organization in the current month. Includes all calls that have ended.
    pub usage_this_month: FiguresOut,
    /// The latest credit transaction. Null if there is none.
    #[schema(required)]
    pub last_event: Option<EventOut>,
    /// Whether the plan is exempt from billing.
    pub is_billing_exempt: bool,
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
