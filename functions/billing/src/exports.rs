//! Exports of a month as CSV files, which are stored as objects and downloaded by a presigned URL.

use std::time::Duration;

use domain::id::{OrgId, UserId};
use domain::ledger::{Adjustment, Charge, EntryKind, LedgerEntry};
use domain::{Error, Result};
use serde::Serialize;
use store::ledger::EntryFilter;
use store::usage::{Figures, MonthlyUsage};
use uuid::Uuid;

use crate::Stores;

/// The maximum number of pages in one file. The next file begins after them. A page can have few rows, because the
/// transactions of other users are left out.
const MAX_PAGES: usize = 50;
/// The maximum number of transactions in a page.
const PAGE: u32 = 1_000;
pub const URL_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// A file whose rows are written.
pub struct CsvFile {
    pub content: Vec<u8>,
    pub rows: usize,
    /// Where the next file begins. None if this is the last one.
    pub next: Option<String>,
}

#[derive(Serialize)]
struct TransactionRow {
    id: String,
    created_at: String,
    kind: EntryKind,
    amount: String,
    cost: String,
    uncollected: String,
    balance_after: Option<String>,
    model: Option<String>,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    images: Option<u64>,
    user: Option<String>,
    api_key: Option<String>,
    request_id: String,
    reason: String,
    audio_ms: Option<u64>,
    characters: Option<u64>,
}

#[derive(Serialize)]
struct UsageRow {
    date: String,
    model: String,
    requests: u64,
    tokens_in: u64,
    tokens_out: u64,
    images: u64,
    cost: String,
    uncollected: String,
}

/// Writes the transactions of a month, newest first, from a place in the ledger on.
pub async fn export_transactions(
    stores: &Stores,
    org: OrgId,
    month: i64,
    user: Option<UserId>,
    after: Option<String>,
) -> Result<CsvFile> {
    let filter = EntryFilter { kind: None, user };
    let (mut writer, mut rows, mut next) = (csv::Writer::from_writer(Vec::new()), 0, after);
    for _ in 0..MAX_PAGES {
        let page = stores.ledger.list(org, month, filter, PAGE, next).await?;
        for entry in page.items {
            writer.serialize(TransactionRow::from(entry)).map_err(Error::internal)?;
            rows += 1;
        }
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    finish(writer, rows, next)
}

/// Writes the usage of a month by day and model.
pub fn export_usage(usage: MonthlyUsage) -> Result<CsvFile> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = usage.days.len();
    for (date, model, figures) in usage.days {
        let Figures { requests, tokens_in, tokens_out, images, cost, charged: _, uncollected } = figures;
        let (cost, uncollected) = (cost.to_string(), uncollected.to_string());
        let model = escape_formula(model);
        let row = UsageRow { date, model, requests, tokens_in, tokens_out, images, cost, uncollected };
        writer.serialize(row).map_err(Error::internal)?;
    }
    finish(writer, rows, None)
}

fn finish(writer: csv::Writer<Vec<u8>>, rows: usize, next: Option<String>) -> Result<CsvFile> {
    let content = writer.into_inner().map_err(|error| Error::internal(error.to_string()))?;
    Ok(CsvFile { content, rows, next })
}

/// Stores a file, and returns the URL to download it.
pub async fn upload(stores: &Stores, org: OrgId, content: Vec<u8>) -> Result<String> {
    let object = format!("exports/{org}/{}.csv", Uuid::now_v7());
    stores.files.put(&object, "text/csv; charset=utf-8", content).await?;
    stores.files.presigned(&object, URL_LIFETIME).await
}

impl From<LedgerEntry> for TransactionRow {
    fn from(entry: LedgerEntry) -> Self {
        match entry {
            LedgerEntry::Charge(charge) => Self::of_charge(*charge),
            LedgerEntry::Adjustment(adjustment) => Self::of_adjustment(adjustment),
        }
    }
}

impl TransactionRow {
    fn of_charge(charge: Charge) -> Self {
        Self {
            id: charge.id.to_string(),
            created_at: charge.created_at.to_string(),
            kind: EntryKind::Debit,
            amount: charge.charged.to_string(),
            cost: charge.cost.to_string(),
            uncollected: charge.uncollected.to_string(),
            balance_after: None,
            model: Some(escape_formula(charge.model)),
            tokens_in: Some(charge.tokens.input),
            tokens_out: Some(charge.tokens.output),
            images: Some(charge.images),
            user: Some(charge.user.to_string()),
            api_key: charge.key.map(|key| key.to_string()),
            request_id: escape_formula(charge.request_id),
            reason: "usage".to_owned(),
            audio_ms: Some(charge.audio_ms),
            characters: Some(charge.characters),
        }
    }

    fn of_adjustment(adjustment: Adjustment) -> Self {
        Self {
            id: adjustment.id.to_string(),
            created_at: adjustment.created_at.to_string(),
            kind: adjustment.kind,
            amount: adjustment.amount.to_string(),
            cost: adjustment.amount.to_string(),
            uncollected: "0".to_owned(),
            balance_after: Some(adjustment.balance_after.to_string()),
            model: None,
            tokens_in: None,
            tokens_out: None,
            images: None,
            user: None,
            api_key: None,
            request_id: escape_formula(adjustment.request_id),
            reason: escape_formula(adjustment.reason),
            audio_ms: None,
            characters: None,
        }
    }
}

/// Prevents CSV injection: no spreadsheet reads the cell as a formula.
fn escape_formula(text: String) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text,
    }
}
