//! A service, as its data file describes it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::authentication::Authentication;
use crate::operation::Operation;

/// A service with an HTTP API.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Service {
    pub id: String,
    pub name: String,
    pub description: String,
    pub categories: Vec<Category>,
    /// The page that documents the API.
    pub documentation: String,
    /// The beginning of all URLs. It can contain settings, such as `https://{shop}.myshopify.com`.
    pub base_url: String,
    /// The parts of the base URL that differ by account, each with its JSON Schema. All are required. They are never
    /// expressions, because they decide which server gets the credential.
    #[serde(default)]
    pub settings: IndexMap<String, Value>,
    /// The ways to authenticate; the simplest one is first.
    pub authentication: Vec<Authentication>,
    /// The headers of every request.
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    pub operations: Vec<Operation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Calendar,
    Commerce,
    Content,
    Crm,
    Database,
    Developer,
    Documents,
    Email,
    Files,
    Marketing,
    Messaging,
    Payments,
    Projects,
    Social,
    Spreadsheets,
    Support,
}

impl Service {
    pub fn find_operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// Whether the name, the description, the id or the name of an operation contains a text, which is in lower case.
    pub fn matches(&self, lower: &str) -> bool {
        let contains = |text: &str| text.to_lowercase().contains(lower);
        contains(&self.id)
            || contains(&self.name)
            || contains(&self.description)
            || self.operations.iter().any(|operation| contains(&operation.name))
    }
}
