//! Converts whole numbers that are written as floats: `60.0` is an integer for a schema, but not for serde.

use serde_json::Value;

use super::budget::Budget;
use super::keywords::types::may_be;
use super::reference::References;
use super::vocabulary::{Contains, contains};
use domain::number::exact_integer;

/// Converts every whole number to an integer where the schema has the type `integer`.
pub fn settle(schema: &Value, value: &mut Value) {
    IntegerConverter { references: References::new(schema), budget: Budget::default() }.settle(schema, value);
}

struct IntegerConverter<'s> {
    references: References<'s>,
    budget: Budget,
}

impl<'s> IntegerConverter<'s> {
    fn settle(&mut self, schema: &'s Value, value: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        self.budget.charge(1 + keywords.len());
        if !self.budget.enter() {
            return;
        }
        for (keyword, operand) in keywords {
            match contains(keyword) {
                Some((Contains::Schema, true)) if keyword != "not" => self.settle(operand, value),
                Some((Contains::List, true)) => {
                    operand.as_array().into_iter().flatten().for_each(|schema| self.settle(schema, value));
                }
                Some((Contains::Map, true)) => {
                    operand.as_object().into_iter().flatten().for_each(|(_, schema)| self.settle(schema, value));
                }
                _ if keyword == "$ref" => {
                    if let Some(target) = operand.as_str().and_then(|reference| self.references.resolve(reference)) {
                        self.settle(target, value);
                    }
                }
                _ => {}
            }
        }
        self.settle_within(schema, value);
        self.budget.leave();
    }

    fn settle_within(&mut self, schema: &'s Value, value: &mut Value) {
        match value {
            Value::Number(number) if number.is_f64() && may_be(&schema["type"], "integer") => {
                if let Some(integer) = number.as_f64().and_then(exact_integer) {
                    *value = integer.into();
                }
            }
            Value::Array(items) => {
                let prefix = schema["prefixItems"].as_array().map(Vec::as_slice).unwrap_or_default();
                for (index, item) in items.iter_mut().enumerate() {
                    self.settle(prefix.get(index).unwrap_or(&schema["items"]), item);
                }
            }
            Value::Object(entries) => {
                for (name, value) in entries {
                    let known = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                    self.settle(known, value);
                }
            }
            _ => {}
        }
    }
}
