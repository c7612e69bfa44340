//! The node type `message`: starts a run for each message of a conversation.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use domain::thread::BusyPolicy;

use super::{Category, NodeKind, policy::Policies};

/// The provider and the account are set in the workflow's channels.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageNode {
    /// What happens with a message while the run of the previous one is in progress; `enqueue` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub busy: Option<BusyPolicy>,
}

impl NodeKind for MessageNode {
    const NAME: &'static str = "message";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: &'static str =
        "Starts a run for each message of a conversation on a messaging channel; its value is {text, participant, attachments, threadId, messageId}.";
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"busy": "enqueue"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "required": ["text", "participant", "attachments", "threadId", "messageId"],
            "properties": {
                "text": text,
                "participant": {
                    "type": "object",
                    "required": ["id", "name"],
                    "properties": {"id": text, "name": {"type": ["string", "null"]}},
                },
                "attachments": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name", "mediaType"],
                        "properties": {"name": text, "mediaType": text},
                    },
                },
                "threadId": text,
                "messageId": text,
            },
        })
    }
}
