//! `agent` nodes: what an agent does in a run. The model is `dev-chat`, which calls the tools that a message names.

use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider, Gate};

use super::*;

/// Creates an agent with a configuration, and returns its id.
async fn agent(person: &Person, name: &str, config: Value) -> String {
    let created = person.post("/builder/v1/agents").await;
    let body = json!({"name": name, "config": config});
    let changed = person.patch(&format!("/builder/v1/agents/{}", created.id()), body).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    created.id().to_owned()
}

async fn team(person: &Person, strategy: &str, members: &[&str]) -> String {
    let created = person.post("/builder/v1/agents").await;
    let config = json!({"members": members, "strategy": strategy});
    let body = json!({"name": "Team", "type": "multiple", "config": config});
    let changed = person.patch(&format!("/builder/v1/agents/{}", created.id()), body).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    created.id().to_owned()
}

/// Creates an agent whose tool `lookup` sends a credential.
async fn agent_with_credential(person: &Person, name: &str, tool: Value, credential: Value) -> String {
    let mut tool = tool;
    tool["auth"] = credential["type"].clone();
    let agent = agent(person, name, json!({"tools": [tool]})).await;
    let set = person.put(&format!("/builder/v1/agents/{agent}/tools/lookup/credential"), credential).await;
    assert_eq!(set.status, "200 OK", "{}", set.text);
    agent
}

/// A workflow that sends the input to an agent. If the agent fails, its output is the error.
fn ask_agent(agent: &str, fields: Value) -> Value {
    let mut config = json!({"agentId": agent, "message": "{{ input }}", "onError": "branch"});
    config.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "agent", config),
        node("end", "send_result", json!({})),
        node("failed", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out ask", "ask.out end", "ask.error failed"])
}

/// Asks an agent in a run, and returns the run.
async fn ask(app: &TestApp, person: &Person, agent: &str, message: &str) -> Value {
    let workflow = publish(person, ask_agent(agent, json!({}))).await;
    let path = start_run(person, &workflow, json!(message)).await;
    app.platform.drain().await;
    read(person, &path).await
}

fn lookup(base_url: &str) -> Value {
    let parameters = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    json!({"type": "http", "name": "lookup", "method": "GET", "url": format!("{base_url}/orders/{{id}}"),
        "parameters": parameters})
}

async fn requests(person: &Person, agent: &str) -> Value {
    person.get(&format!("/builder/v1/agents/{agent}")).await.json["data"]["requests"].clone()
}

#[tokio::test]
async fn an_agent_calls_a_tool_and_answers() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let config = json!({"model": "dev-chat", "instructions": "Be kind.", "tools": [lookup(&fake.base_url)]});
    let agent = agent(&ada, "Helper", config).await;
    let run = ask(&app, &ada, &agent, "Please lookup my order").await;
    assert_eq!(run["state"], "completed", "{run}");
    let output = run["output"].as_str().unwrap();
    assert!(output.ends_with(r#"The tool answered: {"status":200,"body":{"state":"lost"}}"#), "{output}");
    assert_eq!(fake.take_requests().len(), 1);
    assert_eq!(requests(&ada, &agent).await, 1);
    // The organization pays for both calls of the model, and the run shows what they cost.
    let (charged, calls) = app.sum_charges(app.account("ada").org).await;
    assert_eq!((calls, &run["usage"]["requests"]), (2, &json!(2)), "{run}");
    assert_eq!(run["usage"]["nodes"][0]["nodeId"], "ask");
    assert_eq!(run["usage"]["cost"], serde_json::to_value(domain::usd::Usd::from(charged)).unwrap());
}

#[tokio::test]
async fn an_agent_without_a_model_uses_the_first_one_of_the_plan() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = agent(&ada, "Helper", json!({})).await;
    let run = ask(&app, &ada, &agent, "Hello").await;
    assert!(run["output"].as_str().unwrap().ends_with("You said: Hello"), "{run}");
}

#[tokio::test]
async fn the_sources_of_an_agent_are_in_its_prompt() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    ModelBuilder::new("echo").with_deployment(&app, &fake).await.insert(&app).await;
    let message = json!({"role": "assistant", "content": "It has three years."});
    fake.respond_with(Behaviour::json(
        200,
        json!({
            "id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9},
        }),
    ));
    let sources = json!([
        {"type": "text", "name": "warranty", "text": "Everything has a warranty of three years."},
        {"type": "text", "name": "returns", "text": "Goods can be returned within 30 days."},
    ]);
    let agent = agent(&ada, "Helper", json!({"model": "echo", "sources": sources})).await;
    let run = ask(&app, &ada, &agent, "How long is the warranty?").await;
    assert_eq!(run["output"], "It has three years.", "{run}");
    let request = fake.take_requests().remove(0);
    let system = request.body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("[warranty]\nEverything has a warranty of three years."), "{system}");
}

