//! The work of a single agent: it searches its sources, asks its model, and calls the tools that the model wants.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{ModelMessage, count_tokens};
use super::conversation::{Conversation, WantedCall};
use super::result::{ToolAnswer, error_text, read_result};
use super::snapshot::{AgentSnapshot, AgentTool, ToolTarget};
use super::tools::{ToolWork, read_arguments, tool_work};
use super::{AgentEnd, AgentRun, Client, FunctionCall, FunctionExecutor, MAX_DEPTH, Purpose, Task, Work, too_deep};
use crate::nodes::Operation;
use crate::nodes::retrieval::{PassageSource, RetrievalNode};
use domain::agent::AgentType;
use domain::chat::{ChatPrompt, ChatRole, Message};
use domain::run::{AgentActionKind, StepError};

/// The sources are searched for the beginning of a long message. Models of embeddings limit the text.
const MAX_QUERY_CHARS: usize = 2_000;

impl AgentRun {
    /// Searches the sources of an agent for its last message, before its model is asked.
    pub(super) fn begin_search(&mut self, task: usize, agent: Arc<AgentSnapshot>, messages: Vec<Message>) {
        let query: String = last_text(&messages).chars().take(MAX_QUERY_CHARS).collect();
        let embeddings_model = agent.embeddings_model.clone().filter(|_| !query.trim().is_empty());
        let Some(model) = embeddings_model.filter(|_| !agent.sources.is_empty()) else {
            self.tasks[task].work = Work::Searching { agent, messages };
            return self.begin_talking(task, &[]);
        };
        let sources = agent.sources.iter().cloned().map(PassageSource::from).collect();
        let search = RetrievalNode { model: model.clone(), query, sources, top_k: None, min_score: None };
        self.tasks[task].work = Work::Searching { agent, messages };
        self.call(Purpose::Search { task }, Operation::Retrieval(search).into(), AgentActionKind::Search, model);
    }

    pub(super) fn begin_talking(&mut self, task: usize, passages: &[Value]) {
        let Work::Searching { agent, messages } = std::mem::replace(&mut self.tasks[task].work, Work::Ended) else {
            return;
        };
        self.tasks[task].work = Work::Talking(Conversation::new(agent, passages, messages));
        self.ask(task);
    }

    /// Asks the model of a conversation for its next answer.
    fn ask(&mut self, task: usize) {
        let Work::Talking(conversation) = &self.tasks[task].work else { return };
        let prompt = conversation.prompt(self.steps_left == 1);
        self.ask_model(task, prompt);
    }

    pub(super) fn ask_model(&mut self, task: usize, prompt: ChatPrompt) {
        if self.steps_left == 0 || self.tokens_left == 0 {
            let limit = if self.steps_left == 0 { "calls of models" } else { "tokens" };
            let message = format!("the agent used up its {limit}; raise the limit, or simplify its task");
            return self.end_with(Err(StepError::new("agent_limit", message)));
        }
        self.steps_left -= 1;
        let model = prompt.model.clone();
        self.call(Purpose::Answer { task }, Operation::AskModel(prompt).into(), AgentActionKind::Model, model);
    }

    pub(super) fn answered(&mut self, task: usize, answer: &Value) {
        self.tokens_left = self.tokens_left.saturating_sub(count_tokens(answer));
        let message = ModelMessage::read(answer);
        match &mut self.tasks[task].work {
            Work::Talking(conversation) => match conversation.add_answer(message) {
                Some(text) if text.trim().is_empty() => {
                    let message = "the model gave an empty answer; it may have refused, or reached its token limit";
                    self.end_task(task, Err(StepError::new("empty_answer", message)));
                }
                Some(text) => self.end_task(task, Ok(text)),
                None => self.call_tools(task),
            },
            Work::Team(_) => self.member_chosen(task, &message),
            Work::Loading { .. } | Work::Searching { .. } | Work::Ended => {}
        }
    }

