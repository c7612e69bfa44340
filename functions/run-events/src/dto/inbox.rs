//! Query parameters and response bodies of the inbox.

use domain::thread::Thread;
use serde::{Deserialize, Serialize};
use store::console_inbox::InboxEntry;
use store::sharing::Seen;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::run::{RunErrorOut, WaitOut};
use web::builder::seen::WorkflowNameOut;
use web::paging::{default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListInbox {
    /// The maximum number of events of a page. A stream has no pages.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Streams the events that happen from now on, or after `Last-Event-ID`.
    #[serde(default)]
    pub follow: bool,
}

/// What happened
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum InboxEventType {
    /// A thread has a new message
    Message,
    /// An operator took the thread, or released it
    Operator,
    /// A review was opened that the caller may resolve
    Review,
    /// A run failed
    Failure,
}

/// The last thing that happened in a thread, an open review, or a run that failed
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "InboxEvent")]
pub struct InboxEventOut {
    /// Ids sort by the time of the event.
    id: Uuid,
    r#type: InboxEventType,
    #[schema(format = DateTime)]
    at: String,
    workflow: WorkflowNameOut,
    /// The thread of a `message` or an `operator`.
    #[schema(required)]
    thread_id: Option<Uuid>,
    /// The name of the operator who holds the thread. Null if the bot answers.
    #[schema(required)]
    operator: Option<String>,
    /// An operator holds the thread, and a participant wrote the last message.
    waiting_for_operator: bool,
    /// The run of a `review` or a `failure`.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// What a `review` asks.
    #[schema(required)]
    review: Option<WaitOut>,
    /// Why the run of a `failure` failed.
    #[schema(required)]
    error: Option<RunErrorOut>,
}

impl InboxEventOut {
    pub fn id(&self) -> Uuid {
        self.id
    }
}

impl From<Seen<InboxEntry>> for InboxEventOut {
    fn from(seen: Seen<InboxEntry>) -> Self {
        let empty = Self {
            id: seen.place,
            r#type: InboxEventType::Message,
            at: seen.at().to_string(),
            workflow: seen.workflow.into(),
            thread_id: None,
            operator: None,
            waiting_for_operator: false,
            run_id: None,
            review: None,
            error: None,
        };
        match seen.item {
            InboxEntry::Thread(Thread { id, control, last_message, .. }) => {
                let is_message = last_message.uuid() == seen.place;
                Self {
                    r#type: if is_message { InboxEventType::Message } else { InboxEventType::Operator },
                    thread_id: Some(id.uuid()),
                    waiting_for_operator: control.waits_for_operator(),
                    operator: control.hold.map(|hold| hold.name().to_owned()),
                    ..empty
                }
            }
            InboxEntry::Review(listed) => Self {
                r#type: InboxEventType::Review,
                run_id: Some(listed.run.id.uuid()),
                review: Some(listed.review.into()),
                ..empty
            },
            InboxEntry::Failure(run) => Self {
                r#type: InboxEventType::Failure,
                run_id: Some(run.id.uuid()),
                error: run.error.map(Into::into),
                ..empty
            },
        }
    }
}