#[tokio::test]
async fn an_agent_uses_a_workflow_as_a_tool() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 4}}, "required": ["n"]});
    let start = node("start", "input", json!({"schema": schema}));
    let end = node("end", "send_result", json!({"output": "{'doubled': input.n * 2}"}));
    let created =
        ada.post_json(WORKFLOWS, json!({"name": "Double it", "graph": graph(&[start, end], &["start.out end"])}));
    let created = created.await;
    let published = ada.post(&format!("{WORKFLOWS}/{}/publish", created.id())).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let tools = json!([{"type": "workflow", "workflowId": created.id()}]);
    let agent = agent(&ada, "Helper", json!({"tools": tools})).await;
    let run = ask(&app, &ada, &agent, "Use Double_it now").await;
    let output = run["output"].as_str().unwrap();
    assert!(output.ends_with(r#"The tool answered: {"doubled":8}"#), "{run}");
}

#[tokio::test]
async fn an_agent_uses_another_one_as_a_tool() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let expert = agent(&ada, "Expert", json!({})).await;
    let tools = json!([{"type": "agent", "agentId": expert}]);
    let agent = agent(&ada, "Helper", json!({"tools": tools})).await;
    let run = ask(&app, &ada, &agent, "Ask Expert").await;
    let output = run["output"].as_str().unwrap();
    assert!(output.contains("The tool answered: I am dev-chat"), "{run}");
    assert_eq!((requests(&ada, &agent).await, requests(&ada, &expert).await), (json!(1), json!(1)));
}

#[tokio::test]
async fn the_members_of_a_team_work_together() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (writer, critic) = (agent(&ada, "Writer", json!({})).await, agent(&ada, "Critic", json!({})).await);
    for (strategy, calls, part) in [
        ("sequential", 2, "Writer answered:\nI am dev-chat"),
        ("parallel", 3, "Critic answered:\nI am dev-chat"),
        ("router", 2, "You said: The Critic, please"),
    ] {
        let before = app.sum_charges(app.account("ada").org).await.1;
        let team = team(&ada, strategy, &[&writer, &critic]).await;
        let run = ask(&app, &ada, &team, "The Critic, please").await;
        assert!(run["output"].as_str().unwrap().contains(part), "{strategy}: {run}");
        assert_eq!(app.sum_charges(app.account("ada").org).await.1 - before, calls, "{strategy}");
    }
    // The router chose one of them.
    assert_eq!((requests(&ada, &writer).await, requests(&ada, &critic).await), (json!(2), json!(3)));
}

/// The secrets are in no response and not in the log.
#[tokio::test]
async fn the_members_of_a_team_send_their_own_credentials() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let secrets = ["tok-4711", "key-0815"];
    let bearer = json!({"type": "bearer", "token": secrets[0]});
    let header = json!({"type": "header", "header": "X-Shop-Key", "value": secrets[1]});
    let members = [
        agent_with_credential(&ada, "Finder", lookup(&fake.base_url), bearer).await,
        agent_with_credential(&ada, "Checker", lookup(&fake.base_url), header).await,
    ];
    let team = team(&ada, "sequential", &[&members[0], &members[1]]).await;
    let run = ask(&app, &ada, &team, "Please lookup it").await;
    assert_eq!(run["state"], "completed", "{run}");

    let sent = fake.take_requests();
    let header =
        |name: &str| sent.iter().map(|call| call.headers.get(name).map(|value| value.to_str().unwrap())).collect();
    let (tokens, keys): (Vec<_>, Vec<_>) = (header("authorization"), header("x-shop-key"));
    assert_eq!(tokens, [Some("Bearer tok-4711"), None]);
    assert_eq!(keys, [None, Some("key-0815")]);
    let log = Runs::new(&app.platform.context()).unwrap().log(run["id"].as_str().unwrap().parse().unwrap()).await;
    let mut texts = vec![run.to_string(), format!("{:?}", log.unwrap())];
    for member in members {
        texts.push(ada.get(&format!("/builder/v1/agents/{member}")).await.text);
    }
    for text in texts {
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
    }
}

