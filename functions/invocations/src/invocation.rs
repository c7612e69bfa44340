//! One invocation of an agent, from its messages to its answer.

use std::time::Duration;

use domain::agent::Agent;
use domain::chat::Message;
use domain::id::RunId;
use domain::identity::Account;
use domain::run::StepError;
use domain::{Error, Result};
use effects::{EffectOrigin, EffectOwner};
use engine::agent::{AgentEnd, AgentLimits, AgentRun, FunctionExecutor};
use runner::{Invocation, InvocationEvents};
use serde_json::{Value, json};
use store::usage::Figures;
use tokio::time::timeout;

use crate::Stores;
use crate::dto::InvokeOut;

/// API Gateway ends a stream after 300 seconds.
const LIMIT: Duration = Duration::from_secs(285);

pub struct AgentInvocation {
    pub stores: Stores,
    /// The account under which the agent is stored.
    pub account: Account,
    pub payer: Account,
    pub agent: Agent,
    pub messages: Vec<Value>,
}

impl AgentInvocation {
    pub async fn carry_out(self, events: Option<InvocationEvents>) -> Result<InvokeOut> {
        let Self { stores, account, payer, agent, messages } = self;
        let messages =
            read_messages(messages).map_err(|error| failed(StepError::new(error.code(), error.to_string())))?;
        let id = RunId::new();
        let origin = EffectOrigin::Invocation { id, events: events.clone() };
        let owner = EffectOwner {
            account,
            payer,
            workflow: agent.scope.workflow(),
            request_prefix: format!("agent/{id}"),
            origin,
        };
        let effects = stores.performers.of_owner(owner);
        let invocation = Invocation { id, effects: &effects, runs: &stores.runs, events: events.as_ref() };
        let run = AgentRun::new(agent.id, messages, AgentLimits::default(), FunctionExecutor::Caller);
        let run = timeout(LIMIT, invocation.carry_out(run)).await.map_err(|_| timed_out())?;
        let end = run.end().cloned().ok_or_else(|| Error::internal("an agent has not ended"))?;
        let (output, functions) = match end.map_err(failed)? {
            AgentEnd::Answered(text) => (Some(text), Vec::new()),
            AgentEnd::Functions(functions) => (None, functions),
        };
        let mut usage = Figures::default();
        for figures in stores.usage.find(id).await?.into_values() {
            usage += figures;
        }
        Ok(InvokeOut {
            id: id.uuid(),
            output,
            function_calls: functions.into_iter().map(Into::into).collect(),
            messages: run.into_messages(),
            usage: usage.into(),
        })
    }
}

fn read_messages(messages: Vec<Value>) -> Result<Vec<Message>> {
    let read = |(place, message)| Message::read(&format!("messages[{place}]"), message);
    messages.into_iter().enumerate().map(read).collect()
}

fn failed(StepError { code, message }: StepError) -> Error {
    let message = format!("the agent failed: {message}");
    Error::Unprocessable { code: "agent_failed", message, details: json!({"code": code}) }
}

fn timed_out() -> Error {
    let message = format!("the agent took longer than {} s; give it less to do in one call", LIMIT.as_secs());
    failed(StepError::new("timeout", message))
}
