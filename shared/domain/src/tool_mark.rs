//! The mark of a workflow or an agent as a tool: assistants find and call it through the MCP server. Without a mark nothing
//! can be called there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::text_schemas;

text_schemas! {
    ToolName(1, 64, "^[a-zA-Z0-9_-]+$", "letters, digits, _ and -");
    ToolDescription(0, 1_000);
}

/// How assistants see a workflow or an agent that is marked as a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(title = "Tool")]
pub struct ToolMark {
    /// The name of the tool. If several tools of a caller have the same name, the later ones get a number.
    #[schema(value_type = ToolName)]
    pub name: String,
    /// What the tool does, for the assistant that chooses it. Null means the description of the workflow or the agent.
    #[serde(default)]
    #[schema(required, value_type = Option<ToolDescription>)]
    pub description: Option<String>,
}

/// The mark of a workflow or an agent as a tool.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "ToolMark")]
pub struct ToolMarkIn {
    /// The name of the tool. By default it is made from the name of the workflow or the agent.
    #[schema(value_type = Option<ToolName>)]
    pub name: Option<String>,
    /// What the tool does, for the assistant that chooses it. By default it is the description of the workflow or the agent.
    #[schema(value_type = Option<ToolDescription>)]
    pub description: Option<String>,
}

impl ToolMarkIn {
    /// The mark of something with this name.
    pub fn into_mark(self, name: &str) -> ToolMark {
        let Self { name: given, description } = self;
        ToolMark { name: given.unwrap_or_else(|| function_name(name, "tool", &[])), description }
    }
}

/// The name of a tool or of a member in the requests to models, from a name that a person gave. `taken` has the names that
/// are in use.
pub fn function_name(name: &str, fallback: &str, taken: &[String]) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let cleaned: String = name.chars().map(allowed).take(MAX_NAME_CHARS).collect();
    let base = if cleaned.chars().all(|c| c == '_') { fallback } else { cleaned.trim_matches('_') };
    let mut name = base.to_owned();
    let mut number = 2;
    while taken.contains(&name) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

/// Leaves room for a number in the 64 characters that models accept.
const MAX_NAME_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_people_become_unique_names_of_functions() {
        let name = |name: &str, taken: &[&str]| {
            function_name(name, "agent", &taken.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(name("Nuevo agente", &[]), "Nuevo_agente");
        assert_eq!(name("¿Reembolso?", &[]), "Reembolso");
        assert_eq!(name("客服", &[]), "agent");
        assert_eq!(name("refund", &["refund", "refund_2"]), "refund_3");
        assert!(name(&"x".repeat(200), &["x"]).len() <= 64);
    }
}
