//! The state of one execution of an agent, without I/O: which calls of models and tools are due, and what follows from
//! their results.
//!
//! [`AgentRun::take_due`] returns the calls that became due. The caller makes them, any number at once, and reports each
//! result with [`AgentRun::finish`]. The calls are numbered from 0 in the order in which they became due. An execution is
//! a function of its first messages and of the results in the order in which they were reported, so a run of a workflow
//! records the results and reports them again after a crash.
//!
//! Agents call other agents: as tools, and as the members of a team. Each of them is a task of the same execution.

mod answer;
mod conversation;
mod result;
mod snapshot;
mod talking;
mod team;
mod tools;

use std::sync::Arc;

use serde_json::Value;

pub use crate::nodes::http::ToolCredentialKey;
use crate::nodes::{DueWork, LoadAgent, Operation};
use conversation::Conversation;
use domain::agent::AgentType;
use domain::chat::Message;
use domain::id::AgentId;
use domain::run::{AgentAction, AgentActionKind, StepError};
pub use snapshot::{AgentMember, AgentSnapshot, AgentTool, LeftOutTool, LoadedAgent, ToolTarget};
use team::Team;
pub use tools::describe_placeholders;

/// The maximum depth of agents that call agents.
const MAX_DEPTH: usize = 5;
/// The calls of one execution, of all its agents.
const MAX_CALLS: usize = 1_000;

/// The limits of one execution, over all its agents.
#[derive(Clone, Copy, Debug)]
pub struct AgentLimits {
    /// How often models are called.
    pub max_steps: u32,
    /// The tokens of all calls of models. The call that exceeds it is the last one.
    pub max_tokens: u64,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { max_steps: 25, max_tokens: 1_000_000 }
    }
}

/// Who executes the functions among the tools of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionExecutor {
    /// A person gives the result of a function, in a review.
    Person,
    /// The execution ends, and its caller continues the conversation.
    Caller,
}

