//! The environment variables that the programs of a workbench get at their start: those of its users, and the model gateway.

use std::collections::BTreeMap;

use domain::Result;
use domain::workbench::Workbench;
use platform::Context;
use store::{WorkbenchKeys, WorkbenchVariables};

use crate::Permit;

const GATEWAY_URL: &str = "ATELIER_GATEWAY_URL";
const API_KEY: &str = "ATELIER_API_KEY";
/// The variables from which the clients of OpenAI read the same.
const OPENAI: [&str; 2] = ["OPENAI_BASE_URL", "OPENAI_API_KEY"];

/// Loads environments. A backend loads one only when it starts the programs of a workbench.
#[derive(Clone)]
pub struct Environments {
    variables: WorkbenchVariables,
    keys: WorkbenchKeys,
    /// The URL at which the programs reach the platform. None: they get no gateway.
    base_url: Option<String>,
}

impl Environments {
    pub fn new(context: &Context, base_url: Option<&str>) -> Result<Self> {
        Ok(Self {
            variables: WorkbenchVariables::new(context)?,
            keys: WorkbenchKeys::new(context)?,
            base_url: base_url.map(|url| url.trim_end_matches('/').to_owned()),
        })
    }

    /// The variables by their names. They contain secrets, among them the key of the workbench for the model gateway, which is
    /// minted if there is none.
    pub async fn load(&self, workbench: &Workbench, permit: &Permit) -> Result<BTreeMap<String, String>> {
        let mut environment = self.variables.open(workbench.org, workbench.id).await?;
        let Some(cap) = workbench.key_cap else { return Ok(environment) };
        let Some(base_url) = &self.base_url else {
            let workbench_id = workbench.id;
            tracing::warn!(%workbench_id, "BASE_URL is not set, so a workbench gets no key for the model gateway; set it");
            return Ok(environment);
        };
        let key = self.keys.provide(workbench, permit.attempt(), cap).await?;
        let gateway = [(GATEWAY_URL, format!("{base_url}/gateway/v1")), (API_KEY, key.reveal().to_owned())];
        // A user who has set one of them uses another provider: neither must be combined with one of ours.
        if !OPENAI.iter().any(|name| environment.contains_key(*name)) {
            let openai = OPENAI.iter().zip(&gateway).map(|(name, (_, value))| ((*name).to_owned(), value.clone()));
            environment.extend(openai);
        }
        environment.extend(gateway.map(|(name, value)| (name.to_owned(), value)));
        Ok(environment)
    }
}
