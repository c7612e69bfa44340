//! The outbound credentials of workflows. Each secret is encrypted with its organization, workflow and id as associated
//! data, so it cannot be decrypted in another place.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::table::{Item, Query, Table, parse};
use super::work::{self, DeletedEntity};
use super::{keys, quota};
use crate::secrets::{Sealed, Secrets};
use crate::{Context, config};
use domain::credential::{Credential, CredentialType};
use domain::id::{CredentialId, Id, WorkId, WorkflowId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};

pub const MAX_CREDENTIALS: usize = 50;

/// The label of the check that the workflow exists.
const WORKFLOW: &str = "workflow";

const GONE: Error = Error::NotFound { kind: CredentialId::KIND };

#[derive(Clone)]
pub struct Credentials {
    entities: Table,
    secrets: Arc<Secrets>,
}

/// A credential without its secret.
#[derive(Clone, Debug, PartialEq)]
pub struct CredentialSummary {
    pub id: CredentialId,
    pub name: String,
    pub r#type: CredentialType,
    pub created_at: Time,
}

#[derive(Serialize, Deserialize)]
struct CredentialItem {
    pk: String,
    sk: CredentialId,
    name: String,
    r#type: CredentialType,
    created_at: Time,
    sealed: Sealed,
}

fn summary(item: Item) -> Result<CredentialSummary> {
    let CredentialItem { sk: id, name, r#type, created_at, .. } = parse(item)?;
    Ok(CredentialSummary { id, name, r#type, created_at })
}

/// Lists the credentials of a workflow, oldest first.
pub(super) async fn summaries(
    entities: &Table,
    account: Account,
    workflow: WorkflowId,
) -> Result<Vec<CredentialSummary>> {
    let found = entities.query_all(Query::partition(keys::credentials(account, workflow))).await?;
    found.into_iter().map(summary).collect()
}

/// The associated data that binds a secret to its place.
fn seal_context(account: Account, workflow: WorkflowId, id: CredentialId) -> String {
    format!("credential/{}/{workflow}/{id}", account.org)
}

impl Credentials {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::new(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    pub async fn create(
        &self,
        account: Account,
        workflow: WorkflowId,
        name: String,
        credential: &Credential,
    ) -> Result<CredentialSummary> {
        let id = CredentialId::new();
        let secret = Zeroizing::new(serde_json::to_vec(credential).map_err(Error::internal)?);
        let sealed = self.secrets.seal(&seal_context(account, workflow, id), &secret).await?;
        let summary =
            CredentialSummary { id, name, r#type: credential.r#type(), created_at: Time::from_uuid(id.uuid()) };
        let item = CredentialItem {
            pk: keys::credentials(account, workflow),
            sk: id,
            name: summary.name.clone(),
            r#type: summary.r#type,
            created_at: summary.created_at,
            sealed,
        };
        let writes = [
            self.entities
                .check(keys::workflow(account, workflow))
                .require("attribute_exists(pk) AND attribute_not_exists(deleted_at)")
                .labeled(WORKFLOW),
            quota::increment(&self.entities, keys::credential_count(account, workflow), MAX_CREDENTIALS),
            self.entities.put_new(&item),
        ];
        let made = self.entities.transact(id.uuid(), &writes).await?;
        made.or_error(|refused| match refused.label {
            WORKFLOW => Error::NotFound { kind: WorkflowId::KIND },
            quota::LABEL => {
                let message = format!("a workflow has at most {MAX_CREDENTIALS} credentials; delete one first");
                Error::Conflict { code: "too_many_credentials", message }
            }
            _ => Error::internal("a new credential's id is in use"),
        })?;
        Ok(summary)
    }

    /// Lists the credentials of a workflow, oldest first.
    pub async fn list(&self, account: Account, workflow: WorkflowId) -> Result<Vec<CredentialSummary>> {
        summaries(&self.entities, account, workflow).await
    }

    pub async fn get(&self, account: Account, workflow: WorkflowId, id: CredentialId) -> Result<CredentialSummary> {
        summary(self.entities.get(&keys::credential(account, workflow, id)).await?.ok_or(GONE)?)
    }

    /// Decrypts the credential, for the outbound call that sends it.
    pub async fn open(&self, account: Account, workflow: WorkflowId, id: CredentialId) -> Result<Credential> {
        let item = self.entities.get(&keys::credential(account, workflow, id)).await?;
        let CredentialItem { sealed, .. } = parse(item.ok_or(GONE)?)?;
        let secret = self.secrets.open(&seal_context(account, workflow, id), &sealed).await?;
        serde_json::from_slice(&secret).map_err(Error::internal)
    }

    /// Deletes the credential, and writes the work that notifies the workflow.
    pub async fn delete(
        &self,
        account: Account,
        workflow: WorkflowId,
        id: CredentialId,
        work_id: WorkId,
    ) -> Result<()> {
        let gone = DeletedEntity { account, reference: Reference::Credential(workflow, id) };
        let writes = [
            self.entities.delete(keys::credential(account, workflow, id)).require("attribute_exists(pk)"),
            quota::decrement(&self.entities, keys::credential_count(account, workflow)),
            work::deletion_work(&self.entities, work_id, &gone),
        ];
        self.entities.transact(work_id.uuid(), &writes).await?.or_error(|_| GONE)
    }
}
