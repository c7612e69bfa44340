//! Response bodies of the catalog of node types.

use engine::nodes::{Category, NodeType};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

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
    /// The JSON Schema of the node's `config`. `x-language` marks strings that are expressions, in `cel` or `jinja`.
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
}

impl From<&'static NodeType> for NodeTypeOut {
    fn from(node_type: &'static NodeType) -> Self {
        let inputs = node_type.inputs.iter().map(|input| InputOut { name: input.name, optional: input.optional });
        let outputs = node_type.example_outputs().into_iter().map(|name| OutputOut { name: name.into_owned() });
        Self {
            r#type: node_type.name,
            category: node_type.category,
            description: node_type.description,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            config_schema: &node_type.schema,
            example: &node_type.example,
            effects: node_type.effects,
        }
    }
}
