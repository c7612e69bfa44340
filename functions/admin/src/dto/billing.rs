//! Credits and balances.

use domain::identity::Org;
use domain::money::Money;
use domain::usd::{Usd, UsdIn};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use shared::http::gateway::TransactionKind;
use shared::http::paging::{default_per_page, per_page};
use shared::store::meters::Meter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::check_text;

/// Credits to give or to take
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditsIn {
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    pub kind: TransactionKind,
    /// More than nothing
    pub amount: UsdIn,
    #[schema(max_length = 500)]
    pub reason: String,
}

impl CreditsIn {
    pub fn check(&self) -> Result<Money> {
        check_text("reason", &self.reason, 500)?;
        let UsdIn(amount) = self.amount;
        if amount.is_zero() || amount > Money::MOST_CREDIT {
            let problem = format!("more than nothing, and at most {}", Money::MOST_CREDIT);
            return Err(Error::invalid_body("amount", problem));
        }
        Ok(amount)
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the OpenAPI document is made of it")]
pub struct CreditsHeaders {
    /// Repeated within 24 hours, it returns the earlier transaction instead of making another.
    #[param(rename = "Idempotency-Key", nullable = false)]
    idempotency_key: Option<Uuid>,
}

/// What an organization has.
#[derive(Serialize, ToSchema)]
#[schema(as = OrgBalance)]
pub struct BalanceOut {
    org: String,
    name: String,
    plan: String,
    credits_remaining: Usd,
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
    /// Whose transactions
    pub org: String,
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
