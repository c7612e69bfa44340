//! Tools that show what graphs are built from: node types, templates, models, agents and credentials.

use domain::spelling::nearest;
use engine::nodes::Category;
use engine::templates::TemplateCategory;
use serde_json::{Value, json};

use super::{Effect, StudioTool, ToolResult, text_of};
use crate::answer::ToolAnswer;
use crate::api::{ApiRequest, Function, Session};
use crate::refusal::Refusal;
use crate::schema::{answer, any, arguments, choice, id, list, object, slug, text, truth, whole_number};

const MAX_MISSPELLED: usize = 3;

pub fn tools() -> Vec<StudioTool> {
    let search = || text("Only entries that contain this text");
    let part = || text("A JSON pointer such as /configSchema/properties: returns only this part");
    vec![
        StudioTool {
            name: "list_node_types",
            title: "List node types",
            description: "Lists the types of nodes that graphs can contain, each with its category, description and ports. \
                Start here, then read the types you want to use with get_node_type.",
            arguments: arguments(&[
                ("category", choice::<Category>("Only types of this category")),
                ("search", search()),
            ]),
            answer: answer(&[("nodeTypes", list("The types: type, category, description, inputs, outputs, effects"))]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_node_types(session, arguments)),
        },
        StudioTool {
            name: "get_node_type",
            title: "Read a node type",
            description: "Returns a type of node: the JSON Schema of its config (`x-language` marks fields that are expressions, \
                in cel or jinja, or {\"js\": …}), an example of a node, its input and output ports, and the schemas of its outputs. Read it \
                before you write a node of this type.",
            arguments: arguments(&[("type!", text("The name of the type, such as condition")), ("part", part())]),
            answer: answer(&[
                ("type", text("The name of the type")),
                ("category", text("The category")),
                ("description", text("What the node does")),
                ("inputs", list("The input ports")),
                (
                    "outputs",
                    list(
                        "The output ports of the example, each with the schema of its value. Other configs can have others",
                    ),
                ),
                ("errorOutput", any("The port of a failed node whose config has onError: branch; null if it has none")),
                ("configSchema", object("The JSON Schema of config")),
                ("example", object("An example of the node")),
                ("effects", truth("Whether the node has effects outside of the run")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(get_node_type(session, arguments)),
        },
        StudioTool {
            name: "list_templates",
            title: "List templates",
            description: "Lists complete workflows to learn from or to start with: create_workflow takes their id as `template`.",
            arguments: arguments(&[
                ("category", choice::<TemplateCategory>("Only templates of this category")),
                ("search", search()),
                ("page", whole_number("The page, from 1")),
            ]),
            answer: answer(&[
                ("templates", list("The templates: id, slug, name, description, category, tags")),
                ("page", page()),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_templates(session, arguments)),
        },
        StudioTool {
            name: "get_template",
            title: "Read a template",
            description: "Returns a template with its graph, an example input, and the steps that remain after it is instantiated.",
            arguments: arguments(&[("template!", slug("The id or the slug")), ("part", part())]),
            answer: answer(&[
                ("graph", object("The graph: nodes and connections")),
                ("exampleInput", any("An input for a preview")),
                ("steps", list("What remains to be set")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(get_template(session, arguments)),
        },
        StudioTool {
            name: "list_models",
            title: "List models",
            description: "Lists the models that nodes may name in `model`, with what they can do and cost.",
            arguments: arguments(&[("search", search()), ("page", whole_number("The page, from 1"))]),
            answer: answer(&[("models", list("The models; nodes refer to them by `name`")), ("page", page())]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_models(session, arguments)),
        },
        StudioTool {
            name: "list_agents",
            title: "List agents",
            description: "Lists the agents that nodes of the type agent may refer to by their id.",
            arguments: arguments(&[("search", search()), ("page", whole_number("The page, from 1"))]),
            answer: answer(&[("agents", list("The agents; nodes refer to them by `id`")), ("page", page())]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_agents(session, arguments)),
        },
        StudioTool {
            name: "list_credentials",
            title: "List credentials",
            description: "Lists the credentials of a workflow that its nodes may refer to with `credentialId`, without their \
                secrets. A person adds credentials in the console; ask for one if it is missing.",
            arguments: arguments(&[("workflowId!", id("The id of the workflow"))]),
            answer: answer(&[
                ("outbound", list("The credentials for calls to other systems: id, name, type")),
                ("inbound", list("The tokens of the workflow's webhooks, without the tokens")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_credentials(session, arguments)),
        },
    ]
}

pub fn page() -> Value {
    object("The page, the number of items per page, and the total; or `nextCursor`")
}

async fn load_node_types(session: Session<'_>) -> Result<Vec<Value>, Refusal> {
    let types = session.load(ApiRequest::get(Function::Workflows, &["workflows", "node-types"])).await?;
    Ok(match types {
        Value::Array(types) => types,
        _ => Vec::new(),
    })
}

async fn list_node_types(session: Session<'_>, arguments: Value) -> ToolResult {
    let search = text_of(&arguments, "search").to_lowercase();
    let is_wanted = |node_type: &Value| {
        let is_in_category = arguments["category"].is_null() || arguments["category"] == node_type["category"];
        let contains = |name| text_of(node_type, name).to_lowercase().contains(&search);
        is_in_category && (contains("type") || contains("description"))
    };
    let types = load_node_types(session).await?.into_iter().filter(is_wanted).map(|node_type| {
        let names = |ports: &str| -> Value {
            node_type[ports].as_array().into_iter().flatten().map(|port| port["name"].clone()).collect()
        };
        json!({
            "type": node_type["type"],
            "category": node_type["category"],
            "description": node_type["description"],
            "inputs": names("inputs"),
            "outputs": names("outputs"),
            "effects": node_type["effects"],
        })
    });
    let types: Vec<_> = types.collect();
    let names: Vec<_> = types.iter().map(|node_type| text_of(node_type, "type")).collect();
    let text = match names.is_empty() {
        true => "No type matches. Call list_node_types without arguments for all of them.".to_owned(),
        false => format!("{} types: {}.", names.len(), names.join(", ")),
    };
    Ok(ToolAnswer::new(text, json!({"nodeTypes": types})))
}

async fn get_node_type(session: Session<'_>, arguments: Value) -> ToolResult {
    let name = text_of(&arguments, "type");
    let types = load_node_types(session).await?;
    let Some(found) = types.iter().find(|node_type| node_type["type"] == name) else {
        let similar = nearest(name, types.iter().map(|node_type| text_of(node_type, "type")), MAX_MISSPELLED);
        let fix = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "list_node_types lists all of them".to_owned(),
        };
        return Err(Refusal::not_found(&format!("node type `{name}`"), &fix));
    };
    let text = format!("{name}: {}", text_of(found, "description"));
    ToolAnswer::part_of(text, found.clone(), arguments["part"].as_str())
}

async fn list_templates(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = ApiRequest::get(Function::Workflows, &["workflows", "templates"]);
    let answer = session.send(request.query(&arguments, &["category", "search", "page"])).await?;
    Ok(ToolAnswer::list("templates", answer, "No template matches."))
}

async fn get_template(session: Session<'_>, arguments: Value) -> ToolResult {
    let template = text_of(&arguments, "template");
    let found = session.load(ApiRequest::get(Function::Workflows, &["workflows", "templates", template])).await?;
    let text = format!("{}: {}", text_of(&found, "name"), text_of(&found, "description"));
    ToolAnswer::part_of(text, found, arguments["part"].as_str())
}

async fn list_models(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = ApiRequest::get(Function::Agents, &["models"]).query(&arguments, &["search", "page"]);
    Ok(ToolAnswer::list("models", session.send(request).await?, "No model matches."))
}

async fn list_agents(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = ApiRequest::get(Function::Agents, &["agents"]).query(&arguments, &["search", "page"]);
    let mut answer = session.send(request).await?;
    for agent in answer["data"].as_array_mut().into_iter().flatten() {
        // The configuration is for those who edit the agent.
        let kept = ["id", "name", "description", "type", "status", "model"];
        if let Some(fields) = agent.as_object_mut() {
            fields.retain(|name, _| kept.contains(&name.as_str()));
        }
    }
    Ok(ToolAnswer::list("agents", answer, "No agent matches."))
}

async fn list_credentials(session: Session<'_>, arguments: Value) -> ToolResult {
    let id = text_of(&arguments, "workflowId");
    let path = ["workflows", id, "webhook-credentials"];
    let found = session.load(ApiRequest::get(Function::Channels, &path)).await?;
    let count = found["outbound"].as_array().map_or(0, Vec::len);
    Ok(ToolAnswer::new(format!("{count} credentials for calls to other systems."), found))
}
