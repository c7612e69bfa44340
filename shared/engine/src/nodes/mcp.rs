//! The node type `mcp`: calls a tool of a server of the Model Context Protocol.

use std::time::Duration;

use domain::language::Translated;
use domain::run::OnUncertain;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::{Cel, Jinja};
use super::http::ToolCredentialKey;
use super::policy::Policies;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, Operation, StepError, address};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpNode<V = Cel, T = Jinja> {
    /// The URL of the MCP server: a template, as in `https://{{ input.region }}.example.com/mcp`.
    #[schema(inline)]
    pub url: T,
    /// The credential of the workflow that authenticates the call.
    #[schema(nullable = false)]
    pub credential_id: Option<Uuid>,
    /// The name of the tool, as the server lists it.
    #[schema(min_length = 1, max_length = 128, pattern = "^[a-zA-Z0-9_.-]+$", example = "search_orders")]
    pub tool: String,
    /// The hash of the tool's description and schemas. If the server has changed them, the step fails with
    /// `mcp_schema_changed` instead of calling the tool.
    #[schema(min_length = 64, max_length = 64, pattern = "^[0-9a-f]+$", nullable = false)]
    pub schema_hash: Option<String>,
    /// The arguments of the tool: an object. None if omitted.
    #[schema(inline, nullable = false)]
    pub arguments: Option<V>,
}

/// A call of a node or of an agent's tool, with the values of its expressions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpCall {
    pub url: String,
    pub tool: String,
    pub arguments: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential_id: Option<Uuid>,
    /// The credential of the tool; a node has `credential_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_credential: Option<ToolCredentialKey>,
    /// The policy of the agent's tool; a node has it beside its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_uncertain: Option<OnUncertain>,
}

impl NodeKind for McpNode {
    const NAME: &'static str = "mcp";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Calls a tool of an MCP server; its value is {content, structuredContent, text}. `content` has the texts, \
         images and resources, and `text` the texts alone. If the tool fails, so does the node, with the code \
         mcp_tool_error.",
        "Llama a una herramienta de un servidor MCP; su valor es {content, structuredContent, text}. `content` \
         tiene los textos, imágenes y recursos, y `text` solo los textos. Si la herramienta falla, también falla \
         el nodo, con el código mcp_tool_error.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = Duration::from_secs(60);
    // The protocol has no idempotency keys: a server performs a repeated call again.
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Ask;

    fn example() -> Value {
        json!({
            "url": "https://mcp.example.com/mcp", "tool": "search_orders",
            "arguments": "{'customer': input.customer, 'limit': 10}",
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        let part = json!({
            "type": "object", "required": ["type"],
            "properties": {
                "type": {"enum": ["text", "image", "audio", "resource", "resource_link"]},
                "text": {"type": "string"}, "base64": {"type": "string"}, "contentType": {"type": "string"},
                "uri": {"type": "string"}, "name": {"type": "string"}, "description": {"type": "string"},
            },
        });
        json!({
            "type": "object", "required": ["content", "structuredContent", "text"], "additionalProperties": false,
            "properties": {
                "content": {"type": "array", "items": part}, "structuredContent": {}, "text": {"type": "string"},
            },
        })
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let problem = address::template_problem(&self.url);
        problem.map(|problem| ("url".to_owned(), problem.into())).into_iter().collect()
    }

    fn credential(&self) -> Option<(Uuid, &'static str)> {
        self.credential_id.map(|id| (id, "credentialId"))
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let McpNode { url, credential_id, tool, schema_hash, arguments } = fields.evaluate::<McpNode<Value, String>>()?;
        let arguments = match arguments {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => {
                let message = "config.arguments: the value must be an object, such as {'query': input.query}";
                return Err(StepError::new("invalid_value", message));
            }
        };
        let call =
            McpCall { url, tool, arguments, schema_hash, credential_id, tool_credential: None, on_uncertain: None };
        Ok(NodeAction::Due(Operation::Mcp(call).into()))
    }
}
