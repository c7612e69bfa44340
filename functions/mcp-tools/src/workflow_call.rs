//! Calls of workflows: each is a run, which is started once for each request of a session, followed until it ends, and stopped if
//! the client cancels the call.

use std::collections::VecDeque;
use std::time::Duration;

use auth::Caller;
use domain::graph::hash;
use domain::id::{AssistantSessionId, Id, RunId, WorkflowId};
use domain::run::{NewRun, RunEventKind, RunOrigin, RunStarter, RunState};
use domain::sharing::Shareable;
use domain::{Error, Result};
use mcp::Assistant;
use mcp::rmcp::model::{CallToolResult, RequestId};
use platform::run_news::RunWatcher;
use serde_json::{Map, Value, json};
use store::Runs;
use store::runs::{EventReader, NumberedEvent, StartKey, Started};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::Stores;
use crate::result::{self, RunProgress};

/// How often the log of a run is read if its worker is another process, and if a run that has asked a person may be about to pause.
const POLL: Duration = Duration::from_millis(250);
/// How often it is read if events are announced, in case the run is carried out elsewhere.
const ANNOUNCED_POLL: Duration = Duration::from_secs(5);

impl Stores {
    /// Starts the run of a call, or finds the one that the same request has started.
    pub async fn start_run(
        &self,
        caller: &Caller,
        assistant: &Assistant,
        id: WorkflowId,
        arguments: Map<String, Value>,
    ) -> Result<RunId> {
        let access = self.operator_access(caller, Shareable::Workflow(id)).await?;
        let workflow = self.workflows.get_header(access.account, id).await?;
        if workflow.tool.is_none() {
            return Err(Error::NotFound { kind: WorkflowId::KIND });
        }
        let startable = workflow.startable_release()?;
        let schema = self.schemas.find(access.account, id, startable.release).await?.ok_or_else(no_trigger)?;
        let asked = hash(&json!({"workflow": id, "arguments": arguments}));
        let new = NewRun::new(startable, RunOrigin::Mcp, schema.trigger.node_id.clone(), Value::Null);
        let input = schema.run_input(new.id, &caller.user.to_string(), arguments).await?;
        let started_by = Some(RunStarter { user_id: caller.user, client: assistant.client.clone() });
        let new = NewRun { input, started_by, ..new.with_retention(caller.plan.run_retention) };
        let request = assistant.session.zip(assistant.request.as_ref());
        let start_key = request.map(|(session, request)| start_key(session, request, asked));
        Ok(match self.runs.start(new, start_key.transpose()?).await? {
            Started::Now(run) => run.id,
            Started::Before(first) => first,
        })
    }

    /// Begins to follow a run, after an event of it.
    pub async fn follow_run(&self, id: RunId, after: u32, until: Instant) -> Result<RunFollower> {
        let watcher = self.runs.watch(id);
        let reader = self.runs.read_events(id, after).await?;
        let runs = self.runs.clone();
        // The event that asked a person may be before `after`.
        let may_pause = after > 0;
        Ok(RunFollower { runs, id, watcher, reader, until, found: VecDeque::new(), may_pause })
    }

    /// Finds the run that a request of a session has started.
    pub async fn find_call(&self, session: AssistantSessionId, request: &RequestId) -> Result<Option<RunId>> {
        self.runs.find_first(&start_key(session, request, String::new())?).await
    }

    /// Stops the run of a call. One that has ended stays as it is.
    pub async fn stop_run(&self, id: RunId) -> Result<()> {
        match self.runs.stop(id).await {
            Err(Error::Conflict { .. }) => Ok(()),
            stopped => stopped,
        }
    }

