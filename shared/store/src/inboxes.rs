//! The inboxes of workflows: where messaging providers deliver messages. Each credential of a messaging provider has one; its
//! item says to which workflow the credential belongs.

use std::time::Duration;

use super::callers::{Callers, KnownPerson};
use super::credentials::{Credentials, InboxItem};
use super::item::parse;
use super::keys;
use super::table::Table;
use super::workflows::{WorkflowHeader, header};
use domain::credential::Credential;
use domain::id::{CredentialId, Id, WorkflowId};
use domain::identity::Account;
use domain::{Error, Result};
use platform::cache::Cache;
use platform::{Context, config};

const CACHE_CAPACITY: usize = 10_000;
const CACHE_TTL: Duration = Duration::from_secs(60 * 60);
const GONE: Error = Error::NotFound { kind: CredentialId::KIND };

/// What a delivery needs, read in one consistent call.
pub struct CalledInbox {
    pub account: Account,
    pub workflow_id: WorkflowId,
    pub credential: Credential,
    /// None if the workflow was deleted.
    pub workflow: Option<WorkflowHeader>,
    /// None if the user is not a member of the organization.
    pub owner: Option<KnownPerson>,
}

pub struct Inboxes {
    entities: Table,
    credentials: Credentials,
    callers: Callers,
    /// The account and the workflow of each inbox. They never change.
    places: Cache<CredentialId, (Account, WorkflowId)>,
}

impl Inboxes {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            credentials: Credentials::new(context)?,
            callers: Callers::new(context)?,
            places: Cache::new(CACHE_TTL, CACHE_CAPACITY),
        })
    }

    pub async fn find(&self, id: CredentialId) -> Result<CalledInbox> {
        let (account, workflow_id) = match self.places.get(&id) {
            Some(place) => place,
            None => {
                let item: InboxItem = parse(self.entities.get(&keys::inbox(id)).await?.ok_or(GONE)?)?;
                let place = (Account { org: item.org, user: item.user }, item.workflow);
                self.places.put(&id, place);
                place
            }
        };
        let keys = [keys::credential(account, workflow_id, id), keys::workflow(account, workflow_id)];
        let (mut owner, [credential, workflow]) = self.callers.find_with(account, keys).await?;
        let credential = self.credentials.open_item(account, workflow_id, id, credential.ok_or(GONE)?).await?;
        let workflow = workflow.map(|item| header(account, workflow_id, item)).transpose()?.flatten();
        if let Some(user) = workflow.as_ref().and_then(WorkflowHeader::payer) {
            owner = self.callers.find(Account { org: account.org, user }).await?;
        }
        Ok(CalledInbox { account, workflow_id, credential, workflow, owner })
    }
}
