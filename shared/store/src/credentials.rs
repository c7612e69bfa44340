//! The outbound credentials of workflows. Each secret is encrypted with its organization, workflow and id as associated
//! data, so it cannot be decrypted in another place.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::TableQuery;
use super::quota;
use super::table::Table;
use super::work::{self, DeletedEntity};
use super::workflow_parts::WorkflowPart;
use domain::credential::{Credential, CredentialType};
use domain::id::{CredentialId, Id, OrgId, UserId, WorkId, WorkflowId};
use domain::identity::Account;
use domain::messaging::MessagingProvider;
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

pub const MAX_CREDENTIALS: usize = 50;

const PART: WorkflowPart = WorkflowPart { kind: "credential", max: MAX_CREDENTIALS, too_many: "too_many_credentials" };

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

#[derive(Serialize, Deserialize, Attributes)]
struct CredentialItem {
    pk: String,
    sk: CredentialId,
    name: String,
    r#type: CredentialType,
    created_at: Time,
    sealed: Sealed,
}

/// The place of a credential of a messaging provider. The provider delivers messages to the id of the credential.
#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct InboxItem {
    pk: String,
    sk: String,
    pub org: OrgId,
    pub user: UserId,
    pub workflow: WorkflowId,
}

impl InboxItem {
    fn new(account: Account, workflow: WorkflowId, id: CredentialId) -> Self {
        let Key { pk, sk } = keys::inbox(id);
        Self { pk, sk, org: account.org, user: account.user, workflow }
    }
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
    let found = entities.query_all(TableQuery::partition(keys::credentials(account, workflow))).await?;
    found.into_iter().map(summary).collect()
}

/// The associated data that binds a secret to its place.
fn seal_context(account: Account, workflow: WorkflowId, id: CredentialId) -> String {
    format!("credential/{}/{workflow}/{id}", account.org)
}

impl Credentials {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_credentials(context)?);
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
        let sealed = self.secrets.seal_credential(&seal_context(account, workflow, id), credential).await?;
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
        let count = keys::credential_count(account, workflow);
        let [exists, room] = PART.require_room(&self.entities, account, workflow, count, summary.created_at);
        let mut writes = vec![exists, room, self.entities.put_new(&item)];
        if MessagingProvider::of(summary.r#type).is_some() {
            writes.push(self.entities.put_new(&InboxItem::new(account, workflow, id)));
        }
        self.entities.transact(id.uuid(), &writes).await?.or_error(|refused| PART.refusal(&refused))?;
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
        self.open_item(account, workflow, id, item.ok_or(GONE)?).await
    }

    /// Decrypts the credential of an item that was read.
    pub(super) async fn open_item(
        &self,
        account: Account,
        workflow: WorkflowId,
        id: CredentialId,
        item: Item,
    ) -> Result<Credential> {
        let CredentialItem { sealed, .. } = parse(item)?;
        self.secrets.open_credential(&seal_context(account, workflow, id), &sealed).await
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
            self.entities.delete(keys::credential(account, workflow, id)).require_exists(),
            quota::decrement(&self.entities, keys::credential_count(account, workflow)),
            self.entities.delete(keys::inbox(id)),
            self.entities.delete(keys::consent(id)),
            work::deletion_work(&self.entities, work_id, &gone),
        ];
        self.entities.transact(work_id.uuid(), &writes).await?.or_error(|_| GONE)
    }
}
