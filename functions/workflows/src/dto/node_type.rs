//! Response bodies of the catalog of node types.

use engine::nodes::policy::error_schema;
use engine::nodes::{Category, ERROR, NodeType};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use web::language;

/// A type of node that a graph can contain.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NodeType")]
pub struct NodeTypeOut {
    /// The name of the type.
    #[schema(example = "condition")]
    r#type: &'static str,
    category: Category,
    description: &'static str,
    /// The input ports.
    inputs: Vec<InputOut>,
    /// The output ports of the example. Other configurations can have other ports.
    outputs: Vec<OutputOut>,
    /// The output port of a failed node whose `onError` is `branch`. Null if the type has no `onError`.
    #[schema(required)]
    error_output: Option<OutputOut>,
    /// The JSON Schema of the node's `config`. `x-language` marks fields that are expressions: a string
    /// in `cel`, `jinja` or `javascript`, or a JavaScript expression as `{"js": "…"}` where the type allows an object.
    #[schema(value_type = Object)]
    config_schema: &'static Value,
    /// An example of the node.
    #[schema(value_type = Object, example = json!({"config": {"expression": "input.amount > 1000"}}))]
    example: &'static Value,
    /// Whether the node has side effects outside the run.
    effects: bool,
}

/// An input port.
#[derive(Serialize, ToSchema)]
pub struct InputOut {
    name: &'static str,
    /// Whether the port may be left unconnected.
    optional: bool,
}

/// An output port.
#[derive(Serialize, ToSchema)]
pub struct OutputOut {
    name: String,
    /// The JSON Schema of the value at the port, with the configuration of the example. An empty schema stands for any
    /// value. If the node fails and its `onError` is `continue`, the value is null.
    #[schema(value_type = Object, example = json!({"type": "array"}))]
    schema: Value,
}

impl From<&'static NodeType> for NodeTypeOut {
    fn from(node_type: &'static NodeType) -> Self {
        let inputs = node_type.inputs.iter().map(|input| InputOut { name: input.name, optional: input.optional });
        let outputs = node_type.example_outputs().into_iter();
        let error_output = OutputOut { name: ERROR.to_owned(), schema: error_schema() };
        Self {
            r#type: node_type.name,
            category: node_type.category,
            description: node_type.description.get(language::of_request()),
            inputs: inputs.collect(),
            outputs: outputs.map(|(name, schema)| OutputOut { name: name.into_owned(), schema }).collect(),
            error_output: node_type.can_have_error_port().then_some(error_output),
            config_schema: node_type.schema_in(language::of_request()),
            example: &node_type.example,
            effects: node_type.effects,
        }
    }
}
