//! The field `each` of most nodes: the node runs once for each element of a list, like the body of a loop that has only this
//! node. Its value is the list of results.

use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

use super::r#loop::{LoopNode, MAX_ROUNDS};
use super::simplify::simplify_schema;

pub const FIELD: &str = "each";
/// The expression for the list.
pub const ITEMS: &str = "each.items";

/// Adds the field to the schema of a type.
pub fn with_field(mut schema: Value) -> Value {
    let mut each = simplify_schema(serde_json::to_value(LoopNode::schema()).expect("a schema is JSON"));
    each["description"] = json!(
        "The node runs once for each element of a list: `input` and `vars.item` are the element, and `vars.index` is its index, \
         from 0. The value of the node is the list of results. Without it, the node runs once."
    );
    each["required"] = json!(["items"]);
    if let Some(properties) = each["properties"].as_object_mut() {
        properties.shift_remove(MAX_ROUNDS);
    }
    each["properties"]["items"]["description"] =
        json!("The list, such as `input` or `input.rows`, where `input` is the input of the node.");
    each["properties"]["onItemError"]["description"] =
        json!("What happens when the node fails for an element; `fail` by default.");
    schema["properties"][FIELD] = each;
    schema
}

/// Removes the field from a configuration.
pub fn without_field(mut config: Map<String, Value>) -> Map<String, Value> {
    config.remove(FIELD);
    config
}

/// The schema of the list, if the schemas of the results are these.
pub fn list_schema(results: Vec<Value>) -> Value {
    match &results[..] {
        [only] => json!({"type": "array", "items": only}),
        _ => json!({"type": "array", "items": {"anyOf": results}}),
    }
}
