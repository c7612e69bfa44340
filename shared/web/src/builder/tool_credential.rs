//! The credential of an agent's tool, as the responses of two functions show it.

use domain::agent::ToolCredential;
use domain::credential::CredentialType;
use serde::Serialize;
use utoipa::ToSchema;

/// The credential of a tool, without its secrets, which are never returned.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ToolCredential")]
pub struct ToolCredentialOut {
    /// The name of the tool.
    #[schema(example = "find_order")]
    tool: String,
    r#type: CredentialType,
    #[schema(format = DateTime)]
    created_at: String,
}

impl ToolCredentialOut {
    pub fn new(credential: &ToolCredential) -> Self {
        let ToolCredential { tool, r#type, .. } = credential;
        Self { tool: tool.clone(), r#type: *r#type, created_at: credential.created_at().to_string() }
    }
}
