//! The impact of deleting a workflow: the agents and workflows that reference it.

use serde::Deserialize;

use super::Workflows;
use crate::dependents::{self, By, Dependent};
use crate::item::parse;
use crate::keys;
use crate::revision::DELETED_AT;
use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::reference::Reference;

/// The dependents of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    pub agents: Vec<Named>,
    pub workflows: Vec<Named>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub id: uuid::Uuid,
    pub name: String,
}

impl Workflows {
    pub async fn impact(&self, account: Account, id: WorkflowId) -> Result<Impact> {
        self.get_header(account, id).await?;
        let partition = keys::dependents(account, &Reference::Workflow(id));
        let (dependents, _) = dependents::page(&self.entities, partition, None).await?;
        let keys: Vec<_> = dependents.iter().map(|dependent| entity_key(*dependent)).collect();
        let found = self.entities.batch_get(&keys).await?;

        let mut impact = Impact::default();
        for dependent in dependents {
            let key = entity_key(dependent);
            let item = found.iter().find(|item| keys::Key::from_item(item).as_ref() == Some(&key));
            let Some(item) = item.filter(|item| DELETED_AT.find(item).is_none()) else { continue };
            let NamedItem { head, references } = parse(item.clone())?;
            match dependent.by {
                // A publication that failed may have left an entry in the reverse index, so check the active release.
                By::Workflow(_) if !references.contains(&Reference::Workflow(id)) => {}
                // The private agents of the workflow are deleted with it.
                By::Agent(_) if head.workflow == Some(id) => {}
                By::Agent(id) => impact.agents.push(Named { id: id.uuid(), name: head.name }),
                By::Workflow(id) => impact.workflows.push(Named { id: id.uuid(), name: head.name }),
            }
        }
        Ok(impact)
    }
}

fn entity_key(Dependent { account, by }: Dependent) -> keys::Key {
    match by {
        By::Agent(id) => keys::agent(account, id),
        By::Workflow(id) => keys::workflow(account, id),
    }
}

#[derive(Deserialize)]
struct NamedItem {
    head: NamedHead,
    /// The references of a workflow's active release. Agents have none here.
    #[serde(default)]
    references: Vec<Reference>,
}

#[derive(Deserialize)]
struct NamedHead {
    name: String,
    /// The workflow of a private agent.
    #[serde(default)]
    workflow: Option<WorkflowId>,
}
