//! Teams: agents of the type `multiple`, whose members do the work.

use std::sync::Arc;

use serde_json::Map;

use super::answer::ModelMessage;
use super::conversation::{parameters_schema, prompt};
use super::snapshot::AgentSnapshot;
use super::{AgentRun, Client, MAX_DEPTH, Work, too_deep};
use domain::agent::Strategy;
use domain::chat::{ChatPrompt, ChatRole, FunctionTool, Message, ToolChoice};
use domain::run::StepError;

const CHOOSE: &str = "Choose the member of your team that fits the request best, by calling its function.";
const COMBINE: &str = "Combine the answers of the members of your team into one answer.";

pub struct Team {
    agent: Arc<AgentSnapshot>,
    messages: Vec<Message>,
    /// The answers of the members so far, by their place.
    answers: Vec<Option<Result<String, StepError>>>,
}

impl AgentRun {
    pub(super) fn begin_team(&mut self, task: usize, agent: Arc<AgentSnapshot>, messages: Vec<Message>) {
        let count = agent.members.len();
        if count == 0 {
            return self.end_task(task, Err(StepError::new("no_members", "the team has no members; add one")));
        }
        let team = Team { agent: agent.clone(), messages: messages.clone(), answers: vec![None; count] };
        self.tasks[task].work = Work::Team(team);
        match agent.strategy {
            Strategy::Sequential => self.begin_member(task, 0, messages),
            Strategy::Parallel => {
                for member in 0..count {
                    self.begin_member(task, member, messages.clone());
                }
            }
            Strategy::Router => self.choose_member(task, &agent, messages),
        }
    }

    fn begin_member(&mut self, task: usize, member: usize, messages: Vec<Message>) {
        let Work::Team(team) = &self.tasks[task].work else { return };
        let (agent, depth) = (team.agent.members[member].id, self.tasks[task].depth);
        if depth == MAX_DEPTH {
            return self.member_answered(task, member, Err(too_deep()));
        }
        self.begin_task(agent, messages, Client::Team { task, member }, depth + 1);
    }

    /// Asks the model of the team which member answers.
    fn choose_member(&mut self, task: usize, agent: &AgentSnapshot, messages: Vec<Message>) {
        let system = with_instructions(agent, CHOOSE);
        let messages = std::iter::once(Message::system(system)).chain(messages).collect();
        let tools = agent.members.iter().map(|member| FunctionTool {
            name: member.name.clone(),
            description: member.description.clone(),
            parameters: parameters_schema(&Map::new()),
        });
        let (tools, tool_choice) = (tools.collect(), Some(ToolChoice::Required));
        self.ask_model(task, ChatPrompt { tools, tool_choice, ..prompt(agent, messages) });
    }

    /// The member whose function the model called. A model may answer with the name instead.
    pub(super) fn member_chosen(&mut self, task: usize, answer: &ModelMessage) {
        let Work::Team(team) = &self.tasks[task].work else { return };
        let called = answer.calls.first().map(|call| &call.name);
        let text = answer.text.as_deref().unwrap_or_default();
        let members = &team.agent.members;
        let chosen = members.iter().position(|member| called == Some(&member.name));
        let named = || {
            let named = members.iter().enumerate().filter(|(_, member)| text.contains(&member.name));
            // A name may be the beginning of another one.
            named.max_by_key(|(_, member)| member.name.len()).map(|(place, _)| place)
        };
        let chosen = chosen.or_else(named);
        match chosen {
            Some(member) => {
                let messages = team.messages.clone();
                self.begin_member(task, member, messages);
            }
            None => {
                let message = "the model of the team chose none of its members; use another model, or describe them";
                self.end_task(task, Err(StepError::new("no_member_chosen", message)));
            }
        }
    }

    pub(super) fn member_answered(&mut self, task: usize, member: usize, result: Result<String, StepError>) {
        if self.end.is_some() {
            return;
        }
        let Work::Team(team) = &mut self.tasks[task].work else { return };
        team.answers[member] = Some(result.clone());
        match (team.agent.strategy, result) {
            (Strategy::Sequential, Ok(text)) if member + 1 < team.answers.len() => {
                let name = &team.agent.members[member].name;
                let messages = with_note(team.messages.clone(), &format!("{name} answered:\n{text}"));
                self.begin_member(task, member + 1, messages);
            }
            (Strategy::Sequential | Strategy::Router, result) => self.end_task(task, result),
            (Strategy::Parallel, _) => self.combine_if_complete(task),
        }
    }

    /// Lets the model of the team combine the answers, once all members have answered. A member that failed is left out,
    /// unless all have failed.
    fn combine_if_complete(&mut self, task: usize) {
        let Work::Team(team) = &self.tasks[task].work else { return };
        if team.answers.contains(&None) {
            return;
        }
        let answers = team.agent.members.iter().zip(team.answers.iter().flatten());
        let answered = answers.clone().filter_map(|(member, answer)| Some((&member.name, answer.as_ref().ok()?)));
        let notes: Vec<String> = answered.map(|(name, text)| format!("{name} answered:\n{text}")).collect();
        if notes.is_empty() {
            let error = answers.filter_map(|(_, answer)| answer.as_ref().err()).next().cloned();
            let error = error.unwrap_or_else(|| StepError::new("no_members", "no member answered"));
            return self.end_task(task, Err(error));
        }
        let mut agent = AgentSnapshot::clone(&team.agent);
        agent.instructions = with_instructions(&agent, COMBINE);
        let messages = with_note(team.messages.clone(), &notes.join("\n\n"));
        self.begin_search(task, Arc::new(agent), messages);
    }
}

fn with_instructions(agent: &AgentSnapshot, own: &str) -> String {
    if agent.instructions.is_empty() { own.to_owned() } else { format!("{}\n\n{own}", agent.instructions) }
}

/// Adds a text to the last message of the user.
fn with_note(mut messages: Vec<Message>, note: &str) -> Vec<Message> {
    match messages.last_mut().filter(|message| message.role == ChatRole::User) {
        Some(message) => message.add_paragraph(note),
        None => messages.push(Message::user(note)),
    }
    messages
}
