//! Request and response bodies of messages.

use domain::schema::NOT_BLANK;
use domain::thread::{Attachment, DeliveryState, MessageRole, ThreadMessage};
use domain::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::paging::{OrderIn, default_per_page, per_page};

use super::thread::OperatorName;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListMessages {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    #[serde(default)]
    #[param(inline, default = "desc")]
    pub order: OrderIn,
    /// Streams new messages. A stream has no pages and no order.
    #[serde(default)]
    pub follow: bool,
}

/// A message of a thread
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ThreadMessage")]
pub struct MessageOut {
    id: Uuid,
    /// The number of the message in its thread, from 1. A stream continues after it.
    #[schema(minimum = 1)]
    number: u64,
    role: MessageRole,
    content: String,
    /// The participant who sent it.
    #[schema(required)]
    participant_id: Option<Uuid>,
    /// The run that the message started, or that wrote it.
    #[schema(required)]
    run_id: Option<Uuid>,
    attachments: Vec<AttachmentOut>,
    status: DeliveryState,
    /// Why the provider did not accept it.
    #[schema(required)]
    error: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
}

/// A file of a message
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "MessageAttachment")]
pub struct AttachmentOut {
    #[schema(example = "invoice.pdf")]
    name: String,
    #[schema(example = "application/pdf")]
    media_type: String,
    /// In bytes, if the provider reports it.
    #[schema(required)]
    size: Option<u64>,
}

domain::text_schemas! {
    OperatorText(1, 16_000, NOT_BLANK, "a text that is not blank");
}

/// A message of an operator
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "OperatorMessage")]
pub struct OperatorMessageIn {
    /// Markdown. It is formatted for the provider.
    #[schema(value_type = OperatorText)]
    pub content: String,
    /// The operator who holds the thread; the caller's user id if it is omitted.
    #[serde(default)]
    #[schema(value_type = OperatorName, required = false)]
    pub operator: Option<String>,
}

/// A reminder
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "Nudge")]
pub struct NudgeIn {
    /// Markdown; a general reminder if it is omitted.
    #[serde(default)]
    #[schema(max_length = 4000, nullable = false)]
    pub content: Option<String>,
}

impl From<ThreadMessage> for MessageOut {
    fn from(message: ThreadMessage) -> Self {
        Self {
            id: message.id.uuid(),
            number: message.number,
            role: message.role,
            content: message.text,
            participant_id: message.participant.map(|id| id.uuid()),
            run_id: message.run.map(|id| id.uuid()),
            attachments: message.attachments.into_iter().map(Into::into).collect(),
            status: message.state,
            error: message.error,
            created_at: Time::from_uuid(message.id.uuid()).to_string(),
        }
    }
}

impl From<Attachment> for AttachmentOut {
    fn from(Attachment { file, .. }: Attachment) -> Self {
        Self { name: file.name, media_type: file.media_type, size: file.size }
    }
}
