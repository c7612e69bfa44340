//! The response bodies of the events of a workbench.

use domain::workbench::{EventKind, WorkbenchEvent};
use serde::Serialize;
use utoipa::ToSchema;
use web::wire_enum;

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = WorkbenchEventType)]
    EventTypeOut = EventKind {
        Created, NotInstalled, Provisioning, Ready, Rejected, Failed, Starting, Stopping, Stopped, MemberAdded,
        MemberRemoved, VariablesChanged, Deleting, Deleted,
    }
}

/// Something that happened to a workbench.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchEvent)]
pub struct EventOut {
    /// Starts at 1, without gaps.
    number: u64,
    #[schema(format = DateTime)]
    at: String,
    r#type: EventTypeOut,
    message: String,
    /// The user who caused it. Null for what the platform did.
    #[schema(required)]
    actor: Option<String>,
}

impl From<WorkbenchEvent> for EventOut {
    fn from(WorkbenchEvent { number, at, detail, actor }: WorkbenchEvent) -> Self {
        let (r#type, message) = (detail.kind.into(), detail.message);
        Self { number, at: at.to_string(), r#type, message, actor: actor.map(|actor| actor.to_string()) }
    }
}

/// A page of the events of a workbench, oldest first
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkbenchEvents)]
pub struct EventsOut {
    pub items: Vec<EventOut>,
    /// The number of all events, including those that are not kept any more
    pub total: u64,
    /// Send it as `cursor` to get the next page; null on the last page
    #[schema(required)]
    pub next_cursor: Option<String>,
}
