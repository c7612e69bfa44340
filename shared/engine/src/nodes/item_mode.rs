//! The field `itemMode` of most nodes: the node works on lists of items, as the nodes of n8n do. Imported workflows use it, so
//! that they mean what they meant.
//!
//! An item is `{json, binary?, pairedItem?}`, where `pairedItem` is the index of the item of the node's input that it comes
//! from. `json` is an object, or what a script wrote there, such as a number. Any value becomes items by [`to_items`].

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

use super::fields::Js;
use super::r#loop::{LoopStart, OnItemError};
use super::simplify::simplify_schema;
use crate::schema::FieldProblem;
use domain::run::StepError;
use domain::translated;

pub const FIELD: &str = "itemMode";
/// The expression for what becomes the items of the node.
pub const RESULT: &str = "itemMode.result";
/// The expression for the error of an item.
pub const ERROR_OF_ITEM: &str = "itemMode.error";
/// The port of an outcome whose value is a map from ports to the lists of their items. The edges at the other ports are skipped.
pub const SEVERAL: &str = "*";

const JSON: &str = "json";
const PAIRED: &str = "pairedItem";
const ERROR: &str = "error";
/// The fields of an item.
const ITEM_FIELDS: [&str; 4] = [JSON, "binary", PAIRED, ERROR];
/// The longest message of an error in an item.
const MAX_ERROR_BYTES: usize = 2_000;

