//! What needs attention because something it names is gone, or does not any more because that came back.

use futures::TryStreamExt;
use futures::stream::{self, StreamExt};

use super::dependents::{self, By, Dependent};
use super::keys::Key;
use super::table::Table;
use super::work::{Gone, Task, Work, Works};
use super::{Agents, catalog, keys, workflows};
use crate::{Context, config};
use domain::id::WorkId;
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};

/// How many are told at once.
const AT_ONCE: usize = 16;

#[derive(Clone)]
pub struct Attention {
    entities: Table,
    agents: Agents,
    works: Works,
}

impl Attention {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            agents: Agents::new(context)?,
            works: Works::new(context)?,
        })
    }

    /// Does the work, from where it was left.
    pub async fn see_to(&self, Work { id, task, told }: Work) -> Result<()> {
        match task {
            Task::Gone(Gone { account, reference }) => {
                let dependents = keys::dependents(account, &reference);
                self.tell(id, dependents, told, &reference, true).await?;
                self.let_go(account, &reference).await
            }
            Task::Model { name, at } => self.see_to_model(id, name, at, told).await,
        }
    }

    /// A model goes and comes back, and each is a work of its own that another worker may do at the same time: what was
    /// told holds when it is still so at the end. What changes after that has a work that comes after.
    async fn see_to_model(&self, id: WorkId, name: String, at: Time, mut told: Option<String>) -> Result<()> {
        let is_gone = async || {
            let item = self.entities.get(&keys::model(&name)).await?;
            Ok::<_, Error>(!item.is_some_and(|item| catalog::answers(item, at.max(Time::now()))))
        };
        let reference = Reference::Model(name.clone());
        loop {
            let was_gone = is_gone().await?;
            let dependents = keys::dependents_of_model(&name);
            self.tell(id, dependents, told.take(), &reference, was_gone).await?;
            if is_gone().await? == was_gone {
                return Ok(());
            }
        }
    }

    /// What is gone names nothing any more.
    async fn let_go(&self, account: Account, reference: &Reference) -> Result<()> {
        match reference {
            Reference::Agent(id) => self.agents.let_go(account, *id).await,
            Reference::Workflow(id) => workflows::let_go(&self.entities, account, *id).await,
            Reference::Model(_) | Reference::Credential(..) | Reference::Webhook(_) => Ok(()),
        }
    }

    /// Tells everything that names the thing whether it is gone. A model may be named by more than can be told before
    /// the time of a worker is up.
    async fn tell(
        &self,
        id: WorkId,
        dependents: String,
        told: Option<String>,
        reference: &Reference,
        is_gone: bool,
    ) -> Result<()> {
        let mut after = told.map(|sk| Key { pk: dependents.clone(), sk }.attributes());
        loop {
            let (page, next) = dependents::page(&self.entities, dependents.clone(), after).await?;
            let tell = |Dependent { account, by }| async move {
                match by {
                    By::Agent(id) => self.agents.mark(account, id, reference, is_gone).await,
                    By::Workflow(id) => workflows::mark(&self.entities, account, id, reference, is_gone).await,
                }
            };
            stream::iter(page.into_iter().map(tell)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
            let Some(last) = next.as_ref().and_then(Key::of) else { return Ok(()) };
            self.works.told(id, &last.sk).await?;
            after = next;
        }
    }
}
