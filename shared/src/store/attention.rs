//! What needs attention because something it names is gone, or does not any more because that came back.

use super::dependents::{self, By, Dependent};
use super::table::Table;
use super::work::Gone;
use super::{Agents, catalog, keys, workflows};
use crate::domain::reference::Reference;
use crate::domain::time::Time;
use crate::{Context, Result, config};

#[derive(Clone)]
pub struct Attention {
    entities: Table,
    agents: Agents,
}

impl Attention {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, agents: Agents::new(context)? })
    }

    /// Tells everything that names the thing that it is gone, and lets go of what it named itself.
    pub async fn gone(&self, Gone { account, reference }: &Gone) -> Result<()> {
        self.tell(keys::dependents(*account, reference), reference, true).await?;
        match reference {
            Reference::Agent(id) => self.agents.let_go(*account, *id).await,
            Reference::Workflow(id) => workflows::let_go(&self.entities, *account, *id).await,
            Reference::Model(_) | Reference::Credential(..) | Reference::Webhook(_) => Ok(()),
        }
    }

    /// Tells everything that names the model whether it is there.
    pub async fn model(&self, name: &str, now: Time) -> Result<()> {
        let item = self.entities.get(&keys::model(name)).await?;
        let is_gone = !item.is_some_and(|item| catalog::answers(item, now));
        self.tell(keys::dependents_of_model(name), &Reference::Model(name.to_owned()), is_gone).await
    }

    async fn tell(&self, dependents: String, reference: &Reference, is_gone: bool) -> Result<()> {
        let mut after = None;
        loop {
            let (page, next) = dependents::page(&self.entities, dependents.clone(), after).await?;
            for Dependent { account, by } in page {
                match by {
                    By::Agent(id) => self.agents.mark(account, id, reference, is_gone).await?,
                    By::Workflow(id) => workflows::mark(&self.entities, account, id, reference, is_gone).await?,
                }
            }
            match next {
                None => return Ok(()),
                next => after = next,
            }
        }
    }
}
