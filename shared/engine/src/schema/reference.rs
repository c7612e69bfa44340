//! Resolves `$ref` within one document: `#`, `#/$defs/name`, `#anchor`, and the same after the document's own `$id`.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

use super::vocabulary::{contained, contains};

/// The maximum length of a chain of references that `follow` resolves.
const MAX_HOPS: usize = 16;

/// Resolves the references of one document.
pub struct References<'s> {
    root: &'s Value,
    /// The schemas with an `$anchor`, collected on first use.
    anchors: OnceCell<HashMap<&'s str, &'s Value>>,
}

impl<'s> References<'s> {
    pub fn new(root: &'s Value) -> Self {
        Self { root, anchors: OnceCell::new() }
    }

    pub fn resolve(&self, reference: &str) -> Option<&'s Value> {
        let id = self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let fragment = match reference.strip_prefix('#') {
            Some(fragment) => fragment,
            None => match reference.strip_prefix(id?)? {
                "" => "",
                rest => rest.strip_prefix('#')?,
            },
        };
        let fragment = percent_decoded(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.root.pointer(&fragment);
        }
        let anchors = self.anchors.get_or_init(|| {
            let mut anchors = HashMap::new();
            collect_anchors(self.root, &mut anchors);
            anchors
        });
        anchors.get(fragment.as_str()).copied()
    }

    /// Returns the schema at the end of a chain of `$ref`s, or the schema itself if it has none.
    pub fn follow(&self, schema: &'s Value) -> &'s Value {
        let mut at = schema;
        for _ in 0..MAX_HOPS {
            match at.get("$ref").and_then(Value::as_str).and_then(|reference| self.resolve(reference)) {
                Some(target) => at = target,
                None => break,
            }
        }
        at
    }
}

fn collect_anchors<'s>(schema: &'s Value, anchors: &mut HashMap<&'s str, &'s Value>) {
    for (keyword, operand) in schema.as_object().into_iter().flatten() {
        if let (true, Some(name)) = (keyword == "$anchor", operand.as_str()) {
            anchors.entry(name).or_insert(schema);
        }
        if let Some((shape, _)) = contains(keyword) {
            contained(shape, operand).for_each(|(_, schema)| collect_anchors(schema, anchors));
        }
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        bytes.push(match first {
            b'%' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).ok()?
            }
            byte => *byte,
        });
    }
    String::from_utf8(bytes).ok()
}
