//! Tests of executions whose calls a test answers.

use std::collections::VecDeque;

use super::*;
use domain::agent::{AgentSource, HttpMethod, Strategy};
use domain::id::WorkflowId;

fn id(number: u8) -> AgentId {
    AgentId::from(uuid::Uuid::from_bytes([number; 16]))
}

fn agent(number: u8, tools: Vec<AgentTool>) -> AgentSnapshot {
    AgentSnapshot {
        id: id(number),
        name: format!("agent {number}"),
        r#type: AgentType::Single,
        model: "dev-chat".to_owned(),
        instructions: format!("You are agent {number}."),
        temperature: Some(0.5),
        max_tokens: Some(100),
        tools,
        sources: Vec::new(),
        embeddings_model: None,
        strategy: Strategy::Sequential,
        members: Vec::new(),
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

fn user(text: &str) -> Vec<Value> {
    vec![json!({"role": "user", "content": text})]
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
                if call.operation != Operation::LoadAgent {
                    self.log.push(format!("{} {} {}", call.number, call.operation.name(), call.action.name));
                    self.open.push_back(call);
                    continue;
                }
                let id = &call.config["agentId"];
                let agent = self.agents.iter().find(|agent| json!(agent.id) == *id);
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
        call.config
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
fn the_results_of_tools_reach_the_model_in_the_order_of_its_calls() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    let config = play.answer(calls(&[("lookup", r#"{"id": "a b"}"#), ("lookup", r#"{"id": "8"}"#)]));
    assert_eq!(config["tools"][0]["function"]["name"], "lookup");
    let first = play.next();
    assert_eq!(first.config["url"], "https://shop.example/orders/a%20b");
    // The second call ends first.
    play.answer(json!({"status": 200, "headers": {}, "body": {"state": "lost"}}));
    assert!(play.open.is_empty(), "the model is asked after the last result");
    play.run.finish(first.number, Err(&StepError::new("timeout", "It took too long.")));
    play.load();
    let config = play.answer(text("One is lost."));
    assert_eq!(
        contents(&config)[2..],
        [
            "assistant: -",
            r#"tool: {"error":{"code":"timeout","message":"It took too long."}}"#,
            r#"tool: {"status":200,"body":{"state":"lost"}}"#,
        ]
    );
    assert_eq!(config["messages"][3]["tool_call_id"], "call_0");
    assert_eq!(play.output(), "One is lost.");
}

#[test]
fn wrong_calls_are_answered_without_a_call() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("other", "{}"), ("lookup", "{"), ("lookup", "{}"), ("lookup", "")]));
    let config = play.answer(text("Sorry."));
    let messages = contents(&config);
    let codes = ["unknown_tool", "invalid_arguments", "invalid_arguments", "invalid_arguments"];
    for (message, code) in messages[3..].iter().zip(codes) {
        assert!(message.contains(code), "{message}");
    }
    assert_eq!(play.log, ["1 ask_model dev-chat", "2 ask_model dev-chat"]);
}

#[test]
fn broken_arguments_are_not_sent_back_to_the_model() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("lookup", r#"{"id": "#)]));
    let config = play.answer(text("Sorry."));
    assert_eq!(config["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn a_url_is_called_only_with_all_its_arguments() {
    let mut tool = lookup("lookup");
    tool.parameters.clear();
    let mut play = Play::new(vec![agent(1, vec![tool])]);
    let arguments = ["{}", r#"{"id": null}"#, r#"{"id": ""}"#, r#"{"id": ".."}"#, r#"{"id": "../admin"}"#];
    play.answer(calls(&arguments.map(|arguments| ("lookup", arguments))));
    let call = play.next();
    assert_eq!(call.config["url"], "https://shop.example/orders/%2E%2E%2Fadmin");
    play.run.finish(call.number, Ok(&json!({"status": 404, "body": null})));
    play.load();
    let messages = contents(&play.answer(text("Sorry.")));
    assert!(messages[3..7].iter().all(|message| message.contains("invalid_arguments")), "{messages:?}");
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
fn the_tools_become_the_work_of_nodes() {
    let key =
        ToolCredentialKey { agent_id: id(1), tool: "refund".to_owned(), origin: "https://shop.example".to_owned() };
    let post = ToolTarget::Http {
        method: HttpMethod::Post,
        url: "https://shop.example/refunds".to_owned(),
        headers: [("x-shop".to_owned(), "1".to_owned())].into(),
        credential: Some(key.clone()),
    };
    let workflow_id = WorkflowId::from(uuid::Uuid::from_bytes([9; 16]));
    let tools = vec![
        tool("refund", post),
        lookup("lookup"),
        tool("flow", ToolTarget::Workflow { workflow_id, is_wrapped: true }),
        tool("open_door", ToolTarget::Function),
    ];
    let mut play = Play::new(vec![agent(1, tools)]);
    play.answer(calls(&[
        ("refund", r#"{"amount": 5}"#),
        ("lookup", r#"{"id": "7", "full": true, "name": "Ann"}"#),
        ("flow", r#"{"input": [1]}"#),
        ("open_door", r#"{"door": 2}"#),
    ]));
    let works = [play.next(), play.next(), play.next(), play.next()].map(|call| (call.operation.name(), call.config));
    assert_eq!((works[0].0, &works[0].1["body"]), ("http", &json!({"type": "json", "value": {"amount": 5}})));
    assert_eq!(works[0].1["toolCredential"], json!(key));
    assert_eq!((works[1].0, &works[1].1["query"]), ("http", &json!({"full": "true", "name": "Ann"})));
    assert_eq!((works[2].0, &works[2].1["input"]), ("workflow", &json!([1])));
    assert_eq!((works[3].0, &works[3].1["title"]), ("review", &json!("Result of the function open_door?")));
    for (number, value) in [
        (2, json!({"status": 200, "body": null})),
        (3, json!({"status": 404, "body": "none"})),
        (4, json!({"n": 1})),
        (5, json!({"decision": "approved", "fields": {"result": {"open": true}}})),
    ] {
        play.run.finish(number, Ok(&value));
    }
    play.load();
    let config = play.answer(text("Done."));
    assert_eq!(
        contents(&config)[3..],
        [
            r#"tool: {"status":200,"body":null}"#,
            r#"tool: {"status":404,"body":"none"}"#,
            r#"tool: {"n":1}"#,
            r#"tool: {"open":true}"#,
        ]
    );
}

#[test]
fn a_refused_function_is_an_error_for_the_model() {
    for (answer, code) in [
        (json!({"decision": "rejected", "comment": "No."}), "rejected"),
        (json!({"decision": "expired", "comment": null}), "expired"),
    ] {
        let mut play = Play::new(vec![agent(1, vec![tool("open_door", ToolTarget::Function)])]);
        play.answer(calls(&[("open_door", "{}")]));
        play.answer(answer);
        assert!(contents(&play.answer(text("Sorry.")))[3].contains(code));
    }
}

#[test]
fn functions_of_the_caller_end_the_execution() {
    let tools = vec![tool("open_door", ToolTarget::Function), lookup("lookup")];
    let mut play = Play::with(vec![agent(1, tools)], AgentLimits::default(), FunctionExecutor::Caller);
    play.answer(calls(&[("open_door", r#"{"door": 2}"#), ("lookup", r#"{"id": "7"}"#)]));
    assert_eq!(play.run.end(), None, "the other tool is still at work");
    play.answer(json!({"status": 200, "body": 1}));
    let Some(Ok(AgentEnd::Functions(functions))) = play.run.end().cloned() else { panic!() };
    assert_eq!((&*functions[0].id, &*functions[0].name, functions.len()), ("call_0", "open_door", 1));
    let messages = play.run.into_messages();
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
}

#[test]
fn an_agent_calls_another_one_as_a_tool() {
    let other = tool("expert", ToolTarget::Agent { agent_id: id(2) });
    let gone = tool("gone", ToolTarget::Agent { agent_id: id(3) });
    let mut play = Play::new(vec![agent(1, vec![other, gone]), agent(2, vec![lookup("lookup")])]);
    play.answer(calls(&[("expert", r#"{"message": "Find order 7."}"#), ("gone", "{}")]));
    let config = play.answer(calls(&[("lookup", r#"{"id": "7"}"#)]));
    assert_eq!(contents(&config), ["system: You are agent 2.", "user: Find order 7."]);
    play.answer(json!({"status": 200, "body": "found"}));
    play.answer(text("It is in Madrid."));
    let config = play.answer(text("Madrid."));
    assert_eq!(contents(&config)[3], "tool: It is in Madrid.");
    assert!(contents(&config)[4].contains("agent_not_found"));
    assert_eq!(play.output(), "Madrid.");
}

#[test]
fn agents_that_call_themselves_are_stopped() {
    let mut play = Play::new(vec![agent(1, vec![tool("me", ToolTarget::Agent { agent_id: id(1) })])]);
    for _ in 1..MAX_DEPTH {
        play.answer(calls(&[("me", r#"{"message": "Again."}"#)]));
    }
    play.answer(calls(&[("me", r#"{"message": "Again."}"#)]));
    assert!(contents(&play.answer(text("Enough.")))[3].contains("too_deep"));
    for _ in 1..MAX_DEPTH {
        play.answer(text("Enough."));
    }
    assert_eq!(play.output(), "Enough.");
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
fn the_members_of_a_sequential_team_see_the_answer_before_theirs() {
    let mut play = Play::new(vec![team(1, Strategy::Sequential, &[2, 3]), agent(2, vec![]), agent(3, vec![])]);
    assert_eq!(contents(&play.answer(text("Draft.")))[1], "user: Where is order 7?");
    assert_eq!(contents(&play.answer(text("Final.")))[1], "user: Where is order 7?\n\nmember_2 answered:\nDraft.");
    assert_eq!(play.output(), "Final.");
    let messages = play.run.into_messages();
    assert_eq!((messages.len(), &messages[1]["content"]), (2, &json!("Final.")));
}

#[test]
fn a_router_lets_its_model_choose_one_member() {
    for choice in [calls(&[("member_3", "{}")]), text("I choose member_3.")] {
        let mut play = Play::new(vec![team(1, Strategy::Router, &[2, 3]), agent(2, vec![]), agent(3, vec![])]);
        let config = play.answer(choice);
        assert_eq!(config["tool_choice"], "required");
        assert_eq!(config["tools"][1]["function"]["description"], "Knows 3.");
        assert_eq!(contents(&play.answer(text("Here.")))[0], "system: You are agent 3.");
        assert_eq!(play.output(), "Here.");
    }
    let mut play = Play::new(vec![team(1, Strategy::Router, &[2, 22]), agent(2, vec![]), agent(22, vec![])]);
    play.answer(text("I choose member_22."));
    assert_eq!(contents(&play.answer(text("Here.")))[0], "system: You are agent 22.");
    let mut play = Play::new(vec![team(1, Strategy::Router, &[2]), agent(2, vec![])]);
    play.answer(text("Nobody."));
    assert_eq!(play.error(), "no_member_chosen");
}

#[test]
fn a_parallel_team_combines_the_answers_of_its_members() {
    let agents = || vec![team(1, Strategy::Parallel, &[2, 3]), agent(2, vec![]), agent(3, vec![])];
    let mut play = Play::new(agents());
    assert_eq!(play.open.len(), 2, "both members are asked at once");
    play.fail("provider_error");
    play.answer(text("Yes."));
    let config = play.answer(text("Together: yes."));
    assert_eq!(contents(&config)[1], "user: Where is order 7?\n\nmember_3 answered:\nYes.");
    assert_eq!(play.output(), "Together: yes.");
    let mut play = Play::new(agents());
    play.fail("provider_error");
    play.fail("provider_error");
    assert_eq!(play.error(), "provider_error");
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

#[test]
fn an_end_leaves_the_calls_that_are_open() {
    let limits = AgentLimits { max_steps: 2, ..AgentLimits::default() };
    let agents = vec![team(1, Strategy::Parallel, &[2, 3]), agent(2, vec![lookup("lookup")]), agent(3, vec![])];
    let mut play = Play::with(agents, limits, FunctionExecutor::Person);
    play.answer(calls(&[("lookup", "{}")]));
    assert_eq!(play.error(), "agent_limit");
    assert_eq!(play.run.open_calls().count(), 1, "the other member is still asked");
    play.answer(text("Too late."));
    assert_eq!(play.error(), "agent_limit");
}

#[test]
fn a_long_result_is_cut() {
    let mut play = Play::new(vec![agent(1, vec![lookup("lookup")])]);
    play.answer(calls(&[("lookup", r#"{"id": "7"}"#)]));
    play.answer(json!({"status": 200, "body": "ñ".repeat(100_000)}));
    let config = play.answer(text("Long."));
    let result = &contents(&config)[3];
    assert!(result.len() < 70_000 && result.ends_with("… (the rest was cut)"));
}
