//! The catalogue of node types.

use engine::nodes::{Category, NodeType};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NodeType")]
pub struct NodeTypeOut {
    #[schema(example = "condition")]
    r#type: &'static str,
    category: Category,
    description: &'static str,
    inputs: Vec<InputOut>,
    /// Those of the example: some configurations open others.
    outputs: Vec<OutputOut>,
    /// JSON Schema of a node's `config`. `x-language` marks strings that are expressions: `cel` or `jinja`.
    #[schema(value_type = Object)]
    config_schema: &'static Value,
    #[schema(value_type = Object, example = json!({"config": {"expression": "input.amount > 1000"}}))]
    example: &'static Value,
    /// Whether it does something outside of the run.
    effects: bool,
}

#[derive(Serialize, ToSchema)]
pub struct InputOut {
    name: &'static str,
    /// Whether the node runs without anything connected to it.
    optional: bool,
}

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
