//! One invocation of an agent, from its messages to its answer.

use domain::agent::{Agent, InvocationEnd, LONGEST_INVOCATION};
use domain::chat::Message;
use domain::id::{InvocationId, RunId};
use domain::identity::Account;
use domain::run::StepError;
use domain::{Error, Result};
use effects::{EffectOrigin, EffectOwner};
use engine::agent::{AgentEnd, AgentLimits, AgentRun, FunctionExecutor};
use runner::{Invocation, InvocationEvents};
use serde_json::json;
use tokio::time::timeout;

use crate::Stores;
use crate::dto::invoke::InvokeOut;
use crate::recording::{Conversation, Recording};

pub struct AgentInvocation {
    pub stores: Stores,
    pub id: InvocationId,
    /// The account under which the agent is stored.
    pub account: Account,
    /// The caller.
    pub payer: Account,
    pub agent: Agent,
    pub messages: Vec<Message>,
    pub recording: Recording,
}

impl AgentInvocation {
    pub async fn carry_out(self, events: Option<InvocationEvents>) -> Result<InvokeOut> {
        let Self { stores, id, account, payer, agent, messages, recording } = self;
        // Charges and the runs of tools have it as the id of a run.
        let run_id = RunId::from(id.uuid());
        let origin = EffectOrigin::Invocation { id: run_id, events: events.clone() };
        let owner = EffectOwner {
            account,
            payer,
            workflow: agent.scope.workflow(),
            request_prefix: format!("agent/{id}"),
            origin,
        };
        let effects = stores.performers.of_owner(owner);
        let trace = &recording.trace;
        let invocation =
            Invocation { id: run_id, effects: &effects, runs: &stores.runs, events: events.as_ref(), trace };
        let run = AgentRun::new(agent.id, messages, AgentLimits::default(), FunctionExecutor::Caller);
        let run = timeout(LONGEST_INVOCATION, invocation.carry_out(run)).await;
        match run.map_err(|_| timed_out()).and_then(ended) {
            Ok((end, messages)) => {
                let (output, functions) = match end {
                    AgentEnd::Answered(text) => (Some(text), Vec::new()),
                    AgentEnd::Functions(functions) => (None, functions),
                };
                // Without its usage, the invocation has no answer, so the record says that it failed.
                let usage = match stores.usage.total(run_id).await {
                    Ok(usage) => usage.into(),
                    Err(error) => {
                        let failure = StepError::new(error.code(), "the usage could not be read");
                        recording.end(InvocationEnd::Failed(failure), None).await;
                        return Err(error);
                    }
                };
                let conversation = Conversation { messages: messages.clone(), output: output.clone() };
                recording.end(InvocationEnd::Answered, Some(conversation)).await;
                let function_calls = functions.into_iter().map(Into::into).collect();
                Ok(InvokeOut { id: id.uuid(), output, function_calls, messages, usage })
            }
            Err(error) => {
                recording.end(InvocationEnd::Failed(error.clone()), None).await;
                Err(failed(error))
            }
        }
    }
}

fn ended(run: AgentRun) -> Result<(AgentEnd, Vec<Message>), StepError> {
    let end = run.end().cloned().ok_or_else(|| StepError::new("internal_error", "the agent has not ended"))?;
    Ok((end?, run.into_messages()))
}

fn failed(StepError { code, message }: StepError) -> Error {
    let message = format!("the agent failed: {message}");
    Error::Unprocessable { code: "agent_failed", message, details: json!({"code": code}) }
}

fn timed_out() -> StepError {
    let seconds = LONGEST_INVOCATION.as_secs();
    StepError::new("timeout", format!("the agent took longer than {seconds} s; give it less to do in one call"))
}
