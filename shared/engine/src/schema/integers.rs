//! Converts whole numbers that are written as floats: `60.0` is an integer for a schema, but not for serde.

use serde_json::Value;

use super::budget::ValidationBudget;
use super::keywords::types::allows_type;
use super::reference::References;
use super::vocabulary::{Contains, contains};
use domain::number::exact_integer;

/// Converts every whole number to an integer where the schema has the type `integer`.
pub fn convert_whole_floats(schema: &Value, value: &mut Value) {
    IntegerConverter { references: References::new(schema), budget: ValidationBudget::default() }
        .convert(schema, value);
}

struct IntegerConverter<'s> {
    references: References<'s>,
    budget: ValidationBudget,
}

impl<'s> IntegerConverter<'s> {
    fn convert(&mut self, schema: &'s Value, value: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        self.budget.charge(1 + keywords.len());
        if !self.budget.enter() {
            return;
        }
        for (keyword, operand) in keywords {
            match contains(keyword) {
                Some((Contains::Schema, true)) if keyword != "not" => self.convert(operand, value),
                Some((Contains::List, true)) => {
                    operand.as_array().into_iter().flatten().for_each(|schema| self.convert(schema, value));
                }
                Some((Contains::Map, true)) => {
                    operand.as_object().into_iter().flatten().for_each(|(_, schema)| self.convert(schema, value));
                }
                _ if keyword == "$ref" => {
                    if let Some(target) = operand.as_str().and_then(|reference| self.references.resolve(reference)) {
                        self.convert(target, value);
                    }
                }
                _ => {}
            }
        }
        self.convert_value(schema, value);
        self.budget.leave();
    }

    fn convert_value(&mut self, schema: &'s Value, value: &mut Value) {
        match value {
            Value::Number(number) if number.is_f64() && allows_type(&schema["type"], "integer") => {
                if let Some(integer) = number.as_f64().and_then(exact_integer) {
                    *value = integer.into();
                }
            }
            Value::Array(items) => {
                let prefix = schema["prefixItems"].as_array().map(Vec::as_slice).unwrap_or_default();
                for (index, item) in items.iter_mut().enumerate() {
                    self.convert(prefix.get(index).unwrap_or(&schema["items"]), item);
                }
            }
            Value::Object(entries) => {
                for (name, value) in entries {
                    let known = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                    self.convert(known, value);
                }
            }
            _ => {}
        }
    }
}
