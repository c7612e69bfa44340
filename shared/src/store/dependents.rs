//! A reverse index of references: one item for each reference of an agent or a workflow. With it, the dependents of a
//! deleted entity are found without a scan.

use serde::{Deserialize, Serialize};

use super::catalog;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::table::{Table, TableQuery};
use super::write::Write;
use domain::id::{AgentId, OrgId, UserId, WorkflowId};
use domain::identity::{Account, Plan};
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};

/// An agent or a workflow that references another entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependent {
    pub account: Account,
    pub by: By,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Agent(AgentId),
    Workflow(WorkflowId),
}

#[derive(Serialize, Deserialize)]
struct DependentItem {
    pk: String,
    sk: String,
    org: OrgId,
    user: UserId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workflow: Option<WorkflowId>,
}

impl Dependent {
    pub fn key(self, reference: &Reference) -> Key {
        match self.by {
            By::Agent(agent) => keys::dependent_agent(self.account, reference, agent),
            By::Workflow(workflow) => keys::dependent_workflow(self.account, reference, workflow),
        }
    }
}

/// Whether the entity of an item can be referenced at this time. A model must also be allowed by the plan.
pub(super) fn exists(item: &Item, reference: &Reference, plan: &Plan, now: Time) -> bool {
    match reference {
        Reference::Model(name) => plan.allows(name) && catalog::is_callable(item.clone(), now),
        _ => !item.contains_key("deleted_at"),
    }
}

/// A condition check that a referenced entity still exists when the reference is written. A model must not have
/// retired.
pub(super) fn require_exists(table: &Table, account: Account, reference: &Reference, now: Time) -> Write {
    let there = table
        .check(keys::reference_key(account, reference))
        .require("attribute_exists(pk) AND attribute_not_exists(deleted_at)");
    if !matches!(reference, Reference::Model(_)) {
        return there;
    }
    let answers = "attribute_not_exists(model.retires_at) OR attribute_type(model.retires_at, :null) \
        OR model.retires_at > :now";
    there.require(answers).bind(":null", "NULL").bind(":now", now)
}

pub(super) fn add_dependent(table: &Table, dependent: Dependent, reference: &Reference) -> Write {
    let Key { pk, sk } = dependent.key(reference);
    let Account { org, user } = dependent.account;
    let (agent, workflow) = match dependent.by {
        By::Agent(agent) => (Some(agent), None),
        By::Workflow(workflow) => (None, Some(workflow)),
    };
    table.put(&DependentItem { pk, sk, org, user, agent, workflow })
}

pub(super) fn remove_dependent(table: &Table, dependent: Dependent, reference: &Reference) -> Write {
    table.delete(dependent.key(reference))
}

/// Reads a page of a partition of dependents, and the cursor of the next page.
pub(super) async fn page(
    table: &Table,
    partition: String,
    after: Option<Item>,
) -> Result<(Vec<Dependent>, Option<Item>)> {
    let query = TableQuery { after, limit: Some(100), ..TableQuery::partition(partition) };
    let found = table.query(&query).await?;
    let dependents = found.items.into_iter().map(|item| {
        let DependentItem { org, user, agent, workflow, .. } = parse(item)?;
        let by = agent.map(By::Agent).or(workflow.map(By::Workflow));
        let by = by.ok_or_else(|| Error::internal("a dependent is neither agent nor workflow"))?;
        Ok(Dependent { account: Account { org, user }, by })
    });
    Ok((dependents.collect::<Result<_>>()?, found.next))
}
