//! The node type `send_message`: sends a message on a messaging channel.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::{OnUncertain, Policies};
use super::{Category, NodeKind};

/// The provider and the account are set in the workflow's channels.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessageNode {
    #[schema(inline)]
    pub text: Jinja,
    /// The conversation at the provider, such as a Slack channel, `<channel>:<thread>`, a Telegram chat, or the number of a
    /// person; the conversation of the message that started the run if omitted.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub to: Option<Cel>,
}

impl NodeKind for SendMessageNode {
    const NAME: &'static str = "send_message";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: &'static str = "Sends a message on a messaging channel. While an operator holds the conversation, nothing is sent.";
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    /// Providers limit the rate of messages, and say when to try again.
    const ATTEMPTS: u32 = 5;
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Ask;

    fn example() -> Value {
        json!({"text": "Your order {{ input.order }} is on its way."})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "required": ["status", "threadId", "messageId"],
            "properties": {
                "status": {"enum": ["sent", "suppressed"]},
                "threadId": text,
                "messageId": {"type": ["string", "null"]},
            },
        })
    }
}
