//! Parses and serializes JSON within the budget.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::ser::PrettyFormatter;

use super::super::budget::{json_text, json_text_as};
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["toJson"], &[], (1, 2), &[], to_json),
    Function::new(&["fromJson"], &["fromjson"], (1, 1), &[], from_json),
];

pub fn to_json<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    const MAX_INDENT: usize = 8;
    let json = a[0].to_json(budget)?;
    let indent = match optional(a, 1) {
        None | Some(Value::Bool(false)) => 0,
        Some(Value::Bool(true)) => 2,
        Some(indent) => size(indent)?,
    };
    let text = match indent {
        0 => json_text(&json, budget)?,
        1..=MAX_INDENT => json_text_as(PrettyFormatter::with_indent(" ".repeat(indent).as_bytes()), &json, budget)?,
        _ => return Err(Cause::Message("the indent must be at most 8")),
    };
    Value::text(&text, budget)
}

fn from_json<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let text = text(&a[0])?;
    budget.steps(text.len() / 8)?;
    let mut refusal = None;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Reader { budget, refusal: &mut refusal }.deserialize(&mut deserializer);
    match read.and_then(|value| deserializer.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(_) => Err(refusal.unwrap_or(Cause::Message("the text is not valid JSON"))),
    }
}

/// Deserializes JSON into values. Each value is charged before it is kept; a failure of the budget is stored in
/// `refusal`.
struct Reader<'b> {
    budget: &'b mut EvaluationBudget,
    refusal: &'b mut Option<Cause>,
}

impl Reader<'_> {
    fn reborrow(&mut self) -> Reader<'_> {
        Reader { budget: self.budget, refusal: self.refusal }
    }

    fn charge<T, E: Error>(&mut self, make: impl FnOnce(&mut EvaluationBudget) -> Result<T, Cause>) -> Result<T, E> {
        make(self.budget).map_err(|cause| {
            *self.refusal = Some(cause);
            E::custom("over the budget")
        })
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Value::Large(number), Value::Int))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<Self::Value, E> {
        self.charge(|budget| Value::text(text, budget))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.reborrow())? {
            self.charge(|budget| budget.bytes(size_of::<Value>()))?;
            list.push(item);
        }
        self.charge(|budget| Value::list(list, budget))
    }

    /// If a key occurs more than once, the last entry wins.
    fn visit_map<A: MapAccess<'de>>(mut self, mut source: A) -> Result<Self::Value, A::Error> {
        let (mut entries, mut indexes) = (Vec::new(), HashMap::new());
        while let Some(key) = source.next_key::<Cow<str>>()? {
            self.charge(|budget| budget.bytes(2 * size_of::<(Text, Value)>() + key.len()))?;
            let key: Rc<str> = key.into();
            let value = source.next_value_seed(self.reborrow())?;
            match indexes.entry(key.clone()) {
                Entry::Occupied(entry) => entries[*entry.get()] = (Text::Owned(key), value),
                Entry::Vacant(entry) => {
                    entry.insert(entries.len());
                    entries.push((Text::Owned(key), value));
                }
            }
        }
        self.charge(|budget| Value::map(entries, budget))
    }
}
