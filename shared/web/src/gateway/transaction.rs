//! The wire types of credit transactions and their totals.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cursor::Cursors;
use crate::wire_enum;
use domain::id::UserId;
use domain::ledger::{EntryKind, LedgerEntry};
use domain::money::Money;
use domain::page::Slice;
use domain::usd::Usd;
use domain::{Error, Result};
use store::usage::{AdjustmentSums, Figures, MonthlyUsage};

wire_enum! {
    #[serde(rename_all = "lowercase")]
    TransactionKind = EntryKind { Debit, Credit }
}

/// A credit transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = Transaction)]
pub struct TransactionOut {
    #[schema(example = "txn_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    pub kind: TransactionKind,
    /// The amount that was added to the balance or deducted from it
    pub amount: Usd,
    /// The balance after an adjustment by an operator. Null for calls, which spend from concurrent leases
    #[schema(required)]
    balance_after: Option<Usd>,
    /// The part of the cost that was not deducted, because the balance or a spending cap was used up
    pub uncollected: Usd,
    #[schema(example = "usage")]
    pub reason: String,
    request_id: String,
    #[schema(required)]
    model: Option<String>,
    /// The key that made the call
    #[schema(required)]
    api_key: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl From<LedgerEntry> for TransactionOut {
    fn from(entry: LedgerEntry) -> Self {
        match entry {
            LedgerEntry::Charge(charge) => Self {
                id: charge.id.to_string(),
                kind: TransactionKind::Debit,
                amount: charge.charged.into(),
                uncollected: charge.uncollected.into(),
                balance_after: None,
                reason: "usage".to_owned(),
                request_id: charge.request_id,
                model: Some(charge.model),
                api_key: charge.key.map(|key| key.to_string()),
                created_at: charge.created_at.to_string(),
            },
            LedgerEntry::Adjustment(adjustment) => Self {
                id: adjustment.id.to_string(),
                kind: adjustment.kind.into(),
                amount: adjustment.amount.into(),
                uncollected: Money::ZERO.into(),
                balance_after: Some(adjustment.balance_after.into()),
                reason: adjustment.reason,
                request_id: adjustment.request_id,
                model: None,
                api_key: None,
                created_at: adjustment.created_at.to_string(),
            },
        }
    }
}

/// The totals of the whole period, not only of this page, up to the last call that ended
#[derive(Serialize, ToSchema)]
#[schema(as = Totals)]
pub struct TotalsOut {
    debit: Usd,
    credit: Usd,
    /// Credit minus debit
    net: Usd,
    /// The cost of calls that was not deducted, because the balance or a spending cap was used up
    uncollected: Usd,
}

impl TotalsOut {
    /// The totals of an organization.
    pub fn of_org(month: &MonthlyUsage) -> Self {
        let AdjustmentSums { credit, debit } = month.adjusted;
        let Figures { charged, uncollected, .. } = month.total();
        Self::new(debit + charged, credit, uncollected)
    }

    /// The totals of the calls of one user.
    pub fn of_user(month: &MonthlyUsage, user: UserId) -> Self {
        let Figures { charged, uncollected, .. } = month.of_user(user);
        Self::new(charged, Money::ZERO, uncollected)
    }

    fn new(debit: Money, credit: Money, uncollected: Money) -> Self {
        Self {
            debit: debit.into(),
            credit: credit.into(),
            net: Usd::difference(credit, debit),
            uncollected: uncollected.into(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Transactions)]
pub struct TransactionsOut {
    #[schema(example = "list")]
    object: &'static str,
    data: Vec<TransactionOut>,
    has_more: bool,
    #[schema(required)]
    next_cursor: Option<String>,
    totals: TotalsOut,
}

impl TransactionsOut {
    pub fn new(slice: Slice<LedgerEntry>, cursors: Cursors, totals: TotalsOut) -> Self {
        let next_cursor = slice.next.map(|place| cursors.write(&place));
        let data = slice.items.into_iter().map(TransactionOut::from).collect();
        Self { object: "list", data, has_more: next_cursor.is_some(), next_cursor, totals }
    }
}

impl IntoResponse for TransactionsOut {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// Parses `period`: `2026-03` becomes 202603. Without one, the result is `this`, the current month. A later month is
/// refused.
pub fn month_of(period: Option<&str>, this: i64) -> Result<i64> {
    let Some(period) = period else { return Ok(this) };
    let parts = period.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2);
    let number = |text: &str| text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse::<i64>().ok()).flatten();
    let month = parts.and_then(|(year, month)| Some((number(year)?, number(month)?)));
    let month = month.filter(|(_, month)| (1..=12).contains(month)).map(|(year, month)| year * 100 + month);
    let month = month.ok_or_else(|| Error::invalid_query("period", "must be a month in the form YYYY-MM"))?;
    match month <= this {
        true => Ok(month),
        false => Err(Error::invalid_query("period", "must not be in the future")),
    }
}
