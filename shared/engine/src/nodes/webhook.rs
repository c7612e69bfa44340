//! The node type `webhook`: starts a run for each call of a webhook.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, policy::Policies};
use domain::language::Translated;

/// The webhook and its response are set in the workflow's channels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookNode {
    /// The value of the node: the `body` of the call, or the whole `call` as `{body, query, headers, method}`. Headers that may
    /// hold secrets are left out, and long ones are cut. `body` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub input: Option<WebhookInput>,
    /// What a synchronous call gets when the run has completed: the `run`, as `{runId, output}`, or the run's `output`, which then
    /// is the response: `{status, headers, body}`. A text is sent as it is, a file `{base64, contentType}` as its content, and
    /// another body as JSON. `run` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub response: Option<WebhookResponse>,
    /// Whether a GET starts a run, too. Anyone who opens a link with the token then starts one, and so may programs that look at
    /// links. `false` by default.
    #[serde(default)]
    pub allow_get: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookResponse {
    #[default]
    Run,
    Output,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookInput {
    #[default]
    Body,
    Call,
}

impl NodeKind for WebhookNode {
    const NAME: &'static str = "webhook";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts a run for each call of a webhook; its value is the call's body, or the whole call.",
        "Inicia una ejecución por cada llamada de un webhook; su valor es el cuerpo de la llamada, o la llamada entera.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let text = json!({"type": "string"});
        let one_or_more = json!({"type": ["string", "array"], "items": text});
        match self.input.unwrap_or_default() {
            WebhookInput::Body => json!({}),
            WebhookInput::Call => json!({
                "type": "object",
                "required": ["body", "query", "headers", "method"],
                "properties": {
                    "body": {},
                    "query": {"type": "object", "additionalProperties": one_or_more},
                    "headers": {"type": "object", "additionalProperties": text},
                    "method": text,
                },
            }),
        }
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}
