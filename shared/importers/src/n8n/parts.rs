//! What the report says of sub-nodes: the models, memories, parsers and tools of other nodes.

use super::context::{Context, Workflow};
use super::nodes;
use super::wiring::NodeRole;
use crate::Status;
use crate::lenient::{is_empty, text, truncate, whole_number};
use crate::translation::{TOO_LONG, UNBOUND_MODEL};

/// The exchanges of a conversation that a memory has, unless it says otherwise.
const DEFAULT_EXCHANGES: u64 = 5;

/// The status of a sub-node, with the reason.
pub fn explain(workflow: &Workflow, node: usize, parent: usize) -> (Status, String) {
    let part = Context { workflow, node };
    let of = part.part(parent);
    let named = truncate(of.source().name, 80);
    let is_made = match workflow.wiring.roles[parent] {
        _ if part.source().is_too_long => return (Status::Partial, format!("was part of `{named}`: {TOO_LONG}")),
        NodeRole::Step => Some(nodes::is_part(of, part)),
        NodeRole::SubNodeOf(above) => Some(nodes::fixes_answers(of) && nodes::is_part(of.part(above), part)),
        NodeRole::PassThrough | NodeRole::Removed | NodeRole::Unreached => None,
    };
    match is_made {
        None => (Status::Partial, format!("was part of `{named}`, which is left out")),
        Some(false) => {
            let why = format!("was part of `{named}`: add it to the agent, or to the node in its place");
            (Status::Partial, why)
        }
        Some(true) => match find_difference(part, of) {
            None => (Status::Mapped, format!("is part of `{named}`")),
            Some(difference) => (Status::Partial, format!("is part of `{named}`: {difference}")),
        },
    }
}

/// How a sub-node that became a part of another node differs from the original.
fn find_difference(part: Context, of: Context) -> Option<String> {
    let is_of_agent = of.source().kind == "agent";
    let kind = part.source().kind;
    let difference = match kind {
        _ if nodes::fixes_answers(part) => "an answer that does not match is not corrected by another call",
        _ if kind.starts_with("memory") => return Some(describe_memory(part, of)),
        _ if kind.starts_with("lm") && !is_first(part, of, "ai_languageModel") => {
            "it was used when the first model failed: only the first one is asked"
        }
        _ if kind.starts_with("lm") && is_of_agent && nodes::model_name(part) == UNBOUND_MODEL => {
            "the file does not name its model: the agent has the default model of the plan until you choose one"
        }
        _ if kind.starts_with("outputParser") && is_of_agent => match nodes::schema(part) {
            Some(_) => "the agent is given its schema, but its answers are not validated against it",
            None => "the agent is asked for JSON, but not for the form that it describes",
        },
        "mcpClientTool" => "choose the tools of the server that the agent may call",
        _ => return None,
    };
    Some(difference.to_owned())
}

fn is_first(part: Context, of: Context, kind: &str) -> bool {
    of.parts(kind).next().is_none_or(|first| first.node == part.node)
}

/// An agent knows the conversation of the message that starts the run, and nothing in other runs.
fn describe_memory(part: Context, of: Context) -> String {
    let workflow = part.workflow;
    let is_message = |node: &usize| {
        let source = workflow.node(*node);
        source.is_trigger() && (source.is_chat() || source.is_messaging())
    };
    if !workflow.wiring.ancestors(of.node).iter().any(is_message) {
        return "it has no effect, because agents remember messages only in runs that a message starts".to_owned();
    }
    let length = whole_number(part.parameter("contextWindowLength")).unwrap_or(DEFAULT_EXCHANGES);
    let has_key = text(part.parameter("sessionIdType")) == "customKey" || !is_empty(part.parameter("sessionKey"));
    let key = if has_key { "; its session key is not imported" } else { "" };
    format!("the agent knows the conversation of the message that starts the run, not its last {length} exchanges{key}")
}