/// A call that is due.
#[derive(Clone, Debug)]
pub struct AgentCall {
    pub number: usize,
    pub work: DueWork,
    pub action: AgentAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AgentEnd {
    Answered(String),
    /// The caller executes these functions, and continues with their results.
    Functions(Vec<FunctionCall>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    pub id: String,
    pub name: String,
    /// JSON, as the model wrote it.
    pub arguments: String,
}

pub struct AgentRun {
    /// The messages of the caller.
    messages: Vec<Message>,
    tasks: Vec<Task>,
    /// The purpose of each open call, by its number. An ended call has none.
    calls: Vec<Option<Purpose>>,
    due: Vec<AgentCall>,
    steps_left: u32,
    tokens_left: u64,
    functions: FunctionExecutor,
    end: Option<Result<AgentEnd, StepError>>,
}

/// One agent at work.
struct Task {
    agent: AgentId,
    client: Client,
    depth: usize,
    work: Work,
}

/// Who waits for the answer of a task.
#[derive(Clone, Copy)]
enum Client {
    /// The caller of the execution.
    Caller,
    /// The agent of another task, which has called this one as a tool.
    Agent { task: usize, place: usize },
    /// The team of another task.
    Team { task: usize, member: usize },
}

enum Work {
    Loading { messages: Vec<Message> },
    Searching { agent: Arc<AgentSnapshot>, messages: Vec<Message> },
    Talking(Conversation),
    Team(Team),
    Ended,
}

#[derive(Clone, Copy)]
enum Purpose {
    Load { task: usize },
    Search { task: usize },
    Answer { task: usize },
    Tool { task: usize, place: usize },
}

impl AgentRun {
    pub fn new(agent: AgentId, messages: Vec<Message>, limits: AgentLimits, functions: FunctionExecutor) -> Self {
        let AgentLimits { max_steps, max_tokens } = limits;
        let mut run = Self {
            messages: messages.clone(),
            tasks: Vec::new(),
            calls: Vec::new(),
            due: Vec::new(),
            steps_left: max_steps,
            tokens_left: max_tokens,
            functions,
            end: None,
        };
        run.begin_task(agent, messages, Client::Caller, 1);
        run
    }

    /// Lets the agent know the earlier messages of the conversation to which the run belongs. They are read with the agent.
    #[must_use]
    pub fn with_memory(mut self) -> Self {
        for call in &mut self.due {
            if let DueWork::Perform(operation) = &mut call.work
                && let Operation::LoadAgent(load) = Arc::make_mut(operation)
            {
                load.memory = true;
            }
        }
        self
    }

    /// The calls that became due since the last time.
    pub fn take_due(&mut self) -> Vec<AgentCall> {
        std::mem::take(&mut self.due)
    }

    /// The calls that have begun and have no result.
    pub fn open_calls(&self) -> impl Iterator<Item = usize> {
        self.calls.iter().enumerate().filter(|(_, purpose)| purpose.is_some()).map(|(number, _)| number)
    }

    pub fn is_open(&self, number: usize) -> bool {
        self.calls.get(number).is_some_and(Option::is_some)
    }

    pub fn end(&self) -> Option<&Result<AgentEnd, StepError>> {
        self.end.as_ref()
    }

    /// The messages of the caller, and those that followed. The work inside of a team is left out.
    pub fn into_messages(self) -> Vec<Message> {
        match self.tasks.into_iter().next().map(|task| task.work) {
            Some(Work::Talking(conversation)) if conversation.agent.r#type == AgentType::Single => {
                conversation.into_messages()
            }
            _ => {
                let text = match self.end {
                    Some(Ok(AgentEnd::Answered(text))) => Some(text),
                    _ => None,
                };
                let answer = text.map(|text| Message::assistant(Some(text), Vec::new()));
                self.messages.into_iter().chain(answer).collect()
            }
        }
    }

    /// Reports the result of a call.
    pub fn finish(&mut self, number: usize, result: Result<&Value, &StepError>) {
        let Some(purpose) = self.calls.get_mut(number).and_then(Option::take) else { return };
        if self.end.is_some() {
            return;
        }
        match (purpose, result) {
            (Purpose::Load { task }, Ok(value)) => match serde_json::from_value(value.clone()) {
                Ok(LoadedAgent { agent, history }) => self.agent_loaded(task, Arc::new(agent), history),
                Err(_) => self.end_task(task, Err(StepError::new("internal_error", "the agent cannot be read"))),
            },
            (Purpose::Search { task }, Ok(passages)) => {
                self.begin_talking(task, passages.as_array().map(Vec::as_slice).unwrap_or_default());
            }
            (Purpose::Answer { task }, Ok(answer)) => self.answered(task, answer),
            (Purpose::Tool { task, place }, result) => self.tool_ended(task, place, result),
            (Purpose::Load { task } | Purpose::Search { task } | Purpose::Answer { task }, Err(error)) => {
                self.end_task(task, Err(error.clone()));
            }
        }
    }

    /// Begins the work of an agent: reads it first.
    fn begin_task(&mut self, agent: AgentId, messages: Vec<Message>, client: Client, depth: usize) {
        let task = self.tasks.len();
        self.tasks.push(Task { agent, client, depth, work: Work::Loading { messages } });
        let load = Operation::LoadAgent(LoadAgent { agent_id: agent, memory: false });
        self.call(Purpose::Load { task }, load.into(), AgentActionKind::Load, agent.to_string());
    }

    /// Makes a call due.
    fn call(&mut self, purpose: Purpose, work: DueWork, kind: AgentActionKind, name: String) {
        let number = self.calls.len();
        if number == MAX_CALLS {
            let message = format!("an agent makes at most {MAX_CALLS} calls in one execution");
            return self.end_with(Err(StepError::new("agent_limit", message)));
        }
        let (Purpose::Load { task } | Purpose::Search { task } | Purpose::Answer { task } | Purpose::Tool { task, .. }) =
            purpose;
        let action = AgentAction { kind, name, agent_id: self.tasks[task].agent };
        self.calls.push(Some(purpose));
        self.due.push(AgentCall { number, work, action });
    }

    fn agent_loaded(&mut self, task: usize, agent: Arc<AgentSnapshot>, history: Vec<Message>) {
        let Work::Loading { messages } = std::mem::replace(&mut self.tasks[task].work, Work::Ended) else { return };
        let messages = [history, messages].concat();
        if agent.r#type == AgentType::Multiple {
            return self.begin_team(task, agent, messages);
        }
        self.begin_search(task, agent, messages);
    }

    /// Ends a task, and gives its answer to who waits for it.
    fn end_task(&mut self, task: usize, result: Result<String, StepError>) {
        let client = self.tasks[task].client;
        match client {
            Client::Caller => return self.end_with(result.map(AgentEnd::Answered)),
            Client::Agent { .. } | Client::Team { .. } => self.tasks[task].work = Work::Ended,
        }
        match client {
            Client::Caller => {}
            Client::Agent { task, place } => match result {
                Ok(text) => self.tool_ended(task, place, Ok(&Value::String(text))),
                Err(error) => self.tool_ended(task, place, Err(&error)),
            },
            Client::Team { task, member } => self.member_answered(task, member, result),
        }
    }

    fn end_with(&mut self, end: Result<AgentEnd, StepError>) {
        for call in self.due.drain(..) {
            self.calls[call.number] = None;
        }
        self.end.get_or_insert(end);
    }
}

impl Task {
    fn has_ended(&self) -> bool {
        matches!(self.work, Work::Ended)
    }
}

fn too_deep() -> StepError {
    let message = format!("agents call each other more than {MAX_DEPTH} levels deep; check whether one calls itself");
    StepError::new("too_deep", message)
}

#[cfg(test)]
mod tests;
