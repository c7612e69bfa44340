//! Request and response bodies of the environment variables of a workbench.

use std::collections::BTreeMap;

use domain::Result;
use domain::workbench::{Variables, VariablesPatch, check_variable};
use serde::{Deserialize, Serialize};
use store::workbench_variables::StoredVariables;
use utoipa::ToSchema;

/// A change of environment variables. Null removes a variable, and those that are not named stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkbenchVariablesPatch)]
pub struct VariablesIn {
    /// Plain variables by their names.
    #[serde(default)]
    #[schema(example = json!({"HF_HOME": "/tmp/models", "OLD": null}))]
    env: BTreeMap<String, Option<String>>,
    /// Secret variables by their names. They are stored encrypted, and no answer contains their values.
    #[serde(default)]
    #[schema(example = json!({"HF_TOKEN": "hf_…"}))]
    secrets: BTreeMap<String, Option<String>>,
}

impl VariablesIn {
    pub fn read(self) -> Result<VariablesPatch<String>> {
        let Self { env, secrets } = self;
        check_all("env", &env)?;
        check_all("secrets", &secrets)?;
        Ok(VariablesPatch { env, secrets })
    }
}

/// A removal needs no valid name.
fn check_all(field: &str, variables: &BTreeMap<String, Option<String>>) -> Result<()> {
    let mut set = variables.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    set.try_for_each(|(name, value)| check_variable(field, name, value))
}

/// The variables of a new workbench.
pub fn read_new(env: BTreeMap<String, String>, secrets: BTreeMap<String, String>) -> Result<Variables<String>> {
    let some = |variables: BTreeMap<String, String>| variables.into_iter().map(|(name, value)| (name, Some(value)));
    let patch = VariablesIn { env: some(env).collect(), secrets: some(secrets).collect() }.read()?;
    let mut variables = Variables::default();
    variables.apply(patch)?;
    Ok(variables)
}

/// The environment variables of a workbench.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchVariables)]
pub struct VariablesOut {
    /// Plain variables by their names.
    #[schema(example = json!({"HF_HOME": "/tmp/models"}))]
    env: BTreeMap<String, String>,
    /// The names of the secret variables.
    #[schema(example = json!(["HF_TOKEN"]))]
    secrets: Vec<String>,
}

impl From<StoredVariables> for VariablesOut {
    fn from(Variables { env, secrets }: StoredVariables) -> Self {
        Self { env, secrets: secrets.into_keys().collect() }
    }
}
