//! The node type `message`: starts a run for each message of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use domain::language::Translated;
use domain::id::{MessageId, ParticipantId, ThreadId};
use domain::messaging::RemoteFile;
use domain::thread::BusyPolicy;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, policy::Policies};

/// The provider and the account are set in the workflow's channels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageNode {
    /// What happens with a message while the run of the previous one is in progress; `enqueue` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub busy: Option<BusyPolicy>,
}

/// The value of the node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageValue<'a> {
    pub text: &'a str,
    pub participant: MessageSender<'a>,
    pub attachments: Vec<MessageFile<'a>>,
    pub thread_id: ThreadId,
    pub message_id: MessageId,
    /// The conversation at its provider, as `send_message` takes it: such as the chat of Telegram. None in a test.
    pub address: Option<&'a str>,
}

#[derive(Serialize)]
pub struct MessageSender<'a> {
    pub id: ParticipantId,
    pub name: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageFile<'a> {
    /// How the provider finds the file, such as the file id of Telegram.
    id: &'a str,
    name: &'a str,
    media_type: &'a str,
}

impl<'a> From<&'a RemoteFile> for MessageFile<'a> {
    fn from(file: &'a RemoteFile) -> Self {
        Self { id: &file.reference, name: &file.name, media_type: &file.media_type }
    }
}

impl MessageValue<'_> {
    /// The input of a run that the message starts.
    pub fn into_input(self) -> Value {
        serde_json::to_value(self).expect("a message is JSON")
    }
}

impl NodeKind for MessageNode {
    const NAME: &'static str = "message";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts a run for each message of a conversation on a messaging channel; its value is {text, \
         participant, attachments, threadId, messageId, address}.",
        "Inicia una ejecución por cada mensaje de una conversación en un canal de mensajería; su valor es \
         {text, participant, attachments, threadId, messageId, address}.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"busy": "enqueue"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "required": ["text", "participant", "attachments", "threadId", "messageId", "address"],
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
                        "required": ["id", "name", "mediaType"],
                        "properties": {"id": text, "name": text, "mediaType": text},
                    },
                },
                "threadId": text,
                "messageId": text,
                "address": {"type": ["string", "null"]},
            },
        })
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}
