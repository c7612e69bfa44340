//! Random agents: their configurations, and the answers of their models.

use std::collections::BTreeMap;

use domain::agent::{AgentType, HttpMethod, Strategy};
use domain::chat::{ChatPrompt, ToolChoice};
use domain::id::{AgentId, WorkflowId};
use domain::run::OnUncertain;
use engine::agent::{AgentMember, AgentSnapshot, AgentTool, ToolTarget};
use fastrand::Rng;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// The maximum number of tools that an answer calls.
const MAX_CALLS: usize = 2;

/// A single agent with tools, or a team. Each tool of an MCP server has another policy for uncertain attempts. The workflow tool starts one of `workflows` workflows.
pub fn random_agent(random: &mut Rng, workflows: usize, has_mcp_tools: bool) -> AgentSnapshot {
    let (is_team, strategy) = (random.u8(..8) == 0, random.u8(..3));
    let mut tools = vec![
        tool(
            "look",
            ToolTarget::Http {
                method: HttpMethod::Get,
                url: "https://example.com/".to_owned(),
                headers: BTreeMap::new(),
                credential: None,
            },
        ),
        tool("approve", ToolTarget::Function),
        tool("colleague", ToolTarget::Agent { agent_id: random_id(random).into() }),
    ];
    if workflows > 0 {
        tools.push(tool("flow", ToolTarget::Workflow { workflow_id: WorkflowId::from(Uuid::nil()), is_wrapped: true }));
    }
    if has_mcp_tools {
        let policies = [OnUncertain::Retry, OnUncertain::Fail, OnUncertain::Ask];
        tools.extend(policies.map(|on_uncertain| {
            let target = ToolTarget::Mcp {
                url: "https://example.com/mcp".to_owned(),
                tool: "search".to_owned(),
                schema_hash: "a".repeat(64),
                credential: None,
                on_uncertain,
            };
            tool(&format!("crm_{on_uncertain:?}"), target)
        }));
    }
    let members = (0..2).map(|number| AgentMember {
        id: random_id(random).into(),
        name: format!("member{number}"),
        description: String::new(),
    });
    AgentSnapshot {
        id: AgentId::from(Uuid::nil()),
        name: "agent".to_owned(),
        r#type: if is_team { AgentType::Multiple } else { AgentType::Single },
        model: "model".to_owned(),
        instructions: String::new(),
        temperature: None,
        max_tokens: None,
        tools,
        sources: Vec::new(),
        embeddings_model: None,
        strategy: [Strategy::Sequential, Strategy::Router, Strategy::Parallel][usize::from(strategy)],
        members: members.collect(),
        sees_images: false,
        left_out: Vec::new(),
    }
}

fn tool(name: &str, target: ToolTarget) -> AgentTool {
    AgentTool { name: name.to_owned(), description: String::new(), parameters: Map::new(), target }
}

fn random_id(random: &mut Rng) -> Uuid {
    Uuid::from_u128(random.u128(..))
}

/// The answer to a request: a text, or calls of the tools that the request offers.
pub fn random_answer(random: &mut Rng, prompt: &ChatPrompt, workflows: usize) -> Value {
    let offered = &prompt.tools;
    let calls_tools = !offered.is_empty()
        && match &prompt.tool_choice {
            Some(choice) => *choice == ToolChoice::Required,
            None => random.u8(..3) == 0,
        };
    let message = if calls_tools {
        let calls = (0..random.usize(1..=MAX_CALLS)).map(|number| {
            let name = &offered[random.usize(..offered.len())].name;
            let input = random.usize(..workflows.max(1));
            let arguments = json!({"message": "hello", "input": input}).to_string();
            json!({"id": number.to_string(), "type": "function", "function": {"name": name, "arguments": arguments}})
        });
        json!({"role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>()})
    } else {
        json!({"role": "assistant", "content": format!("answer {}", random.u32(..))})
    };
    json!({"message": message, "usage": {"prompt_tokens": 10, "completion_tokens": 10}})
}
