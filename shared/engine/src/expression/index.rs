//! A hash index of values by equality. A lookup costs the size of the value, however many values there are.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::Cause;
use super::budget::EvaluationBudget;
use super::comparison::{equal, has_equal};
use super::value::{List, Value};

/// The hashes are randomly keyed, so that colliding values cannot be prepared.
#[derive(Default)]
pub struct ValueIndex<'a> {
    keys: RandomState,
    /// The index of each value, by its hash and its number among the values with the same hash.
    indexes: HashMap<(u64, usize), usize>,
    values: Vec<Value<'a>>,
}

/// The result of a lookup.
enum Lookup {
    /// An equal value is in the index.
    Found,
    /// No equal value is in the index. Holds the number of values with the same hash.
    Missing(usize),
}

/// The size of an entry.
const ENTRY_BYTES: usize = 96;

impl<'a> ValueIndex<'a> {
    /// Adds the value unless an equal one is in the index. NaN equals nothing, and neither does a list or map that
    /// contains it.
    pub fn insert(&mut self, value: Value<'a>, budget: &mut EvaluationBudget) -> Result<(), Cause> {
        budget.bytes(ENTRY_BYTES)?;
        match self.hash(&value, budget)? {
            None => self.values.push(value),
            Some(hash) => {
                if let Lookup::Missing(number) = self.find(hash, &value, budget)? {
                    self.indexes.insert((hash, number), self.values.len());
                    self.values.push(value);
                }
            }
        }
        Ok(())
    }

    pub fn contains(&self, value: &Value<'a>, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
        match self.hash(value, budget)? {
            None => Ok(false),
            Some(hash) => Ok(matches!(self.find(hash, value, budget)?, Lookup::Found)),
        }
    }

    /// Returns the values in insertion order.
    pub fn into_values(self) -> Vec<Value<'a>> {
        self.values
    }

    fn find(&self, hash: u64, value: &Value<'a>, budget: &mut EvaluationBudget) -> Result<Lookup, Cause> {
        let mut number = 0;
        while let Some(index) = self.indexes.get(&(hash, number)) {
            if equal(&self.values[*index], value, budget)? {
                return Ok(Lookup::Found);
            }
            number += 1;
        }
        Ok(Lookup::Missing(number))
    }

    /// Equal values have equal hashes: 1 and 1.0, and maps in any order. Returns none if the value contains NaN.
    fn hash(&self, value: &Value, budget: &mut EvaluationBudget) -> Result<Option<u64>, Cause> {
        budget.steps(1)?;
        let mut hasher = self.keys.build_hasher();
        match value {
            Value::Undefined => 0_u8.hash(&mut hasher),
            Value::Null => 1_u8.hash(&mut hasher),
            Value::Bool(value) => (2_u8, value).hash(&mut hasher),
            Value::Int(number) => hash_whole((*number).into(), &mut hasher),
            Value::Large(number) => hash_whole((*number).into(), &mut hasher),
            Value::Float(number) if number.is_nan() => return Ok(None),
            Value::Float(number) if number.fract() == 0.0 && number.abs() <= TWO_TO_64 => {
                hash_whole(*number as i128, &mut hasher);
            }
            Value::Float(number) => (4_u8, number.to_bits()).hash(&mut hasher),
            Value::Text(text) => {
                budget.steps(text.len() / 32)?;
                (5_u8, &**text).hash(&mut hasher);
            }
            Value::List(items) => {
                (6_u8, items.len()).hash(&mut hasher);
                for item in items.iter() {
                    let Some(hash) = self.hash(&item, budget)? else { return Ok(None) };
                    hash.hash(&mut hasher);
                }
            }
            Value::Map(entries) => {
                let mut sum = 0_u64;
                for (key, value) in entries.iter() {
                    budget.steps(key.len() / 32)?;
                    let Some(hash) = self.hash(&value, budget)? else { return Ok(None) };
                    sum = sum.wrapping_add(self.keys.hash_one((&*key, hash)));
                }
                (7_u8, entries.len(), sum).hash(&mut hasher);
            }
            Value::Time(time) => (8_u8, time).hash(&mut hasher),
            Value::Duration(duration) => (9_u8, duration).hash(&mut hasher),
        }
        Ok(Some(hasher.finish()))
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

fn hash_whole(number: i128, hasher: &mut impl Hasher) {
    (3_u8, number).hash(hasher);
}

/// The lists that an evaluation searches. From the second search on, a list has an index, so that a filter by `x in
/// list` costs the sum of both lengths and not their product.
#[derive(Default)]
pub struct Indexes<'a>(HashMap<usize, (List<'a>, Option<ValueIndex<'a>>)>);

/// Shorter lists are searched without an index.
const MIN_INDEXED_LEN: usize = 16;

impl<'a> Indexes<'a> {
    pub fn contains(
        &mut self,
        list: &List<'a>,
        value: &Value<'a>,
        budget: &mut EvaluationBudget,
    ) -> Result<bool, Cause> {
        if list.len() < MIN_INDEXED_LEN {
            return has_equal(list, value, budget);
        }
        // The list is kept alive with its index, so that no other list gets its address.
        let Some((_, index)) = self.0.get_mut(&list.address()) else {
            budget.bytes(ENTRY_BYTES)?;
            self.0.insert(list.address(), (list.clone(), None));
            return has_equal(list, value, budget);
        };
        if let Some(index) = index {
            return index.contains(value, budget);
        }
        let mut built = ValueIndex::default();
        for item in list.iter() {
            built.insert(item, budget)?;
        }
        index.insert(built).contains(value, budget)
    }
}