#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItemMode {
    /// How often the node runs: once for `each` item, which is the default, once for `all`, or once for the `first`. Nodes that
    /// cannot have the field `each` run once for all.
    #[schema(inline, nullable = false)]
    pub run: Option<ItemRun>,
    /// What becomes the items of the node. It sees `output`, the value that the node has without `itemMode`; `output` by
    /// default.
    #[schema(inline, nullable = false)]
    pub result: Option<Js>,
    /// What happens when the node fails for an item: the node fails (`fail`, the default), the `item` goes on as
    /// `{json: {error}}`, or it goes on at the port `error` with the message in its field `error` (`branch`). An item of `result`
    /// with an `error` beside its `json` has failed, too.
    #[schema(inline, nullable = false)]
    pub on_item_error: Option<ItemError>,
    /// What the field `error` of an item that failed is. It sees `output`, which is the error as `{code, message}`; the message
    /// by default.
    #[schema(inline, nullable = false)]
    pub error: Option<Js>,
    /// What the first port of the node gives if it has no items: nothing (`stop`, the default), or `one` empty item.
    #[schema(inline, nullable = false)]
    pub when_empty: Option<WhenEmpty>,
    /// The number of items that are processed at once; one by default.
    #[schema(minimum = 1, maximum = 20, nullable = false)]
    pub concurrency: Option<u32>,
    /// The time zone of `$now`, `$today` and `DateTime`; UTC by default.
    #[schema(max_length = 100, nullable = false, example = "Europe/Madrid")]
    pub zone: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemRun {
    /// Once for each item.
    #[default]
    Each,
    /// Once. Scripts see all items.
    All,
    /// Once, for the first item.
    First,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemError {
    /// The node fails.
    #[default]
    Fail,
    /// The item goes on as `{json: {error}}`.
    Item,
    /// The item goes on at the port `error`, with the message in its field `error`.
    Branch,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhenEmpty {
    /// Nothing after the port runs.
    #[default]
    Stop,
    /// The port gives one empty item.
    One,
}

impl ItemMode {
    /// Reads the field of a configuration. A value that is not valid counts as omitted; the compiler reports it.
    pub fn read(config: &Map<String, Value>) -> Option<Self> {
        Self::deserialize(config.get(FIELD)?).ok()
    }

    /// Whether the node goes on after the error of an item.
    pub fn keeps_errors(&self) -> bool {
        matches!(self.on_item_error, Some(ItemError::Item | ItemError::Branch))
    }

    pub fn has_error_port(&self) -> bool {
        self.on_item_error == Some(ItemError::Branch)
    }

    pub fn problems(&self) -> Vec<FieldProblem> {
        let zone = self.zone.as_deref().filter(|zone| TimeZone::get(zone).is_err());
        let message = |zone: &str| {
            translated!(
                "unknown time zone `{zone}`; use a name such as Europe/Madrid",
                "zona horaria desconocida `{zone}`; use un nombre como Europe/Madrid"
            )
        };
        zone.map(|zone| (format!("{FIELD}.zone"), message(zone))).into_iter().collect()
    }

    /// Begins the iterations of a node that runs once for each item.
    pub fn start(&self, items: Vec<Value>) -> LoopStart {
        let on_item_error = if self.keeps_errors() { OnItemError::Skip } else { OnItemError::Fail };
        let items = if self.run == Some(ItemRun::First) { items.into_iter().take(1).collect() } else { items };
        let concurrency = self.concurrency.unwrap_or(1).max(1) as usize;
        LoopStart { items, concurrency, on_item_error, max_rounds: None }
    }

    /// The outcome of a node with these ports, which received a `count` of items: the port, and the value there.
    pub fn outcome(
        &self,
        mut ports: Vec<(Cow<'static, str>, Vec<Value>)>,
        count: usize,
        has_several: bool,
    ) -> (String, Value) {
        if self.when_empty == Some(WhenEmpty::One)
            && let Some((_, items)) = ports.first_mut().filter(|(_, items)| items.is_empty())
        {
            let empty = json!({JSON: {}});
            items.push(if count == 1 { with_index(empty, 0) } else { empty });
        }
        ports.retain(|(_, items)| !items.is_empty());
        match ports.len() {
            0 if !has_several => (SEVERAL.to_owned(), Value::Array(Vec::new())),
            1 if !has_several => {
                let (port, items) = ports.swap_remove(0);
                (port.into_owned(), Value::Array(items))
            }
            _ => {
                let by_port = ports.into_iter().map(|(port, items)| (port.into_owned(), Value::Array(items)));
                (SEVERAL.to_owned(), Value::Object(by_port.collect()))
            }
        }
    }
}

/// The items that a value is: the elements of a list, or one item.
pub fn to_items(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(elements) => elements.iter().map(to_item).collect(),
        other => vec![to_item(other)],
    }
}

/// The number of the items that a value is.
pub fn count_items(value: &Value) -> usize {
    value.as_array().map_or(1, Vec::len)
}

/// The item at an index of the items that a value is.
pub fn item_at(value: &Value, index: usize) -> Option<Value> {
    match value {
        Value::Array(elements) => elements.get(index).map(to_item),
        other => (index == 0).then(|| to_item(other)),
    }
}

fn to_item(value: &Value) -> Value {
    match value {
        Value::Object(fields) if is_item(fields) => value.clone(),
        Value::Object(_) => json!({JSON: value}),
        Value::Null => json!({JSON: {}}),
        other => json!({JSON: {"data": other}}),
    }
}

fn is_item(fields: &Map<String, Value>) -> bool {
    fields.get(JSON).is_some_and(|json| !json.is_null())
        && fields.keys().all(|name| ITEM_FIELDS.contains(&name.as_str()))
}

/// The items of a node with `itemMode` at one of its ports, of its value.
pub fn items_at(value: &Value, port: &str) -> Vec<Value> {
    match value {
        Value::Object(ports) => ports.get(port).map(to_items).unwrap_or_default(),
        other => to_items(other),
    }
}

/// Names the item of the input that these items come from.
pub fn pair(items: Vec<Value>, index: usize) -> impl Iterator<Item = Value> {
    items.into_iter().map(move |item| with_index(item, index))
}

pub fn with_index(mut item: Value, index: usize) -> Value {
    if let Value::Object(fields) = &mut item {
        fields.insert(PAIRED.to_owned(), index.into());
    }
    item
}

pub fn without_index(mut item: Value) -> Value {
    if let Value::Object(fields) = &mut item {
        fields.remove(PAIRED);
    }
    item
}

/// The items that an item comes from: for each the input port of the node, and the index there.
pub fn origins(item: &Value) -> impl Iterator<Item = (usize, usize)> {
    let several = match item.get(PAIRED) {
        None => &[],
        Some(Value::Array(several)) => &several[..],
        Some(one) => std::slice::from_ref(one),
    };
    several.iter().filter_map(|origin| {
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        match origin {
            Value::Object(origin) => {
                Some((origin.get("input").and_then(number).unwrap_or_default(), number(origin.get("item")?)?))
            }
            index => Some((0, number(index)?)),
        }
    })
}

/// The error of an item that a node gave with one.
pub fn error_of(item: &Value) -> Option<&Value> {
    item.get(ERROR).filter(|error| !error.is_null())
}

pub fn message_of(error: &StepError) -> Value {
    let mut message = error.message.clone();
    message.truncate(message.floor_char_boundary(MAX_ERROR_BYTES));
    message.into()
}

/// The item of an error. With the port `error`, it keeps the fields of the item that failed.
pub fn error_item(error: Value, failed: Option<&Value>) -> Value {
    let mut fields = failed.and_then(|item| item.get(JSON)?.as_object().cloned()).unwrap_or_default();
    fields.insert(ERROR.to_owned(), error);
    json!({JSON: fields})
}

/// Adds the field to the schema of a type.
pub fn with_field(mut schema: Value) -> Value {
    let mut field = simplify_schema(serde_json::to_value(ItemMode::schema()).expect("a schema is JSON"));
    field["description"] = json!(
        "The node works on items, as the nodes of n8n do: its input and its value are lists of items `{json, binary, \
         pairedItem}`, and its JavaScript sees `$json`, `$input`, `$('name')` and the others of n8n. Nodes after a node without \
         items do not run."
    );
    schema["properties"][FIELD] = field;
    schema
}

/// Removes the field from a configuration.
pub fn without_field(mut config: Map<String, Value>) -> Map<String, Value> {
    config.remove(FIELD);
    config
}
