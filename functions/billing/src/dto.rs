//! What the family takes and answers.

use std::collections::BTreeMap;

use domain::id::UserId;
use domain::ledger::Entry;
use domain::usd::Usd;
use serde::{Deserialize, Serialize};
use shared::http::gateway::{SpendingCapOut, TransactionKind, TransactionOut};
use shared::http::paging::{default_per_page, per_page};
use shared::store::usage::{Figures, MonthOfUsage};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// A month in UTC; this one when left out.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TransactionsQuery {
    /// A month in UTC; this one when left out.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// Only these.
    #[param(nullable = false, inline)]
    pub kind: Option<TransactionKind>,
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the answer before.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

/// What the caller's organization has.
#[derive(Serialize, ToSchema)]
#[schema(as = Balance)]
pub struct BalanceOut {
    /// To the last call that ended; null on a plan that is exempt from billing
    #[schema(required)]
    pub credits_remaining: Option<Usd>,
    /// What there was right after credits were last given
    pub initial_credits: Usd,
    /// Of the organization, the user and the key of this call, where they have one; with an access token there is no key
    pub spending_caps: Vec<SpendingCapOut>,
    pub usage_this_month: MonthOut,
    #[schema(required)]
    pub last_event: Option<EventOut>,
    pub is_billing_exempt: bool,
}

/// The organization's calls of this month, up to the last one that ended
#[derive(Serialize, ToSchema)]
#[schema(as = Balance_Month)]
pub struct MonthOut {
    cost: Usd,
    /// The part of `cost` that was not deducted, because the balance or a spending cap was used up
    uncollected: Usd,
    requests: u64,
    tokens_in: u64,
    tokens_out: u64,
}

impl From<Figures> for MonthOut {
    fn from(Figures { requests, tokens_in, tokens_out, cost, charged: _, uncollected }: Figures) -> Self {
        Self { cost: cost.into(), uncollected: uncollected.into(), requests, tokens_in, tokens_out }
    }
}

/// The newest movement of credits that the caller may see
#[derive(Serialize, ToSchema)]
#[schema(as = Balance_Event)]
pub struct EventOut {
    kind: TransactionKind,
    amount: Usd,
    /// What a call cost above `amount`, because the balance or a spending cap was used up
    uncollected: Usd,
    reason: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Entry> for EventOut {
    fn from(entry: Entry) -> Self {
        let TransactionOut { kind, amount, uncollected, reason, created_at, .. } = entry.into();
        Self { kind, amount, uncollected, reason, created_at }
    }
}

/// What an organization used in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = Usage)]
pub struct UsageOut {
    #[schema(example = "2026-03")]
    period: String,
    total_requests: u64,
    total_tokens_in: u64,
    total_tokens_out: u64,
    total_cost: Usd,
    /// The part of `total_cost` that was not deducted, because the balance or a spending cap was used up
    total_uncollected: Usd,
    by_model: Vec<ModelUsageOut>,
    /// For members, only their own keys
    by_api_key: Vec<KeyUsageOut>,
    /// For administrators only
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    by_user: Option<Vec<UserUsageOut>>,
    /// Days without calls are left out.
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
            cost: Usd,
            uncollected: Usd,
        }

        impl From<($type, Figures)> for $name {
            fn from(($field, figures): ($type, Figures)) -> Self {
                let Figures { requests, tokens_in, tokens_out, cost, charged: _, uncollected } = figures;
                Self { $field, requests, tokens_in, tokens_out, cost: cost.into(), uncollected: uncollected.into() }
            }
        }
    )*};
}

figures! {
    ModelUsageOut as ModelUsage { model: String, };
    /// Null is what the platform called for a user, in agents and workflows.
    KeyUsageOut as KeyUsage { api_key: Option<String>, #[schema(required)] };
    UserUsageOut as UserUsage { user: String, };
    DayUsageOut as DayUsage { date: String, #[schema(format = Date)] };
}

impl UsageOut {
    /// `only` is the user whose keys are shown, and no user besides; none for all of them.
    pub fn new(month: i64, usage: &MonthOfUsage, only: Option<UserId>) -> Self {
        let Figures { requests, tokens_in, tokens_out, cost, charged: _, uncollected } = usage.total();
        let by_user = || summed(usage.keys.iter().map(|(user, _, figures)| (user.to_string(), *figures)));
        let key = |key: &Option<_>| key.as_ref().map(ToString::to_string);
        let keys = usage.keys.iter().filter(|(user, _, _)| only.is_none_or(|only| only == *user));
        Self {
            period: format!("{:04}-{:02}", month / 100, month % 100),
            total_requests: requests,
            total_tokens_in: tokens_in,
            total_tokens_out: tokens_out,
            total_cost: cost.into(),
            total_uncollected: uncollected.into(),
            by_model: summed(usage.days.iter().map(|(_, model, figures)| (model.clone(), *figures))),
            by_api_key: summed(keys.map(|(_, of, figures)| (key(of), *figures))),
            by_user: only.is_none().then(by_user),
            daily_breakdown: summed(usage.days.iter().map(|(day, _, figures)| (day.clone(), *figures))),
        }
    }
}

/// One entry each, in their order.
fn summed<K: Ord, T: From<(K, Figures)>>(rows: impl Iterator<Item = (K, Figures)>) -> Vec<T> {
    let mut sums = BTreeMap::<K, Figures>::new();
    rows.for_each(|(of, figures)| *sums.entry(of).or_default() += figures);
    sums.into_iter().map(T::from).collect()
}
