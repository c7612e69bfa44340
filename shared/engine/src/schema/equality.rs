//! Equality and hashes of values as JSON Schema defines them: numbers by value, objects in any order. Both functions
//! charge the budget for what they read.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use serde_json::{Number, Value};

use super::budget::ValidationBudget;
use super::number::{self, Exact};

pub fn equal(one: &Value, other: &Value, budget: &mut ValidationBudget) -> bool {
    budget.charge(1);
    if budget.exceeded().is_some() {
        return false;
    }
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => number::compare(one, other).is_eq(),
        (Value::String(one), Value::String(other)) if one.len() == other.len() => {
            budget.charge_bytes(one.len());
            one == other
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other, budget))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| {
                    budget.charge_bytes(name.len());
                    other.get(name).is_some_and(|other| equal(one, other, budget))
                })
        }
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        _ => false,
    }
}

/// Equal values have equal hashes. The hash is randomly keyed, so that values cannot be prepared that collide.
pub fn hash(value: &Value, state: &RandomState, budget: &mut ValidationBudget) -> u64 {
    budget.charge(1);
    if budget.exceeded().is_some() {
        return 0;
    }
    let mut hasher = state.build_hasher();
    match value {
        Value::Null => 0u8.hash(&mut hasher),
        Value::Bool(value) => (1u8, value).hash(&mut hasher),
        Value::Number(number) => hash_number(number, &mut hasher),
        Value::String(text) => {
            budget.charge_bytes(text.len());
            (3u8, text).hash(&mut hasher);
        }
        Value::Array(items) => {
            (4u8, items.len()).hash(&mut hasher);
            items.iter().for_each(|item| hash(item, state, budget).hash(&mut hasher));
        }
        Value::Object(entries) => {
            // The hashes are summed, because the entries have no order.
            let sum = entries.iter().fold(0u64, |sum, (name, value)| {
                budget.charge_bytes(name.len());
                sum.wrapping_add(state.hash_one((name, hash(value, state, budget))))
            });
            (5u8, entries.len(), sum).hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn hash_number(number: &Number, hasher: &mut impl Hasher) {
    match number::exact(number) {
        Exact::Whole(whole) => (2u8, whole).hash(hasher),
        Exact::Double(double) => (6u8, double.to_bits()).hash(hasher),
    }
}
