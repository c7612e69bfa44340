//! Who started a run through the MCP server: a person or a service account, with the client that they used.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::UserId;

/// The longest name and version of a client that are kept.
const MAX_CLIENT_CHARS: usize = 100;

/// Who started a run with an assistant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunStarter {
    #[schema(value_type = uuid::Uuid)]
    pub user_id: UserId,
    pub client: AssistantClient,
}

/// The program with which an assistant called the platform, as it names itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssistantClient {
    #[schema(example = "claude-code")]
    pub name: String,
    #[schema(example = "2.1.0")]
    pub version: String,
}

impl AssistantClient {
    /// The client with these names, which are shortened: they come from outside.
    pub fn new(name: &str, version: &str) -> Self {
        let shown = |text: &str| text.chars().filter(|c| !c.is_control()).take(MAX_CLIENT_CHARS).collect();
        Self { name: shown(name), version: shown(version) }
    }
}
