//! One write of one item with its condition (put, update, delete or check), for a single call or for a transaction.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use serde::Serialize;

use super::item::{Item, item_bytes, to_value};
use super::keys::Key;

/// A failed condition returns the stored item.
pub(super) const RETURN_ITEM_ON_FAILURE: ReturnValuesOnConditionCheckFailure =
    ReturnValuesOnConditionCheckFailure::AllOld;

#[derive(Clone)]
pub struct Write {
    pub(super) table: String,
    /// A refusal of this write is matched by this label.
    pub(super) label: &'static str,
    pub(super) operation: WriteOperation,
    pub(super) condition: Option<String>,
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
}

#[derive(Clone)]
pub(super) enum WriteOperation {
    Put(Item),
    Update { key: Key, set: Vec<String>, add: Vec<String>, remove: Vec<String> },
    Delete(Key),
    Check(Key),
}

impl Write {
    pub(super) fn new(table: &str, operation: WriteOperation) -> Self {
        let (names, values) = (HashMap::new(), HashMap::new());
        Self { table: table.to_owned(), label: "", operation, condition: None, names, values }
    }

    /// Labels the write, so that its refusal is matched by the label and not by its position in the transaction.
    pub fn labeled(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }

    /// The key of the item that is written.
    pub(super) fn key(&self) -> Option<Key> {
        match &self.operation {
            WriteOperation::Put(item) => Key::from_item(item),
            WriteOperation::Update { key, .. } | WriteOperation::Delete(key) | WriteOperation::Check(key) => {
                Some(key.clone())
            }
        }
    }

    /// The approximate size of what is written.
    pub(super) fn bytes(&self) -> usize {
        let put = match &self.operation {
            WriteOperation::Put(item) => item_bytes(item),
            _ => 0,
        };
        put + item_bytes(&self.values)
    }

    /// Sets an attribute; a dot in the path descends into a map.
    pub fn set(mut self, path: &str, value: impl Serialize) -> Self {
        let action = format!("{} = {}", self.name(path), self.value(to_value(value)));
        self.actions(|set, _, _| set, action)
    }

    /// Adds to an existing number inside a map, where `ADD` does not work.
    pub fn increase(mut self, path: &str, by: u64) -> Self {
        let (name, value) = (self.name(path), self.value(to_value(by)));
        self.actions(|set, _, _| set, format!("{name} = {name} + {value}"))
    }

    /// Adds to a top-level number. A missing number counts as zero.
    pub fn add(mut self, name: &str, number: impl ToString) -> Self {
        let action = format!("{} {}", self.name(name), self.value(AttributeValue::N(number.to_string())));
        self.actions(|_, add, _| add, action)
    }

    /// Adds to a number whose name comes from a user, so it may have any characters.
    pub fn add_named(mut self, name: &str, number: impl ToString) -> Self {
        let alias = format!("#_{}", self.names.len());
        let action = format!("{} {}", self.alias(name, alias), self.value(AttributeValue::N(number.to_string())));
        self.actions(|_, add, _| add, action)
    }

    pub fn remove(mut self, path: &str) -> Self {
        let action = self.name(path);
        self.actions(|_, _, remove| remove, action)
    }

    pub fn require(mut self, condition: &str) -> Self {
        self.condition = Some(match self.condition.take() {
            None => condition.to_owned(),
            Some(others) => format!("({others}) AND ({condition})"),
        });
        self
    }

    /// Requires that an attribute has this value, or that it is absent; a dot in the path descends into a map.
    pub fn require_same(self, path: &str, value: Option<impl Serialize>) -> Self {
        self.require_same_raw(path, value.map(to_value))
    }

    /// Like [`Write::require_same`], for a value in its stored form.
    pub fn require_same_raw(mut self, path: &str, value: Option<AttributeValue>) -> Self {
        let name = self.name(path);
        let condition = match value {
            Some(value) => format!("{name} = {}", self.value(value)),
            None => format!("attribute_not_exists({name})"),
        };
        self.require(&condition)
    }

    /// Sets an attribute, or removes it.
    pub fn set_or_remove(self, path: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.set(path, value),
            None => self.remove(path),
        }
    }

    /// Gives a value to a `:placeholder` of a condition.
    pub fn bind(mut self, placeholder: &str, value: impl Serialize) -> Self {
        self.values.insert(placeholder.to_owned(), to_value(value));
        self
    }

    /// Like [`Write::bind`], for a value in its stored form.
    pub fn bind_raw(mut self, placeholder: &str, value: AttributeValue) -> Self {
        self.values.insert(placeholder.to_owned(), value);
        self
    }

    /// Replaces each segment of a path by an alias, because many attribute names are reserved words of DynamoDB.
    fn name(&mut self, path: &str) -> String {
        path.split('.').map(|segment| self.alias(segment, format!("#{segment}"))).collect::<Vec<_>>().join(".")
    }

    fn alias(&mut self, name: &str, alias: String) -> String {
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    fn actions(
        mut self,
        list: impl for<'a> FnOnce(&'a mut Vec<String>, &'a mut Vec<String>, &'a mut Vec<String>) -> &'a mut Vec<String>,
        action: String,
    ) -> Self {
        if let WriteOperation::Update { set, add, remove, .. } = &mut self.operation {
            list(set, add, remove).push(action);
        }
        self
    }

    /// Whether this is an update without any action, which DynamoDB refuses.
    pub(super) fn changes_nothing(&self) -> bool {
        matches!(&self.operation, WriteOperation::Update { set, add, remove, .. } if set.is_empty() && add.is_empty() && remove.is_empty())
    }

    pub(super) fn update_expression(&self) -> Option<String> {
        let WriteOperation::Update { set, add, remove, .. } = &self.operation else { return None };
        let clauses = [("SET", set), ("ADD", add), ("REMOVE", remove)];
        let clauses = clauses.iter().filter(|(_, actions)| !actions.is_empty());
        Some(clauses.map(|(verb, actions)| format!("{verb} {}", actions.join(", "))).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn names(&self) -> Option<HashMap<String, String>> {
        Some(self.names.clone()).filter(|names| !names.is_empty())
    }

    pub(super) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        Some(self.values.clone()).filter(|values| !values.is_empty())
    }

    /// The write as one part of a transaction.
    pub(super) fn transacted(&self) -> Result<TransactWriteItem, aws_sdk_dynamodb::error::BuildError> {
        let (table, condition, names, values) = (&self.table, self.condition.clone(), self.names(), self.values());
        let item = TransactWriteItem::builder();
        macro_rules! common {
            ($builder:expr) => {
                $builder
                    .table_name(table)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values_on_condition_check_failure(RETURN_ITEM_ON_FAILURE)
            };
        }
        Ok(match &self.operation {
            WriteOperation::Put(put) => item
                .put(common!(Put::builder()).set_item(Some(put.clone())).set_condition_expression(condition).build()?),
            WriteOperation::Update { key, .. } => item.update(
                common!(Update::builder())
                    .set_key(Some(key.attributes()))
                    .set_update_expression(self.update_expression())
                    .set_condition_expression(condition)
                    .build()?,
            ),
            WriteOperation::Delete(key) => item.delete(
                common!(Delete::builder())
                    .set_key(Some(key.attributes()))
                    .set_condition_expression(condition)
                    .build()?,
            ),
            WriteOperation::Check(key) => item.condition_check(
                common!(ConditionCheck::builder())
                    .set_key(Some(key.attributes()))
                    .set_condition_expression(condition)
                    .build()?,
            ),
        }
        .build())
    }
}
