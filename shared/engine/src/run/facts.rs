//! What the expressions of a run see of the run itself, as `run`.

use serde_json::{Value, json};

use domain::run::{Run, RunOrigin};
use domain::time::Time;

/// The same after a restart and in a replay, so that values do not change.
#[derive(Clone, Debug)]
pub struct RunFacts {
    pub id: String,
    /// The id of the workflow. Previews have none.
    pub workflow: Option<String>,
    /// The time of the run, which `now()` returns.
    pub queued_at: Time,
    /// When the first process claimed the run.
    pub started_at: Time,
    /// The planned time, if a schedule started the run.
    pub scheduled_at: Option<Time>,
    pub origin: RunOrigin,
}

impl RunFacts {
    /// A run that begins as soon as it is queued, by hand.
    pub fn new(id: impl Into<String>, queued_at: Time) -> Self {
        Self {
            id: id.into(),
            workflow: None,
            queued_at,
            started_at: queued_at,
            scheduled_at: None,
            origin: RunOrigin::Manual,
        }
    }

    /// The value of `run`. The compiler knows its members (`compile/references.rs`).
    pub fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "startedAt": self.started_at.to_string(),
            "scheduledAt": self.scheduled_at.map(|at| at.to_string()),
            "origin": self.origin,
        })
    }
}

impl From<&Run> for RunFacts {
    fn from(run: &Run) -> Self {
        let queued_at = run.queued_at();
        Self {
            id: run.id.to_string(),
            workflow: Some(run.workflow.to_string()),
            queued_at,
            started_at: run.started_at.unwrap_or(queued_at),
            scheduled_at: run.scheduled_at,
            origin: run.origin,
        }
    }
}
