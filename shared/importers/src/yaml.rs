//! Reads YAML as JSON. Aliases can expand a small text to a huge document (a "billion laughs" attack), so the bytes that
//! are value are counted and bounded.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::lenient::MAX_DEPTH;

/// The most bytes that all strings and values may take together.
const MAX_MADE_BYTES: usize = 32 * 1024 * 1024;
/// The size of a value without its string.
const VALUE_BYTES: usize = 32;
/// The size of a list or object without its values.
const CONTAINER_BYTES: usize = 256;

/// The document, or the line and column of the error.
pub fn read(text: &str) -> Result<Value, (u64, u64)> {
    let left = Cell::new(MAX_MADE_BYTES);
    serde_saphyr::with_deserializer_from_str_with_options(text, options(), |reader| {
        BoundedValue { left: &left, depth: MAX_DEPTH }.deserialize(reader)
    })
    .map_err(|error| error.location().map_or((1, 1), |place| (place.line(), place.column())))
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        // Dify's writer leaves `y` and `n` unquoted when they are strings, so only `true` and `false` are bools.
        strict_booleans: true,
        budget: serde_saphyr::budget! {
            max_events: 400_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_documents: 1,
            max_nodes: 200_000,
            max_merge_keys: 1_000,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 100_000,
            max_replay_stack_depth: 16,
            max_alias_expansions_per_anchor: 1_000,
        },
    }
}

#[derive(Clone, Copy)]
struct BoundedValue<'c> {
    left: &'c Cell<usize>,
    depth: usize,
}

impl BoundedValue<'_> {
    fn charge<E: Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(bytes + VALUE_BYTES).ok_or_else(|| E::custom("too large"))?;
        self.left.set(left);
        Ok(())
    }

    fn enter<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.charge(text.len())?;
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        self.deserialize(reader)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let nested = self.enter()?;
        self.charge(CONTAINER_BYTES)?;
        let mut value = Vec::new();
        while let Some(item) = items.next_element_seed(nested)? {
            self.charge(0)?;
            value.push(item);
        }
        Ok(Value::Array(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let nested = self.enter()?;
        self.charge(CONTAINER_BYTES)?;
        let mut value = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            self.charge(name.len())?;
            value.insert(name, entries.next_value_seed(nested)?);
        }
        Ok(Value::Object(value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_true_and_false_are_bools() {
        let read = read("y: [y, n, yes, No, on, OFF, true, False]").unwrap();
        assert_eq!(read, json!({"y": ["y", "n", "yes", "No", "on", "OFF", true, false]}));
    }
}
