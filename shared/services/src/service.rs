//! A service, as its data file describes it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::authentication::Authentication;
use crate::operation::Operation;
use crate::path::placeholders;

/// The keyword of a form that marks a parameter which can be an expression, with the language of the expression.
const EXPRESSION: &str = "x-expression";

/// A service with an HTTP API.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Service {
    pub id: String,
    pub name: String,
    pub description: String,
    pub categories: Vec<ServiceCategory>,
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
pub enum ServiceCategory {
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

    /// The beginning of the URL of an operation.
    pub fn base_url<'a>(&'a self, operation: &'a Operation) -> &'a str {
        operation.base_url.as_deref().unwrap_or(&self.base_url)
    }

    /// The settings that the URL of an operation contains.
    pub fn settings<'a>(&'a self, operation: &'a Operation) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let used: Vec<_> = placeholders(self.base_url(operation)).map(|placeholder| placeholder.name).collect();
        let settings = self.settings.iter().map(|(name, schema)| (name.as_str(), schema));
        settings.filter(move |(name, _)| used.contains(name))
    }

    /// The schema of a parameter of an operation, or of a setting.
    pub fn schema<'a>(&'a self, operation: &'a Operation, name: &str) -> Option<&'a Value> {
        let setting = || self.settings(operation).find(|(setting, _)| *setting == name);
        operation.parameters.get(name).or_else(|| setting().map(|(_, schema)| schema))
    }

    /// The JSON Schema of the values of all parameters of an operation. `x-expression` is the language in which a parameter can
    /// be an expression.
    pub fn form(&self, operation: &Operation) -> Value {
        let parameters = operation.parameters.iter().map(|(name, schema)| (name.as_str(), schema));
        let mut required: Vec<&str> = self.settings(operation).map(|(name, _)| name).collect();
        required.extend(operation.required.iter().map(String::as_str));
        let mut properties = Map::new();
        for (name, schema) in self.settings(operation).chain(parameters) {
            let mut schema = schema.clone();
            if let (Some(keywords), Some(language)) = (schema.as_object_mut(), operation.language(name)) {
                keywords.insert(EXPRESSION.to_owned(), language.as_str().into());
            }
            properties.insert(name.to_owned(), schema);
        }
        json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
    }
}