    /// Makes the calls of tools that the last answer wants, all at once.
    fn call_tools(&mut self, task: usize) {
        let Work::Talking(conversation) = &self.tasks[task].work else { return };
        let agent = conversation.agent.clone();
        for (place, WantedCall { call, .. }) in conversation.calls().to_vec().into_iter().enumerate() {
            if self.end.is_some() {
                return;
            }
            let Some(tool) = agent.find_tool(&call.name) else {
                let message = format!("there is no tool {}", call.name);
                self.set_result(task, place, error_text(&StepError::new("unknown_tool", message)));
                continue;
            };
            let arguments = match read_arguments(tool, &call.arguments) {
                Ok(arguments) => arguments,
                Err(error) => {
                    self.set_result(task, place, error_text(&error));
                    continue;
                }
            };
            if tool.target == ToolTarget::Function && self.functions == FunctionExecutor::Caller {
                // The messages that a team returns do not have its calls.
                if !matches!(self.tasks[task].client, Client::Caller) || agent.r#type == AgentType::Multiple {
                    let message = "only the agent that was called directly can use functions";
                    self.set_result(task, place, error_text(&StepError::new("not_available", message)));
                }
                continue;
            }
            match tool_work(tool, arguments) {
                Err(error) => self.set_result(task, place, error_text(&error)),
                Ok(work) => self.begin_tool(task, place, tool, work),
            }
        }
        self.continue_talking(task);
    }

    fn begin_tool(&mut self, task: usize, place: usize, tool: &AgentTool, work: ToolWork) {
        let depth = self.tasks[task].depth;
        match work {
            ToolWork::Agent { .. } if depth == MAX_DEPTH => self.set_result(task, place, error_text(&too_deep())),
            ToolWork::Agent { agent_id, message } => {
                self.begin_task(agent_id, vec![Message::user(message)], Client::Agent { task, place }, depth + 1);
            }
            ToolWork::Due(work) => {
                self.call(Purpose::Tool { task, place }, work, tool.target.action(), tool.name.clone());
            }
        }
    }

    pub(super) fn tool_ended(&mut self, task: usize, place: usize, result: Result<&Value, &StepError>) {
        let Work::Talking(conversation) = &self.tasks[task].work else { return };
        let Some(WantedCall { call, .. }) = conversation.calls().get(place) else { return };
        let target = conversation.agent.find_tool(&call.name).map(|tool| &tool.target);
        let sees_images = conversation.agent.sees_images;
        let answer = read_result(target.unwrap_or(&ToolTarget::Function), result, sees_images);
        self.set_result(task, place, answer);
        self.continue_talking(task);
    }

    fn set_result(&mut self, task: usize, place: usize, answer: impl Into<ToolAnswer>) {
        if let Work::Talking(conversation) = &mut self.tasks[task].work {
            conversation.set_result(place, answer.into());
        }
    }

    /// Asks the model again once all its tools have answered. If only functions of the caller are left, the execution ends.
    fn continue_talking(&mut self, task: usize) {
        if self.end.is_some() || self.has_open_tools(task) {
            return;
        }
        let Work::Talking(conversation) = &mut self.tasks[task].work else { return };
        let functions = conversation.open_calls().map(|call| FunctionCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        let functions: Vec<FunctionCall> = functions.collect();
        conversation.add_results();
        if functions.is_empty() { self.ask(task) } else { self.end_with(Ok(AgentEnd::Functions(functions))) }
    }

    /// Whether a tool of a task is at work: a call, or another agent.
    fn has_open_tools(&self, of: usize) -> bool {
        let is_call = |purpose: &Purpose| matches!(purpose, Purpose::Tool { task, .. } if *task == of);
        let is_agent =
            |task: &Task| matches!(task.client, Client::Agent { task, .. } if task == of) && !task.has_ended();
        self.calls.iter().flatten().any(is_call) || self.tasks.iter().any(is_agent)
    }
}

impl ToolTarget {
    fn action(&self) -> AgentActionKind {
        match self {
            Self::Http { .. } => AgentActionKind::Http,
            Self::Workflow { .. } => AgentActionKind::Workflow,
            Self::Agent { .. } => AgentActionKind::Load,
            Self::Mcp { .. } => AgentActionKind::Mcp,
            Self::Function => AgentActionKind::Function,
        }
    }
}

/// The text of the last message of the user, which is a text or has several parts.
fn last_text(messages: &[Message]) -> String {
    let last = messages.iter().rev().find(|message| message.role == ChatRole::User);
    last.map(|message| message.texts().collect::<Vec<_>>().join("\n")).unwrap_or_default()
}
