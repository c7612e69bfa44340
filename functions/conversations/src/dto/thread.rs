//! Request and response bodies of threads.

use domain::id::{ParticipantId, ThreadId};
use domain::messaging::MessagingProvider;
use domain::schema::TITLE;
use domain::thread::{Operator, OperatorHold, Thread, ThreadState};
use serde::{Deserialize, Serialize};
use store::sharing::Seen;
use store::threads::ThreadFilter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::seen::WorkflowNameOut;
use web::paging::{CommaList, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListThreads {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Returns only threads in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<ThreadState>, style = Form, explode = false, min_items = 1)]
    pub state: CommaList<ThreadState>,
    /// Returns only threads to which this participant has written.
    #[param(value_type = Option<Uuid>, nullable = false)]
    pub participant: Option<ParticipantId>,
    /// Returns only threads in which a participant waits for an operator: an operator holds the thread, and a participant
    /// wrote the last message. With `false`, only the others.
    #[param(nullable = false)]
    pub waiting_for_operator: Option<bool>,
}

impl ListThreads {
    pub fn filter(self) -> ThreadFilter {
        let Self { limit: _, cursor: _, state, participant, waiting_for_operator } = self;
        ThreadFilter { states: state.0, participant, waiting_for_operator }
    }
}

/// The threads to read
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "ThreadBatch")]
pub struct ThreadBatchIn {
    #[schema(value_type = Vec<Uuid>, min_items = 1, max_items = 100)]
    pub ids: Vec<ThreadId>,
}

/// A conversation
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Thread")]
pub struct ThreadOut {
    id: Uuid,
    workflow_id: Uuid,
    /// The messaging provider.
    channel: MessagingProvider,
    /// Who began the conversation. Null if a run began it and nobody has answered.
    #[schema(required)]
    participant: Option<ParticipantOut>,
    /// All who have written, the first one included.
    participants: Vec<ParticipantOut>,
    state: ThreadState,
    /// The operator who holds the thread.
    #[schema(required)]
    operator_state: Option<OperatorStateOut>,
    message_count: u64,
    #[schema(required, format = DateTime)]
    last_message_at: Option<String>,
}

/// A conversation, as a list over all workflows shows it
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "SeenThread")]
pub struct SeenThreadOut {
    #[serde(flatten)]
    thread: ThreadOut,
    workflow: WorkflowNameOut,
    /// An operator holds the thread, and a participant wrote the last message.
    waiting_for_operator: bool,
}

/// A person who writes to a workflow
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ThreadParticipant")]
pub struct ParticipantOut {
    id: Uuid,
    /// Null if the provider gives none, or if the participant was erased.
    #[schema(required)]
    name: Option<String>,
}

/// The operator who answers instead of the bot
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "OperatorState")]
pub struct OperatorStateOut {
    operator: OperatorOut,
    #[schema(format = DateTime)]
    taken_at: String,
}

/// An operator of a thread
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ThreadOperator")]
pub struct OperatorOut {
    /// Null if an earlier version of the platform stored no user.
    #[schema(required, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    user_id: Option<String>,
    /// The label with which the thread was taken, or the name of the user.
    name: String,
}

domain::text_schemas! {
    OperatorName(1, 200, TITLE, "one line that is not blank");
}

/// The operator. The caller, if it is omitted
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "OperatorName")]
pub struct OperatorIn {
    /// A label, for teams whose operators share an account.
    #[serde(default)]
    #[schema(value_type = OperatorName, required = false)]
    pub operator: Option<String>,
}

impl OperatorIn {
    /// The operator who calls.
    pub fn by(self, caller: &auth::Caller) -> Operator {
        let (user, name) = (Some(caller.user), self.operator.clone());
        let name = name.unwrap_or_else(|| caller.identity.user.name.clone());
        Operator { id: self.operator.unwrap_or_else(|| caller.user.to_string()), user, name }
    }
}

impl From<Thread> for ThreadOut {
    fn from(thread: Thread) -> Self {
        let participants: Vec<ParticipantOut> =
            thread.participants.into_iter().map(|known| ParticipantOut::new(known.id, known.name)).collect();
        let last_message_at = (thread.message_count > 0).then(|| thread.last_message_at.to_string());
        Self {
            id: thread.id.uuid(),
            workflow_id: thread.workflow.uuid(),
            channel: thread.provider,
            participant: participants.first().cloned(),
            participants,
            state: thread.control.state(),
            operator_state: thread.control.hold.map(Into::into),
            message_count: thread.message_count,
            last_message_at,
        }
    }
}

impl From<Seen<Thread>> for SeenThreadOut {
    fn from(seen: Seen<Thread>) -> Self {
        let waiting_for_operator = seen.item.control.waits_for_operator();
        Self { thread: seen.item.into(), workflow: seen.workflow.into(), waiting_for_operator }
    }
}

impl ParticipantOut {
    pub fn new(id: ParticipantId, name: Option<String>) -> Self {
        Self { id: id.uuid(), name }
    }
}

impl From<OperatorHold> for OperatorStateOut {
    fn from(hold: OperatorHold) -> Self {
        let user_id = hold.user.map(|user| user.to_string());
        let operator = OperatorOut { user_id, name: hold.name().to_owned() };
        Self { operator, taken_at: hold.taken_at.to_string() }
    }
}
