//! The environment variables that the programs of a workbench get at their start.

use std::collections::BTreeMap;

use domain::Result;
use domain::workbench::Workbench;
use shared::Context;
use shared::store::WorkbenchVariables;

/// Reads environments. A backend reads one only when it starts the programs of a workbench.
#[derive(Clone)]
pub struct Environments {
    variables: WorkbenchVariables,
}

impl Environments {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { variables: WorkbenchVariables::new(context)? })
    }

    /// The variables by their names. They contain secrets.
    pub async fn load(&self, workbench: &Workbench) -> Result<BTreeMap<String, String>> {
        self.variables.open(workbench.org, workbench.id).await
    }
}
