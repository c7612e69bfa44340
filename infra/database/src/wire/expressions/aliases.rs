//! The aliases of names and the placeholders of values that the expressions of a call use.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::json::JsonValue;
use crate::wire::refusal::{Refusal, Result};

pub type JsonNames = Option<HashMap<String, String>>;
pub type JsonValues = Option<HashMap<String, JsonValue>>;

#[derive(Default)]
pub struct Aliases {
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
    used: HashSet<String>,
}

impl Aliases {
    pub fn new(names: JsonNames, values: JsonValues) -> Result<Self> {
        if names.as_ref().is_some_and(HashMap::is_empty) || values.as_ref().is_some_and(HashMap::is_empty) {
            return Err(Refusal::invalid("ExpressionAttributeNames and ExpressionAttributeValues must not be empty"));
        }
        let values = values.into_iter().flatten().map(|(placeholder, JsonValue(value))| (placeholder, value));
        Ok(Self { names: names.unwrap_or_default(), values: values.collect(), used: HashSet::new() })
    }

    pub fn find_name(&mut self, alias: &str) -> Result<String> {
        let name = self.names.get(alias);
        let name = name.ok_or_else(|| Refusal::invalid(format_args!("{alias} is not in ExpressionAttributeNames")))?;
        self.used.insert(alias.to_owned());
        Ok(name.clone())
    }

    pub fn find_value(&mut self, placeholder: &str) -> Result<AttributeValue> {
        let value = self.values.get(placeholder);
        let value =
            value.ok_or_else(|| Refusal::invalid(format_args!("{placeholder} is not in ExpressionAttributeValues")))?;
        self.used.insert(placeholder.to_owned());
        Ok(value.clone())
    }

    /// Refuses aliases and placeholders that no expression uses, as DynamoDB does.
    pub fn require_all_used(&self) -> Result<()> {
        match self.names.keys().chain(self.values.keys()).find(|key| !self.used.contains(*key)) {
            None => Ok(()),
            Some(unused) => Err(Refusal::invalid(format_args!("no expression uses {unused}; remove it"))),
        }
    }
}
