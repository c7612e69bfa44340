//! The response body of a record.

use domain::run::{Run, RunChannel, RunOrigin, RunState};
use serde::Serialize;
use store::threads::ParticipantSummary;
use utoipa::ToSchema;
use uuid::Uuid;

use super::thread::ParticipantOut;

/// What a user of a workflow sees of a run.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Record")]
pub struct RecordOut {
    /// The same as `runId`.
    id: Uuid,
    run_id: Uuid,
    /// The conversation that the run belongs to. Null if no message started the run.
    #[schema(required)]
    thread_id: Option<Uuid>,
    /// The person whose message started the run.
    #[schema(required)]
    participant: Option<ParticipantOut>,
    /// The way by which the request arrived: the messaging provider of the conversation, a webhook, or the platform itself.
    channel: RunChannel,
    /// What started the run.
    origin: RunOrigin,
    state: RunState,
    /// When a worker first claimed the run.
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    #[schema(required, format = DateTime)]
    finished_at: Option<String>,
    /// The number of exchanges with models, other systems and people so far. An erased run keeps it.
    exchange_count: u64,
}

impl RecordOut {
    /// The record of a run. `names` has the participants that are known.
    pub fn new(run: Run, names: &[ParticipantSummary]) -> Self {
        let named = |id| names.iter().find(|known| known.id == id).and_then(|known| known.name.clone());
        let participant = run.thread.as_ref().map(|thread| thread.participant);
        let participant = participant.map(|id| ParticipantOut::new(id, named(id)));
        Self {
            id: run.id.uuid(),
            run_id: run.id.uuid(),
            thread_id: run.thread.as_ref().map(|thread| thread.id.uuid()),
            participant,
            channel: run.channel(),
            origin: run.origin,
            state: run.state,
            started_at: run.started_at.map(|at| at.to_string()),
            finished_at: run.ended_at.map(|at| at.to_string()),
            exchange_count: run.exchange_count,
        }
    }
}
