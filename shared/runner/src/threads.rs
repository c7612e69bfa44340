//! Starts the runs of threads: the first message that waits starts a run.

use domain::id::{ParticipantId, RunId, ThreadId};
use domain::run::{NewRun, RunOrigin, RunThread};
use domain::thread::{BusyPolicy, Thread, ThreadMessage, WaitingMessage};
use domain::time::Clock;
use domain::{Error, Result};
use engine::drive::mask_run_input;
use engine::nodes::NodeConfig;
use engine::nodes::message::{MessageNode, MessageSender, MessageValue};
use serde_json::Value;
use store::threads::StoredThread;
use store::{Runs, Threads};

use crate::answerers::{Answerer, Answerers, AnsweringRelease};

/// The maximum number of steps for one hint. Each step starts a run, ends one or drops a message.
const MAX_STEPS: usize = 50;

pub struct ThreadRuns<A> {
    pub threads: Threads,
    pub runs: Runs,
    pub answerers: A,
    pub clock: Clock,
}

impl<A: Answerers> ThreadRuns<A> {
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
            let start = match self.answerers.find(&stored.thread).await? {
                Answerer::Release(release) => self.start(&stored, waiting, &release).await?,
                Answerer::Later => {
                    self.threads.postpone(&stored).await?;
                    return Ok(None);
                }
                Answerer::Nobody => {
                    self.threads.drop_waiting(id).await?;
                    return Ok(None);
                }
            };
            match start {
                Start::Started(run) => return Ok(Some(run)),
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

    async fn start(&self, stored: &StoredThread, waiting: WaitingMessage, release: &AnsweringRelease) -> Result<Start> {
        let thread = &stored.thread;
        let Some(message) = self.threads.message(thread.id, waiting.number).await? else { return Ok(Start::Erased) };
        let Some(participant) = message.participant else { return Ok(Start::Erased) };
        let step = release.step();
        let mut input = run_input(thread, participant, &message);
        mask_run_input(&step.redaction, &mut input);
        let conversation = RunThread {
            id: thread.id,
            participant,
            provider: thread.provider,
            message: waiting.number,
            newest: thread.message_count,
        };
        let id = RunId::of_message(self.clock.now(), thread.id, waiting.number);
        let new = NewRun::new(release.startable, RunOrigin::Channel, step.id.clone(), input);
        let new = NewRun { id, thread: Some(conversation), ..new.with_retention(release.retention) };
        let busy = busy_policy(release.plan.config(release.trigger));
        let is_started = self.runs.start_in_thread(new, &self.threads, stored, busy, waiting.number).await?;
        Ok(if is_started { Start::Started(id) } else { Start::Changed })
    }
}

enum Start {
    Started(RunId),
    /// The message was erased, or has expired.
    Erased,
    /// The thread has changed since it was read.
    Changed,
}

/// The value of the `message` node.
fn run_input(thread: &Thread, participant: ParticipantId, message: &ThreadMessage) -> Value {
    let sender = thread.participants.iter().find(|known| known.id == participant);
    MessageValue {
        text: &message.text,
        participant: MessageSender { id: participant, name: sender.and_then(|sender| sender.name.as_deref()) },
        attachments: message.attachments.iter().map(|attachment| (&attachment.file).into()).collect(),
        thread_id: thread.id,
        message_id: message.id,
        address: Some(&thread.destination.conversation),
    }
    .into_input()
}

/// What happens with messages that arrive during the run.
fn busy_policy(node: &NodeConfig) -> BusyPolicy {
    match node {
        NodeConfig::MessageNode(MessageNode { busy }) => busy.unwrap_or_default(),
        _ => BusyPolicy::default(),
    }
}
