//! The node type `send_message`: sends a message on a messaging channel.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::{Category, Fields, NodeKind, NodeResult, Operation};
use domain::language::Translated;
use domain::run::OnUncertain;

/// The provider and the account are set in the workflow's channels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessageNode<V = Cel, T = Jinja> {
    #[schema(inline)]
    pub text: T,
    /// The conversation at the provider, such as a Slack channel, `<channel>:<thread>`, a Telegram chat, or the number of a
    /// person; the conversation of the message that started the run if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub to: Option<V>,
}

impl NodeKind for SendMessageNode {
    const NAME: &'static str = "send_message";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: Translated = Translated::new(
        "Sends a message on a messaging channel. While an operator holds the conversation, nothing is \
         sent.",
        "Envía un mensaje por un canal de mensajería. Mientras un operador lleva la conversación, no se \
         envía nada.",
    );
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

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::SendMessage)
    }
}
