//! `TransactWriteItems`.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use tables::outcome::RefusedWrite;
use tables::write::Write;

use super::Api;
use super::capacity::ReturnCapacity;
use super::refusal::{Answer, Refusal, Result, TRANSACTION_CANCELED};
use super::requests::parse;
use super::writes::{CONDITION_FAILED_MESSAGE, WriteKind, WriteRequest};
use crate::commit::Kind;
use crate::json::write_item;
use crate::tokens::Token;

/// The most characters of a token.
const MAX_TOKEN: usize = 36;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct TransactWriteItems {
    transact_items: Value,
    client_request_token: Option<String>,
    return_consumed_capacity: Option<ReturnCapacity>,
    /// The database has no item collections, so there is nothing to report.
    #[serde(rename = "ReturnItemCollectionMetrics")]
    _return_item_collection_metrics: Option<IgnoredAny>,
}

#[derive(Deserialize)]
enum TransactItem {
    Put(WriteRequest),
    Update(WriteRequest),
    Delete(WriteRequest),
    ConditionCheck(WriteRequest),
}

impl TransactItem {
    fn split(self) -> (WriteKind, WriteRequest) {
        match self {
            Self::Put(request) => (WriteKind::Put, request),
            Self::Update(request) => (WriteKind::Update, request),
            Self::Delete(request) => (WriteKind::Delete, request),
            Self::ConditionCheck(request) => (WriteKind::Check, request),
        }
    }
}

/// The writes of a transaction, and for each whether a failed condition returns its item.
struct Transaction {
    writes: Vec<Write>,
    returns_items: Vec<bool>,
}

impl Api {
    pub(super) async fn transact_write_items(&self, body: &[u8]) -> Answer {
        let request: TransactWriteItems = parse(body)?;
        let token = request.client_request_token;
        if token.as_ref().is_some_and(|token| !(1..=MAX_TOKEN).contains(&token.len())) {
            let message = format_args!("ClientRequestToken has 1 to {MAX_TOKEN} characters");
            return Err(Refusal::invalid(message).into());
        }
        let token = token.map(|token| Token::from_text(&token, digest(&request.transact_items)));
        let Transaction { writes, returns_items } = self.read_transaction(request.transact_items)?;
        let written = self.database.write_reporting(writes, Kind::Transaction(token)).await?;
        if !written.refused.is_empty() {
            return Err(canceled(&written.refused, &returns_items).into());
        }
        let mut consumed = Vec::new();
        for (name, units) in &written.consumed {
            let capacity = request.return_consumed_capacity.unwrap_or_default();
            consumed.extend(capacity.report(name, units));
        }
        Ok(if consumed.is_empty() { json!({}) } else { json!({"ConsumedCapacity": consumed}) })
    }

    fn read_transaction(&self, items: Value) -> Result<Transaction> {
        let items: Vec<TransactItem> = read(items)?;
        if items.is_empty() {
            return Err(Refusal::invalid("a transaction has at least one write"));
        }
        let (mut writes, mut returns_items) = (Vec::new(), Vec::new());
        for (kind, request) in items.into_iter().map(TransactItem::split) {
            self.table(&request.table_name)?;
            returns_items.push(request.returns_item_on_failure());
            writes.push(request.into_transacted(kind)?);
        }
        Ok(Transaction { writes, returns_items })
    }
}

fn read<T: DeserializeOwned>(json: Value) -> Result<T> {
    serde_json::from_value(json).map_err(Refusal::invalid)
}

/// A digest of JSON that does not depend on the order of the fields of objects.
fn digest(json: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match json {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut hasher = DefaultHasher::new();
                (name, digest(value)).hash(&mut hasher);
                hasher.finish()
            };
            ("object", fields.iter().map(field).fold(0, u64::wrapping_add)).hash(&mut hasher);
        }
        Value::Array(items) => ("array", items.iter().map(digest).collect::<Vec<_>>()).hash(&mut hasher),
        other => other.hash(&mut hasher),
    }
    hasher.finish()
}

/// The refusal of a transaction, with a reason for each of its writes.
fn canceled(refused: &[(usize, RefusedWrite)], returns_items: &[bool]) -> Refusal {
    let mut reasons = vec![json!({"Code": "None"}); returns_items.len()];
    for (position, refused) in refused {
        let mut reason = json!({"Code": "ConditionalCheckFailed", "Message": CONDITION_FAILED_MESSAGE});
        if let Some(item) = refused.item.as_ref().filter(|_| returns_items[*position]) {
            reason["Item"] = write_item(item);
        }
        reasons[*position] = reason;
    }
    let codes: Vec<&str> = reasons.iter().filter_map(|reason| reason["Code"].as_str()).collect();
    let message =
        format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{}]", codes.join(", "));
    let body = json!({"CancellationReasons": reasons});
    Refusal { body, ..Refusal::new(TRANSACTION_CANCELED, message) }
}