#[tokio::test]
async fn a_person_executes_the_functions_of_an_agent() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let tools = json!([{"type": "function", "name": "open_door", "description": "Opens a door."}]);
    let agent = agent(&ada, "Helper", json!({"tools": tools})).await;
    let run = ask(&app, &ada, &agent, "Please open_door").await;
    assert_eq!(run["state"], "paused", "{run}");
    let review = &run["waiting"];
    assert_eq!(
        (&review["nodeId"], &review["title"]),
        (&json!("ask"), &json!("Result of the function open_door?")),
        "{run}"
    );
    let (workflow, id) = (run["workflowId"].as_str().unwrap(), run["id"].as_str().unwrap());
    let path = format!("{}/{id}", runs_path(workflow));
    let decision = json!({"decision": "approve", "fields": {"result": {"open": true}}});
    let resolved = ada.post_json(&format!("{path}/resolve-wait"), decision).await;
    assert_eq!(resolved.status, "200 OK", "{}", resolved.text);
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert!(run["output"].as_str().unwrap().ends_with(r#"The tool answered: {"open":true}"#), "{run}");
}

#[tokio::test]
async fn an_agent_that_cannot_work_fails_its_node() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = agent(&ada, "Helper", json!({})).await;
    let workflow = publish(&ada, ask_agent(&agent, json!({}))).await;
    ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"status": "paused"})).await;
    let path = start_run(&ada, &workflow, json!("Hello")).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    let error = json!({"code": "invalid_state", "message": "the agent is paused; publish it"});
    assert_eq!(run["output"], error, "{run}");
    assert_eq!(requests(&ada, &agent).await, 0);
}

#[tokio::test]
async fn a_private_team_works_only_in_its_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (own, other) = (publish(&ada, double()).await, publish(&ada, double()).await);
    let member = agent(&ada, "Helper", json!({})).await;
    let teams = format!("{WORKFLOWS}/{own}/teams");
    let inner = ada.post_json(&teams, json!({"name": "Inner", "config": {"members": [member]}})).await.id().to_owned();
    let outer = ada.post_json(&teams, json!({"name": "Outer", "config": {"members": [inner]}})).await.id().to_owned();
    let draft = json!({"graph": ask_agent(&outer, json!({}))});

    assert_eq!(ada.patch(&format!("{WORKFLOWS}/{own}"), draft.clone()).await.status, "200 OK");
    let published = ada.post(&format!("{WORKFLOWS}/{own}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let path = start_run(&ada, &own, json!("Hello")).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert!(run["output"].as_str().unwrap().contains("You said: Hello"), "{run}");
    for agent in [&outer, &inner, &member] {
        assert_eq!(requests(&ada, agent).await, 1);
    }
    let preview = ada.post_json(&format!("{WORKFLOWS}/{own}/preview"), json!({"input": "Hello"})).await;
    assert_eq!(preview.json["data"]["state"], "completed", "{}", preview.text);

    // Another workflow gets the answer of an agent that does not exist.
    let path = format!("{WORKFLOWS}/{other}");
    let mut refusals = Vec::new();
    for agent in [outer.as_str(), "019cb8e2-3f4a-7c21-9b6d-000000000000"] {
        ada.patch(&path, json!({"graph": ask_agent(agent, json!({}))})).await;
        let refused = ada.post(&format!("{path}/publish")).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{}", refused.text);
        refusals.push(refused.text);
    }
    assert_eq!(refusals[0], refusals[1]);
    // A preview runs a draft that cannot be published, so the run refuses the team too.
    ada.patch(&path, draft).await;
    let preview = ada.post_json(&format!("{path}/preview"), json!({"input": "Hello"})).await;
    assert!(preview.text.contains("agent"), "{}", preview.text);
    assert!(!preview.text.contains("You said"), "{}", preview.text);
}

#[tokio::test]
async fn a_crash_repeats_no_call_of_a_model() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (fake, gate) = (FakeProvider::start().await, Gate::closed());
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})).gated_by(&gate));
    let agent = agent(&ada, "Helper", json!({"tools": [lookup(&fake.base_url)]})).await;
    let workflow = publish(&ada, ask_agent(&agent, json!({}))).await;
    let path = start_run(&ada, &workflow, json!("Please lookup it")).await;
    // The first process is dropped while the tool is at work.
    let received = async {
        while fake.take_requests().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    let has_ended = tokio::select! {
        () = work_at(&app, &path, Time::now()) => true,
        () = received => false,
    };
    assert!(!has_ended);
    gate.open();
    work_at(&app, &path, Time::now().plus(minutes(20))).await;
    let run = read(&ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert_eq!(app.sum_charges(app.account("ada").org).await.1, 2);
    assert_eq!(requests(&ada, &agent).await, 1);
}
