//! Tests of executions whose calls a test answers.

mod servers;
mod teams;
mod tools;

use std::collections::VecDeque;

use super::*;
use domain::agent::{AgentSource, HttpMethod, Strategy};
use domain::id::WorkflowId;
use serde_json::{Map, json};

fn id(number: u8) -> AgentId {
    AgentId::from(uuid::Uuid::from_bytes([number; 16]))
}

fn agent(number: u8, tools: Vec<AgentTool>) -> AgentSnapshot {
    AgentSnapshot {
        instructions: format!("You are agent {number}."),
        temperature: Some(0.5),
        max_tokens: Some(100),
        tools,
        ..AgentSnapshot::new(id(number), format!("agent {number}"), "dev-chat")
    }
}

fn team(number: u8, strategy: Strategy, members: &[u8]) -> AgentSnapshot {
    let members = members.iter().map(|member| AgentMember {
        id: id(*member),
        name: format!("member_{member}"),
        description: format!("Knows {member}."),
    });
    AgentSnapshot { r#type: AgentType::Multiple, strategy, members: members.collect(), ..agent(number, Vec::new()) }
}

fn tool(name: &str, target: ToolTarget) -> AgentTool {
    AgentTool { name: name.to_owned(), description: format!("Does {name}."), parameters: Map::new(), target }
}

fn lookup(name: &str) -> AgentTool {
    let url = "https://shop.example/orders/{id}".to_owned();
    let parameters = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    let parameters = parameters.as_object().cloned().unwrap();
    let target = ToolTarget::Http { method: HttpMethod::Get, url, headers: [].into(), credential: None };
    AgentTool { parameters, ..tool(name, target) }
}

fn text(text: &str) -> Value {
    json!({"message": {"role": "assistant", "content": text}, "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
}

/// An answer that calls tools, each given as name and arguments.
fn calls(calls: &[(&str, &str)]) -> Value {
    let calls = calls.iter().enumerate().map(|(place, (name, arguments))| {
        json!({"id": format!("call_{place}"), "type": "function", "function": {"name": name, "arguments": arguments}})
    });
    json!({"message": {"role": "assistant", "content": null, "tool_calls": calls.collect::<Value>()}, "usage": {}})
}

fn user(text: &str) -> Vec<Message> {
    vec![Message::user(text)]
}

/// The messages of an execution, as its caller gets them.
fn messages_of(run: AgentRun) -> Vec<Value> {
    run.into_messages().iter().map(|message| json!(message)).collect()
}

struct Play {
    run: AgentRun,
    agents: Vec<AgentSnapshot>,
    open: VecDeque<AgentCall>,
    log: Vec<String>,
}

impl Play {
    fn new(agents: Vec<AgentSnapshot>) -> Self {
        Self::with(agents, AgentLimits::default(), FunctionExecutor::Person)
    }

    fn with(agents: Vec<AgentSnapshot>, limits: AgentLimits, functions: FunctionExecutor) -> Self {
        let run = AgentRun::new(agents[0].id, user("Where is order 7?"), limits, functions);
        let mut play = Self { run, agents, open: VecDeque::new(), log: Vec::new() };
        play.load();
        play
    }

    /// Answers the loads, and keeps the other calls open.
    fn load(&mut self) {
        loop {
            let due = self.run.take_due();
            if due.is_empty() {
                return;
            }
            for call in due {
                let loaded = match &call.work {
                    DueWork::Perform(operation) => match &**operation {
                        Operation::LoadAgent(load) => Some(load.agent_id),
                        _ => None,
                    },
                    DueWork::Delay(_) | DueWork::Ask(_) => None,
                };
                let Some(id) = loaded else {
                    self.log.push(format!("{} {} {}", call.number, name_of(&call), call.action.name));
                    self.open.push_back(call);
                    continue;
                };
                let agent = self.agents.iter().find(|agent| agent.id == id);
                match agent.map(|agent| serde_json::to_value(agent).unwrap()) {
                    Some(agent) => self.run.finish(call.number, Ok(&agent)),
                    None => self.run.finish(call.number, Err(&StepError::new("agent_not_found", "It is gone."))),
                }
            }
        }
    }

    fn next(&mut self) -> AgentCall {
        self.open.pop_front().expect("no call is open")
    }

    /// Answers the oldest open call. Returns its configuration.
    fn answer(&mut self, value: Value) -> Map<String, Value> {
        let call = self.next();
        self.run.finish(call.number, Ok(&value));
        self.load();
        fields_of(&call)
    }

    fn fail(&mut self, code: &str) {
        let call = self.next();
        self.run.finish(call.number, Err(&StepError::new(code, "It did not work.")));
        self.load();
    }

    fn output(&self) -> String {
        assert_eq!(self.run.open_calls().count(), 0);
        match self.run.end() {
            Some(Ok(AgentEnd::Answered(text))) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn error(&self) -> String {
        self.run.end().unwrap().as_ref().unwrap_err().code.clone()
    }
}

fn name_of(call: &AgentCall) -> &'static str {
    match &call.work {
        DueWork::Perform(operation) => operation.name(),
        DueWork::Ask(_) => "review",
        DueWork::Delay(_) => "delay",
    }
}

/// What a call does, as JSON.
fn fields_of(call: &AgentCall) -> Map<String, Value> {
    match &call.work {
        DueWork::Perform(operation) => operation.to_fields(),
        DueWork::Ask(question) => question.request.clone(),
        DueWork::Delay(_) => panic!("{call:?}"),
    }
}

fn contents(config: &Map<String, Value>) -> Vec<String> {
    let messages = config["messages"].as_array().unwrap().iter();
    let content = |message: &Value| message["content"].as_str().unwrap_or("-").to_owned();
    messages.map(|message| format!("{}: {}", message["role"].as_str().unwrap(), content(message))).collect()
}

#[test]
fn an_agent_without_tools_asks_its_model_once() {
    let mut play = Play::new(vec![agent(1, vec![])]);
    let config = play.answer(text("On its way."));
    assert_eq!(contents(&config), ["system: You are agent 1.", "user: Where is order 7?"]);
    assert_eq!((&config["temperature"], &config["max_tokens"]), (&json!(0.5), &json!(100)));
    assert!(!config.contains_key("tools"));
    assert_eq!(play.output(), "On its way.");
    assert_eq!(play.log, ["1 ask_model dev-chat"]);
}

#[test]
fn an_empty_answer_is_an_error() {
    for answer in [json!({"message": null}), json!({"message": {"content": " ", "refusal": "No."}})] {
        let mut play = Play::new(vec![agent(1, vec![])]);
        play.answer(answer);
        assert_eq!(play.error(), "empty_answer");
    }
}

#[test]
fn the_sources_are_searched_before_the_model_is_asked() {
    let source = AgentSource::Text { name: "faq".to_owned(), text: "Orders arrive on Monday.".to_owned() };
    let with_source =
        AgentSnapshot { sources: vec![source], embeddings_model: Some("dev-embed".to_owned()), ..agent(1, vec![]) };
    let mut play = Play::new(vec![with_source]);
    let config = play.answer(json!([{"source": "faq", "text": "Orders arrive on Monday.", "score": 0.9}]));
    assert_eq!((&config["query"], &config["model"]), (&json!("Where is order 7?"), &json!("dev-embed")));
    assert_eq!(config["sources"], json!([{"type": "text", "name": "faq", "text": "Orders arrive on Monday."}]));
    let config = play.answer(text("On Monday."));
    assert!(contents(&config)[0].ends_with("[faq]\nOrders arrive on Monday."), "{config:?}");
    assert_eq!(play.log[0], "1 retrieval dev-embed");
}

#[test]
fn the_last_step_forbids_tools_and_no_step_follows() {
    let limits = AgentLimits { max_steps: 2, ..AgentLimits::default() };
    let mut play = Play::with(vec![agent(1, vec![lookup("lookup")])], limits, FunctionExecutor::Person);
    assert!(!play.answer(calls(&[("lookup", r#"{"id": "7"}"#)])).contains_key("tool_choice"));
    play.answer(json!({"status": 200, "body": 1}));
    assert_eq!(play.answer(calls(&[("lookup", r#"{"id": "7"}"#)]))["tool_choice"], "none");
    play.answer(json!({"status": 200, "body": 1}));
    assert_eq!(play.error(), "agent_limit");
}

#[test]
fn the_tokens_of_an_execution_are_limited() {
    let limits = AgentLimits { max_tokens: 15, ..AgentLimits::default() };
    let mut play = Play::with(vec![team(1, Strategy::Sequential, &[2, 2])], limits, FunctionExecutor::Person);
    assert_eq!(play.error(), "agent_not_found");
    play = Play::with(
        vec![team(1, Strategy::Sequential, &[2, 3]), agent(2, vec![]), agent(3, vec![])],
        limits,
        FunctionExecutor::Person,
    );
    play.answer(text("Fifteen tokens."));
    assert_eq!(play.error(), "agent_limit");
}
