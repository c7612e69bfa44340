//! What was spent and what was given: the entries of the ledger.

use serde::{Deserialize, Serialize};

use super::id::{ApiKeyId, LeaseId, OrgId, TransactionId, UserId};
use super::money::Money;
use super::time::Time;
use super::usage::{Tokens, UsageSource};

/// What one call cost, in the slot of its lease.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    pub id: TransactionId,
    pub lease: LeaseId,
    pub slot: u32,
    pub org: OrgId,
    pub user: UserId,
    pub key: Option<ApiKeyId>,
    pub model: String,
    pub price_version: u64,
    /// The price of what the provider counted.
    pub cost: Money,
    /// What the organization paid: the cost, as far as balance and caps went. Nothing on an exempt plan.
    pub charged: Money,
    /// What it could not pay. Except on an exempt plan, `charged` and `uncollected` add up to `cost`.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub uncollected: Money,
    /// The part of `charged` that the lease did not hold; it was debited from the meters.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub overage: Money,
    pub tokens: Tokens,
    pub images: u64,
    pub source: UsageSource,
    /// The provider that answered.
    pub provider: String,
    pub request_id: String,
    /// The transaction of an earlier try of the same request.
    pub retry_of: Option<TransactionId>,
    /// Of the body, so that a later try of the same request is known as one.
    pub body_hash: Option<String>,
    pub created_at: Time,
}

impl Charge {
    /// The part of `charged` that came out of the lease.
    pub fn from_lease(&self) -> Money {
        self.charged.less(self.overage)
    }
}

/// Credits that an operator gave or took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjustment {
    pub id: TransactionId,
    pub org: OrgId,
    pub kind: Kind,
    pub amount: Money,
    pub balance_after: Money,
    pub reason: String,
    pub request_id: String,
    pub created_at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Debit,
    Credit,
}

/// What a ledger holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Entry {
    Charge(Charge),
    Adjustment(Adjustment),
}

impl Entry {
    pub fn id(&self) -> TransactionId {
        match self {
            Self::Charge(charge) => charge.id,
            Self::Adjustment(adjustment) => adjustment.id,
        }
    }

    /// Whose call it is; nobody's, if it is an operator's adjustment.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Charge(charge) => Some(charge.user),
            Self::Adjustment(_) => None,
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Charge(_) => Kind::Debit,
            Self::Adjustment(adjustment) => adjustment.kind,
        }
    }
}
