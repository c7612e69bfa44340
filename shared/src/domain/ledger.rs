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
    /// What the provider's count costs.
    pub cost: Money,
    /// What was taken: never more than the slot held, and nothing on an exempt plan.
    pub charged: Money,
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
    pub fn kind(&self) -> Kind {
        match self {
            Self::Charge(_) => Kind::Debit,
            Self::Adjustment(adjustment) => adjustment.kind,
        }
    }
}