    /// The result of a run that the caller may see, as it is now.
    pub async fn find_result(&self, caller: &Caller, id: RunId) -> Result<CallToolResult> {
        let unknown = || Error::NotFound { kind: RunId::KIND };
        let run = self.runs.find(id).await?.filter(|run| run.account.org == caller.org).ok_or_else(unknown)?;
        let access = self.operator_access(caller, Shareable::Workflow(run.workflow)).await.map_err(|_| unknown())?;
        let run = self.runs.get(access.account, run.workflow, id).await?;
        Ok(match run.state {
            RunState::Queued | RunState::Running => result::unfinished(id, RunProgress::Running),
            RunState::Paused => result::unfinished(id, RunProgress::Paused),
            RunState::Completed => {
                run.check_not_erased()?;
                result::completed(id, self.runs.output(id).await?)
            }
            RunState::Cancelled => stopped(id),
            RunState::Failed => match &run.error {
                Some(error) => failed(id, &error.code, &error.message, error.node_id.as_deref()),
                None => return Err(Error::internal("a failed run has no error")),
            },
        })
    }
}

/// Follows a run until it ends, waits for a person, or the time is up.
pub struct RunFollower {
    runs: Runs,
    id: RunId,
    /// None if the worker is another process.
    watcher: Option<RunWatcher>,
    reader: EventReader,
    until: Instant,
    /// Events that were read and not yet returned.
    found: VecDeque<NumberedEvent>,
    /// The run has asked a person.
    may_pause: bool,
}

pub enum Followed {
    Event(NumberedEvent),
    /// The last one.
    Result(CallToolResult),
}

impl RunFollower {
    pub async fn next(&mut self) -> Result<Followed> {
        loop {
            if let Some(event) = self.found.pop_front() {
                self.may_pause |= matches!(event.event.kind, RunEventKind::StepAsked { .. });
                return Ok(match event.event.kind.ends_run() {
                    true => Followed::Result(end_result(&self.runs, self.id, &event.event.kind).await?),
                    false => Followed::Event(event),
                });
            }
            self.found = match self.reader.read().await {
                Err(Error::Unavailable { .. }) => VecDeque::new(),
                read => read?.into(),
            };
            if !self.found.is_empty() || !self.reader.is_at_end() {
                continue;
            }
            if self.may_pause && self.is_paused().await? {
                return Ok(Followed::Result(result::unfinished(self.id, RunProgress::Paused)));
            }
            if Instant::now() >= self.until {
                return Ok(Followed::Result(result::unfinished(self.id, RunProgress::Running)));
            }
            self.await_news().await;
        }
    }

    async fn is_paused(&self) -> Result<bool> {
        Ok(self.runs.find(self.id).await?.is_some_and(|run| run.state == RunState::Paused))
    }

    async fn await_news(&mut self) {
        let wait = if self.watcher.is_some() && !self.may_pause { ANNOUNCED_POLL } else { POLL };
        let next = self.until.min(Instant::now() + wait);
        match &mut self.watcher {
            Some(watcher) => drop(timeout_at(next, watcher.changed()).await),
            None => sleep_until(next).await,
        }
    }
}

/// The key of the run of a request. The ids of the requests of a session are unique: numbers, and texts in quotes.
fn start_key(session: AssistantSessionId, request: &RequestId, asked: String) -> Result<StartKey> {
    let id = serde_json::to_string(request).map_err(Error::internal)?;
    let key = StartKey::new(format!("mcp#{session}"), id, asked);
    key.ok_or_else(|| Error::invalid_body("id", format!("1 to {} characters", StartKey::MAX_CHARS)))
}

async fn end_result(runs: &Runs, id: RunId, end: &RunEventKind) -> Result<CallToolResult> {
    Ok(match end {
        RunEventKind::RunFailed { error } => failed(id, &error.code, &error.message, error.node_id.as_deref()),
        RunEventKind::RunCancelled => stopped(id),
        _ => result::completed(id, runs.output(id).await?),
    })
}

fn failed(id: RunId, code: &str, message: &str, node: Option<&str>) -> CallToolResult {
    let place = node.map(|node| format!(" at the node {node}")).unwrap_or_default();
    result::failed(code, &format!("{message} (the run {id} failed{place})"))
}

fn stopped(id: RunId) -> CallToolResult {
    result::failed("run_cancelled", &format!("the run {id} was stopped"))
}

fn no_trigger() -> Error {
    Error::invalid_state("the workflow begins with no node `input` or `message`; publish one that does")
}
