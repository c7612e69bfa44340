//! Ledger entries: charges of calls and adjustments by operators.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call_facts::{CallFacts, CallLabels};
use super::call_retention::CallRetention;
use super::id::{ApiKeyId, LeaseId, OrgId, TransactionId, UserId};
use super::money::Money;
use super::run::RunStep;
use super::time::Time;
use super::usage::{Tokens, UsageSource, is_zero};

/// The retention of ledger entries, and of what is counted from them.
pub const RETENTION: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The body hash of an evaluation by the guard begins with it, if it evaluates the input or the answer of another call.
pub const EVALUATION: &str = "guard:";

/// The request that a call answers, or the step of a run that it is made for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallOrigin {
    pub request_id: String,
    /// The number of earlier attempts that the client reports.
    pub retries: u32,
    /// Identifies retries: two requests with the same hash have the same body.
    pub body_hash: String,
    /// The step whose usage counts the charge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<RunStep>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_streamed: bool,
    /// A batch makes the call, at its own price.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_batch: bool,
    /// A tool of an MCP server is called, and no model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tool: bool,
    /// `None` if an earlier version stored the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    #[serde(default, skip_serializing_if = "CallLabels::is_empty")]
    pub labels: CallLabels,
    /// How long the bodies of the call are kept. `None` if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<CallRetention>,
}

/// The charge of one call, which held a slot of its lease.
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
    /// The price of the usage that the provider reported.
    pub cost: Money,
    /// The part of the cost that was deducted, limited by the balance and the caps. Zero on an exempt plan.
    pub charged: Money,
    /// The part of the cost that was not deducted. Except on exempt plans, `charged` + `uncollected` = `cost`.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub uncollected: Money,
    /// The part of `charged` that exceeded the lease and was debited from the meters.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub overage: Money,
    pub tokens: Tokens,
    pub images: u64,
    /// The length of the audio that was transcribed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub audio_ms: u64,
    /// The characters that were spoken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub characters: u64,
    pub source: UsageSource,
    /// The provider that responded.
    pub provider: String,
    pub request_id: String,
    /// The step of a run for which the call was made. Its usage counts the charge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Box<RunStep>>,
    /// The transaction of an earlier attempt of the same request.
    pub retry_of: Option<TransactionId>,
    /// The hash of the body, by which a retry of the request is recognized.
    pub body_hash: Option<String>,
    /// `None` if an earlier version charged the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Box<CallFacts>>,
    pub created_at: Time,
}

impl Charge {
    /// When the bodies of the call expire. `None` if the organization did not keep bodies when the call was made.
    pub fn bodies_expire_at(&self) -> Option<Time> {
        let retention = self.facts.as_ref()?.retention?;
        Some(retention.expiry(self.created_at))
    }

    /// The part of `charged` that the lease covered.
    pub fn from_lease(&self) -> Money {
        self.charged.less(self.overage)
    }

    /// Whether the guard made the call to evaluate the input or the answer of another call, which has the same request id.
    pub fn is_of_evaluation(&self) -> bool {
        self.body_hash.as_deref().is_some_and(|hash| hash.starts_with(EVALUATION))
    }
}

/// The sums of a lease's charges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub requests: u64,
    pub tokens: Tokens,
    pub images: u64,
    pub cost: Money,
    pub charged: Money,
    pub uncollected: Money,
    pub overage: Money,
}

impl Spent {
    pub fn add(&mut self, charge: &Charge) {
        self.requests += 1;
        self.tokens += charge.tokens;
        self.images += charge.images;
        self.cost += charge.cost;
        self.charged += charge.charged;
        self.uncollected += charge.uncollected;
        self.overage += charge.overage;
    }

    /// The amount that the lease paid, without overages.
    pub fn from_lease(&self) -> Money {
        self.charged.less(self.overage)
    }
}

/// Credits that an operator added or deducted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjustment {
    pub id: TransactionId,
    pub org: OrgId,
    pub kind: EntryKind,
    pub amount: Money,
    pub balance_after: Money,
    pub reason: String,
    pub request_id: String,
    pub created_at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    Debit,
    Credit,
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum LedgerEntry {
    Charge(Box<Charge>),
    Adjustment(Adjustment),
}

impl LedgerEntry {
    pub fn id(&self) -> TransactionId {
        match self {
            Self::Charge(charge) => charge.id,
            Self::Adjustment(adjustment) => adjustment.id,
        }
    }

    /// The user who made the call. `None` for an adjustment by an operator.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Charge(charge) => Some(charge.user),
            Self::Adjustment(_) => None,
        }
    }

    pub fn kind(&self) -> EntryKind {
        match self {
            Self::Charge(_) => EntryKind::Debit,
            Self::Adjustment(adjustment) => adjustment.kind,
        }
    }
}
