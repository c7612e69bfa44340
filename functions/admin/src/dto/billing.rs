//! Credit adjustments, balances and transaction queries.

use domain::Result;
use domain::body_problems::Problems;
use domain::identity::Org;
use domain::money::Money;
use domain::schema::{self, LongTitle};
use domain::usd::{Usd, UsdIn};
use serde::{Deserialize, Serialize};
use store::meters::Meter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::gateway::TransactionKind;
use web::paging::{default_per_page, per_page};

/// A credit adjustment: credits to add to or deduct from an organization's balance.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditsIn {
    /// The id of the organization.
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// `credit` adds the amount to the balance, `debit` deducts it.
    pub kind: TransactionKind,
    /// The amount in US dollars. Must be greater than 0.
    pub amount: UsdIn,
    /// The reason, which the list of transactions shows.
    #[schema(value_type = LongTitle)]
    pub reason: String,
}

impl CreditsIn {
    pub fn check(&self) -> Result<Money> {
        let mut problems = Problems::default();
        let UsdIn(amount) = self.amount;
        if amount.is_zero() || amount > Money::MAX_CREDIT {
            let problem = format!("must be greater than 0 and at most {}", Money::MAX_CREDIT);
            problems.add("amount", problem);
        }
        problems.take(schema::check(self));
        problems.finish().map(|()| amount)
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
pub struct CreditsHeaders {
    /// A UUID that makes the request safe to retry. A repeat within 24 hours returns the earlier transaction.
    #[param(rename = "Idempotency-Key", nullable = false)]
    idempotency_key: Option<Uuid>,
}

/// The balance of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = OrgBalance)]
pub struct BalanceOut {
    /// The id of the organization.
    org: String,
    /// The name of the organization.
    name: String,
    /// The id of the plan.
    plan: String,
    /// The remaining credits.
    credits_remaining: Usd,
    /// The balance right after the last credits were added.
    initial_credits: Usd,
}

impl BalanceOut {
    pub fn new(org: &Org, meter: &Meter, credits: Money) -> Self {
        Self {
            org: org.id.to_string(),
            name: org.name.clone(),
            plan: org.plan.clone(),
            credits_remaining: credits.into(),
            initial_credits: meter.initial_credits().into(),
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OrgTransactionsQuery {
    /// The id of the organization.
    pub org: String,
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
pub struct OrgsUsageQuery {
    /// Returns only the calls of this user, in each of their organizations.
    #[param(nullable = false)]
    pub user: Option<String>,
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}
