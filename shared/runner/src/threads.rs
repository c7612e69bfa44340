//! Starts the runs of threads: the first message that waits starts a run of the active release.

use std::sync::Arc;

use domain::id::{RunId, ThreadId};
use domain::retention::RunRetention;
use domain::run::{NewRun, RunOrigin, RunThread, StartableRelease};
use domain::thread::{BusyPolicy, Thread, ThreadMessage, WaitingMessage};
use domain::{Error, Result};
use engine::compile::PlanStep;
use engine::drive::mask_run_input;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::Context;
use shared::auth::Owners;
use shared::store::threads::StoredThread;
use shared::store::{Runs, Threads, Workflows};

use crate::plans::ReleasePlans;

/// The maximum number of steps for one hint. Each step starts a run, ends one or drops a message.
const MAX_STEPS: usize = 50;

pub struct ThreadRuns {
    pub threads: Threads,
    pub runs: Runs,
    workflows: Workflows,
    owners: Owners,
    plans: Arc<ReleasePlans>,
}

/// Who answers the messages of a thread.
enum Answerer {
    Release {
        startable: StartableRelease,
        retention: RunRetention,
    },
    /// Nobody for now: the workflow is paused, or its owner is suspended.
    Later,
    /// The workflow was deleted.
    Nobody,
}

impl ThreadRuns {
    pub fn new(context: &Context, runs: Runs, plans: Arc<ReleasePlans>) -> Result<Self> {
        Ok(Self {
            threads: Threads::new(context)?,
            runs,
            workflows: Workflows::new(context)?,
            owners: Owners::new(context)?,
            plans,
        })
    }

    /// Starts the run of the first message that waits, or stops the run that it interrupts. A hint that comes twice or too
    /// late does nothing. Returns the run that was started.
    pub async fn advance(&self, id: ThreadId) -> Result<Option<RunId>> {
        for _ in 0..MAX_STEPS {
            let Some(stored) = self.threads.find(id).await? else { return Ok(None) };
            let control = &stored.thread.control;
            if let Some(run) = control.interrupted_run() {
                self.stop(id, run).await?;
                continue;
            }
            let Some(waiting) = control.next_message() else { return Ok(None) };
            let start = match self.find_answerer(&stored.thread).await? {
                Answerer::Release { startable, retention } => {
                    self.start(&stored, waiting, startable, retention).await?
                }
                Answerer::Later => return Ok(None),
                Answerer::Nobody => Start::Unanswerable,
            };
            match start {
                Start::Started(run) => return Ok(Some(run)),
                Start::Unanswerable => self.threads.drop_waiting(id).await?,
                Start::Erased => self.threads.drop_message(id, waiting.number).await?,
                Start::Changed => {}
            }
        }
        // The thread stays due, so the ticker sends its hint again.
        Ok(None)
    }

    /// Stops a run that a new message interrupts. Its end gives the thread back.
    async fn stop(&self, thread: ThreadId, run: RunId) -> Result<()> {
        match self.runs.stop(run).await {
            // It has ended meanwhile, or has expired.
            Err(Error::Conflict { .. } | Error::NotFound { .. }) => self.threads.end_run(thread, run).await,
            stopped => stopped,
        }
    }

    async fn find_answerer(&self, thread: &Thread) -> Result<Answerer> {
        let owner = match self.owners.admit(thread.account).await {
            Ok(owner) => owner,
            Err(Error::Unauthenticated(_)) => return Ok(Answerer::Later),
            Err(error) => return Err(error),
        };
        let workflow = match self.workflows.get_header(thread.account, thread.workflow).await {
            Ok(workflow) => workflow,
            Err(Error::NotFound { .. }) => return Ok(Answerer::Nobody),
            Err(error) => return Err(error),
        };
        let retention = owner.plan.run_retention;
        Ok(workflow.startable_release().map_or(Answerer::Later, |startable| Answerer::Release { startable, retention }))
    }

    async fn start(
        &self,
        stored: &StoredThread,
        waiting: WaitingMessage,
        startable: StartableRelease,
        retention: RunRetention,
    ) -> Result<Start> {
        let thread = &stored.thread;
        let release = self.plans.find(thread.account, thread.workflow, startable.release).await?;
        let trigger = release.trigger_of_inbox(thread.credential);
        let message = self.threads.message(thread.id, waiting.number).await?;
        let Some(trigger) = trigger else { return Ok(Start::Unanswerable) };
        let Some(message) = message else { return Ok(Start::Erased) };
        let Some(participant) = message.participant else { return Ok(Start::Erased) };
        let step = &release.plan.steps[trigger];
        let mut input = run_input(thread, &message);
        mask_run_input(&step.redaction, &mut input);
        let conversation = RunThread {
            id: thread.id,
            participant,
            provider: thread.provider,
            message: waiting.number,
            newest: thread.message_count,
        };
        let new = NewRun::new(startable, RunOrigin::Channel, step.id.clone(), input).with_retention(retention);
        let new = NewRun { thread: Some(conversation), ..new };
        let id = new.id;
        let is_started =
            self.runs.start_in_thread(new, &self.threads, stored, busy_policy(step), waiting.number).await?;
        Ok(if is_started { Start::Started(id) } else { Start::Changed })
    }
}

enum Start {
    Started(RunId),
    /// No node of the release answers messages of this account.
    Unanswerable,
    /// The message was erased, or has expired.
    Erased,
    /// The thread has changed since it was read.
    Changed,
}

/// The value of the `message` node.
fn run_input(thread: &Thread, message: &ThreadMessage) -> Value {
    let sender = thread.participants.iter().find(|known| Some(known.id) == message.participant);
    let attachments = message.attachments.iter().map(|attachment| {
        let file = &attachment.file;
        json!({"name": file.name, "mediaType": file.media_type})
    });
    json!({
        "text": message.text,
        "participant": {"id": message.participant, "name": sender.and_then(|sender| sender.name.as_deref())},
        "attachments": attachments.collect::<Vec<_>>(),
        "threadId": thread.id,
        "messageId": message.id,
    })
}

/// What happens with messages that arrive during the run.
fn busy_policy(step: &PlanStep) -> BusyPolicy {
    step.config.get("busy").and_then(|busy| BusyPolicy::deserialize(busy).ok()).unwrap_or_default()
}
