//! Exports of what a participant has written, and what the runs of their messages answered.

use std::collections::HashSet;
use std::time::Duration;

use uuid::Uuid;

use super::Threads;
use domain::Result;
use domain::id::{ParticipantId, RunId, WorkflowId};
use domain::page::Order;
use domain::thread::{Thread, ThreadMessage};

impl Threads {
    /// The messages of a thread that belong to a participant: all of them, if nobody else has written; otherwise their own,
    /// and those that answer them.
    pub async fn messages_of(&self, thread: &Thread, participant: ParticipantId) -> Result<Vec<ThreadMessage>> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = self.messages(thread.id, Order::Asc, 100, after).await?;
            all.extend(page.items);
            match page.next {
                None => break,
                next => after = next,
            }
        }
        if thread.participants.iter().all(|known| known.id == participant) {
            return Ok(all);
        }
        let own = all.iter().filter(|message| message.participant == Some(participant));
        let runs: HashSet<RunId> = own.filter_map(|message| message.run).collect();
        let is_theirs = |message: &ThreadMessage| match message.participant {
            Some(author) => author == participant,
            None => message.run.is_some_and(|run| runs.contains(&run)),
        };
        all.retain(is_theirs);
        Ok(all)
    }

    /// Stores an export of a participant. Returns its URL, which is valid for a time.
    pub async fn store_export(
        &self,
        workflow: WorkflowId,
        id: ParticipantId,
        export: Vec<u8>,
        valid: Duration,
    ) -> Result<String> {
        let object = format!("{}{}.json", export_prefix(id), Uuid::now_v7());
        self.bucket.put(&object, "application/json", export).await?;
        // An erasure that was requested meanwhile may have deleted the exports before this one was stored.
        if let Err(error) = self.participant(workflow, id).await {
            self.bucket.discard(&object).await;
            return Err(error);
        }
        self.bucket.presigned(&object, valid).await
    }

    pub async fn delete_exports(&self, id: ParticipantId) -> Result<()> {
        self.bucket.delete_all(&export_prefix(id)).await
    }
}

/// The prefix of the exports of a participant. A rule of the bucket deletes them after a week.
fn export_prefix(id: ParticipantId) -> String {
    format!("exports/participants/{id}/")
}
