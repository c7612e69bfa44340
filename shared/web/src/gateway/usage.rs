//! The query and the wire types of usage: of a month by model, key, user and day, and of many organizations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use domain::id::UserId;
use domain::identity::Org;
use domain::usd::Usd;
use store::usage::{Figures, MonthlyUsage};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
}

/// The calls of a month: their number, size and cost.
#[derive(Serialize, ToSchema)]
#[schema(as = UsageFigures)]
pub struct FiguresOut {
    cost: Usd,
    /// The part of `cost` that was not deducted because the balance or a spending cap was exhausted.
    uncollected: Usd,
    requests: u64,
    tokens_in: u64,
    tokens_out: u64,
    images: u64,
}

impl From<Figures> for FiguresOut {
    fn from(Figures { requests, tokens_in, tokens_out, images, cost, charged: _, uncollected }: Figures) -> Self {
        Self { cost: cost.into(), uncollected: uncollected.into(), requests, tokens_in, tokens_out, images }
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

/// The usage of one of many organizations in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = OrgUsage)]
pub struct OrgUsageOut {
    /// The id of the organization.
    org: String,
    /// The name of the organization.
    name: String,
    usage: FiguresOut,
}

impl OrgUsageOut {
    /// `only` limits the usage to the calls of one user.
    pub fn new(org: &Org, usage: &MonthlyUsage, only: Option<UserId>) -> Self {
        let figures = only.map_or_else(|| usage.total(), |user| usage.of_user(user));
        Self { org: org.id.to_string(), name: org.name.clone(), usage: figures.into() }
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
