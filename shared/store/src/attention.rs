//! Notification of dependents: when a referenced entity is deleted, or a model retires or returns, each agent and
//! workflow that references it is marked or unmarked.

use futures::TryStreamExt;
use futures::stream::{self, StreamExt};

use super::dependents::{self, By, Dependent};
use super::keys::Key;
use super::table::Table;
use super::work::{DeletedEntity, Task, Work, Works};
use super::{Agents, catalog, keys, sharing, threads, workflows};
use domain::id::WorkId;
use domain::identity::Account;
use domain::reference::Reference;
use domain::sharing::Shareable;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::{Context, config};

/// The number of dependents that are marked concurrently.
const AT_ONCE: usize = 16;

#[derive(Clone)]
pub struct Attention {
    entities: Table,
    counters: Table,
    agents: Agents,
    works: Works,
    clock: Clock,
}

impl Attention {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            agents: Agents::new(context)?,
            works: Works::new(context)?,
            clock: context.clock.clone(),
        })
    }

    /// Does the work, starting after the last dependent that was notified.
    pub async fn process(&self, Work { id, task, last_notified }: Work) -> Result<()> {
        match task {
            Task::Gone(DeletedEntity { account, reference }) => {
                let dependents = keys::dependents(account, &reference);
                self.notify_dependents(id, dependents, last_notified, &reference, true).await?;
                self.release_references(account, &reference).await
            }
            Task::Relist(home, reference) => match shareable(&reference) {
                Some(what) => sharing::relist(&self.entities, home, what).await,
                None => Err(Error::internal("this entity cannot be shared")),
            },
            Task::Model { name, at } => self.process_model(id, name, at, last_notified).await,
        }
    }

    /// Notifies the dependents of a model. A model can retire and return, and each change is a separate work item,
    /// which another worker may process at the same time. So the notification is repeated until the state at its end is
    /// the state that was reported. A later change has a later work item.
    async fn process_model(&self, id: WorkId, name: String, at: Time, mut last_notified: Option<String>) -> Result<()> {
        let is_gone = async || {
            let item = self.entities.get(&keys::model(&name)).await?;
            Ok::<_, Error>(!item.is_some_and(|item| catalog::is_callable(item, at.max(self.clock.now()))))
        };
        let reference = Reference::Model(name.clone());
        loop {
            let was_gone = is_gone().await?;
            let dependents = keys::dependents_of_model(&name);
            self.notify_dependents(id, dependents, last_notified.take(), &reference, was_gone).await?;
            if is_gone().await? == was_gone {
                return Ok(());
            }
        }
    }

    /// Removes the references of a deleted entity, because it no longer depends on anything, and what belongs to it.
    async fn release_references(&self, account: Account, reference: &Reference) -> Result<()> {
        if let Some(what) = shareable(reference) {
            sharing::remove_entries(&self.entities, &self.counters, account, what).await?;
        }
        match reference {
            Reference::Agent(id) => self.agents.clean_up(account, *id).await,
            Reference::Workflow(id) => {
                self.agents.delete_all_private(account, *id).await?;
                workflows::delete_dependencies(&self.entities, account, *id).await?;
                // Nobody can export or erase them any more. They come last, because now no provider delivers messages.
                threads::mark_all_erased(&self.entities, *id, self.clock.now()).await
            }
            Reference::Model(_) | Reference::Credential(..) | Reference::Webhook(_) => Ok(()),
        }
    }

    /// Marks or unmarks all dependents of an entity. The progress is saved after each page, because a model may have
    /// more dependents than a worker can notify before its timeout.
    async fn notify_dependents(
        &self,
        id: WorkId,
        dependents: String,
        last_notified: Option<String>,
        reference: &Reference,
        is_gone: bool,
    ) -> Result<()> {
        let mut after = last_notified.map(|sk| Key { pk: dependents.clone(), sk }.attributes());
        loop {
            let (page, next) = dependents::page(&self.entities, dependents.clone(), after).await?;
            let mark = |Dependent { account, by }| async move {
                match by {
                    By::Agent(id) => self.agents.mark_reference(account, id, reference, is_gone).await,
                    By::Workflow(id) => {
                        workflows::mark_reference(&self.entities, account, id, reference, is_gone).await
                    }
                }
            };
            stream::iter(page.into_iter().map(mark)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
            let Some(last) = next.as_ref().and_then(Key::from_item) else { return Ok(()) };
            self.works.save_progress(id, &last.sk).await?;
            after = next;
        }
    }
}

fn shareable(reference: &Reference) -> Option<Shareable> {
    match reference {
        Reference::Workflow(id) => Some(Shareable::Workflow(*id)),
        Reference::Agent(id) => Some(Shareable::Agent(*id)),
        Reference::Model(_) | Reference::Credential(..) | Reference::Webhook(_) => None,
    }
}
