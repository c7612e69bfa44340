//! `PutItem`, `UpdateItem` and `DeleteItem`, and the parts of a transaction, which have the same parameters.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use tables::item::Item;
use tables::write::{Write, WriteOperation};

use super::Api;
use super::capacity::ReturnCapacity;
use super::expressions::{Aliases, JsonNames, JsonValues, parse_condition, parse_update};
use super::refusal::{Answer, CONDITION_FAILED, Refusal, Result};
use super::requests::{ItemOnFailure, ReturnValues, parse, read_key};
use crate::commit::Kind;
use crate::json::{JsonItem, write_item};

pub const CONDITION_FAILED_MESSAGE: &str = "The conditional request failed";

/// What a write does. Its parameters depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    Put,
    Update,
    Delete,
    Check,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct WriteRequest {
    pub table_name: String,
    item: Option<JsonItem>,
    key: Option<JsonItem>,
    update_expression: Option<String>,
    condition_expression: Option<String>,
    expression_attribute_names: JsonNames,
    expression_attribute_values: JsonValues,
    #[serde(rename = "ReturnValuesOnConditionCheckFailure")]
    item_on_failure: Option<ItemOnFailure>,
    return_values: Option<ReturnValues>,
    return_consumed_capacity: Option<ReturnCapacity>,
    /// The database has no item collections, so there is nothing to report.
    #[serde(rename = "ReturnItemCollectionMetrics")]
    _return_item_collection_metrics: Option<IgnoredAny>,
}

impl WriteRequest {
    pub fn returns_item_on_failure(&self) -> bool {
        self.item_on_failure == Some(ItemOnFailure::Return)
    }

    /// The write, if the request has exactly the parameters that it needs.
    pub fn into_write(self, kind: WriteKind) -> Result<Write> {
        let (is_put, is_update) = (kind == WriteKind::Put, kind == WriteKind::Update);
        if self.item.is_some() != is_put || self.key.is_some() == is_put {
            return Err(Refusal::invalid("a put has an Item, and other writes have a Key"));
        }
        if self.update_expression.is_some() && !is_update {
            return Err(Refusal::invalid("only an update has an UpdateExpression"));
        }
        let mut aliases = Aliases::new(self.expression_attribute_names, self.expression_attribute_values)?;
        let condition = self.condition_expression.map(|text| parse_condition(&text, &mut aliases)).transpose()?;
        let changes = self.update_expression.map(|text| parse_update(&text, &mut aliases)).transpose()?;
        aliases.require_all_used()?;
        let key = self.key.map(|key| read_key(&key.0)).transpose()?;
        let operation = match (kind, self.item, key) {
            (WriteKind::Put, Some(item), _) => WriteOperation::Put(item.0),
            (WriteKind::Update, _, Some(key)) => WriteOperation::Update { key, changes: changes.unwrap_or_default() },
            (WriteKind::Delete, _, Some(key)) => WriteOperation::Delete(key),
            (WriteKind::Check, _, Some(key)) => WriteOperation::Check(key),
            _ => return Err(Refusal::invalid("a write has an Item or a Key")),
        };
        let write = Write::new(&self.table_name, operation);
        Ok(Write { condition, ..write })
    }

    /// The write as a part of a transaction, whose answer has no items.
    pub fn into_transacted(self, kind: WriteKind) -> Result<Write> {
        if self.return_values.is_some() || self.return_consumed_capacity.is_some() {
            return Err(Refusal::invalid("a part of a transaction returns neither values nor its capacity"));
        }
        let write = self.into_write(kind)?;
        if write.changes_nothing() {
            return Err(Refusal::invalid("an update in a transaction has an UpdateExpression"));
        }
        if kind == WriteKind::Check && write.condition.is_none() {
            return Err(Refusal::invalid("a condition check has a ConditionExpression"));
        }
        Ok(write)
    }
}

impl Api {
    /// Carries out one write, outside of a transaction.
    pub(super) async fn write(&self, kind: WriteKind, body: &[u8]) -> Answer {
        let request: WriteRequest = parse(body)?;
        let table = self.table(&request.table_name)?;
        let returns_item_on_failure = request.returns_item_on_failure();
        let return_values = request.return_values.unwrap_or_default();
        let capacity = request.return_consumed_capacity.unwrap_or_default();
        if return_values == ReturnValues::AllNew && kind != WriteKind::Update {
            return Err(Refusal::invalid("only an update returns ALL_NEW").into());
        }
        let write = request.into_write(kind)?;
        let written = self.database.write_reporting(vec![write], Kind::Single).await?;
        if let Some((_, refused)) = written.refused.into_iter().next() {
            let item = refused.item.filter(|_| returns_item_on_failure);
            return Err(condition_failed(item.as_ref()).into());
        }
        let mut answer = Map::new();
        if let Some((before, after)) = written.items.into_iter().next() {
            let returned = match return_values {
                ReturnValues::None => None,
                ReturnValues::AllOld => before,
                ReturnValues::AllNew => after,
            };
            answer.extend(returned.map(|item| ("Attributes".to_owned(), write_item(&item))));
        }
        let consumed = written.consumed.values().next().and_then(|units| capacity.report(&table.schema.name, units));
        answer.extend(consumed.map(|consumed| ("ConsumedCapacity".to_owned(), consumed)));
        Ok(Value::Object(answer))
    }
}

fn condition_failed(item: Option<&Item>) -> Refusal {
    let mut refusal = Refusal::new(CONDITION_FAILED, CONDITION_FAILED_MESSAGE);
    if let Some(item) = item {
        refusal.body = json!({"Item": write_item(item)});
    }
    refusal
}
