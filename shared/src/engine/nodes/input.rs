//! A run that is started by hand, by a test or by another workflow.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{Category, Kind, policy::Policies};
use crate::engine::schema::faults;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// JSON Schema of what a run takes: types, properties, required, enum and limits. Without it, anything.
    #[serde(default)]
    #[schema(nullable = false)]
    pub schema: Option<Map<String, Value>>,
    /// What a run that is started without input takes.
    #[serde(default)]
    pub example: Option<Value>,
}

impl Kind for Input {
    const NAME: &'static str = "input";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: &'static str =
        "Starts a run by hand, from a test or from another workflow; its value is the input of the run.";
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"schema": {"type": "object", "properties": {"question": {"type": "string"}}}})
    }

    fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(schema) = &self.schema {
            faults(&Value::Object(schema.clone()), "schema", &mut problems);
        }
        problems
    }
}
