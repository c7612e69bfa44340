//! The environment variables of workbenches. They are stored in an item of their own, because lists and steps read each workbench
//! and need no variables. Each secret is encrypted with its organization, workbench and name as associated data.

use std::collections::BTreeMap;
use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse, to_item};
use super::keys;
use super::table::Table;
use super::write::Write;
use domain::id::{OrgId, WorkbenchId};
use domain::workbench::{Variables, VariablesPatch};
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

/// Variables as they are stored.
pub type StoredVariables = Variables<Sealed>;

#[derive(Serialize, Deserialize, Attributes)]
struct VariablesItem {
    pk: String,
    sk: String,
    env: BTreeMap<String, String>,
    secrets: BTreeMap<String, Sealed>,
}

/// Encrypts the variables of workbenches, and decrypts them for the start of an environment.
#[derive(Clone)]
pub struct WorkbenchVariables {
    entities: Table,
    secrets: Arc<Secrets>,
}

impl WorkbenchVariables {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_credentials(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    pub async fn seal(&self, org: OrgId, id: WorkbenchId, plain: Variables<String>) -> Result<StoredVariables> {
        let mut secrets = BTreeMap::new();
        for (name, secret) in plain.secrets {
            secrets.insert(name.clone(), self.secrets.seal(&place(org, id, &name), secret.as_bytes()).await?);
        }
        Ok(Variables { env: plain.env, secrets })
    }

    pub async fn seal_patch(
        &self,
        org: OrgId,
        id: WorkbenchId,
        plain: VariablesPatch<String>,
    ) -> Result<VariablesPatch<Sealed>> {
        let mut secrets = BTreeMap::new();
        for (name, secret) in plain.secrets {
            let sealed = match secret {
                Some(secret) => Some(self.secrets.seal(&place(org, id, &name), secret.as_bytes()).await?),
                None => None,
            };
            secrets.insert(name, sealed);
        }
        Ok(VariablesPatch { env: plain.env, secrets })
    }

    /// All variables of a workbench with their values, for the start of its environment.
    pub async fn open(&self, org: OrgId, id: WorkbenchId) -> Result<BTreeMap<String, String>> {
        let Variables { env: mut opened, secrets } = find(&self.entities, org, id).await?;
        for (name, sealed) in secrets {
            let secret = self.secrets.open(&place(org, id, &name), &sealed).await?;
            opened.insert(name, String::from_utf8(secret.to_vec()).map_err(Error::internal)?);
        }
        Ok(opened)
    }
}

/// The associated data of an encrypted secret.
fn place(org: OrgId, id: WorkbenchId, name: &str) -> String {
    format!("workbench-variable/{org}/{id}/{name}")
}

/// The variables of a workbench. Without an item, it has none.
pub(super) async fn find(entities: &Table, org: OrgId, id: WorkbenchId) -> Result<StoredVariables> {
    let item: Option<Item> = entities.get(&keys::workbench_variables(org, id)).await?;
    let Some(item) = item else { return Ok(Variables::default()) };
    let VariablesItem { env, secrets, .. } = parse(item)?;
    Ok(Variables { env, secrets })
}

/// The write that stores variables.
pub(super) fn put_write(entities: &Table, org: OrgId, id: WorkbenchId, variables: &StoredVariables) -> Write {
    let key = keys::workbench_variables(org, id);
    let Variables { env, secrets } = variables.clone();
    entities.put_item(to_item(&VariablesItem { pk: key.pk, sk: key.sk, env, secrets }))
}
