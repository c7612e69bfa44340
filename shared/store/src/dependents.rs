//! A reverse index of references: one item for each reference of an agent or a workflow. With it, the dependents of a
//! deleted entity are found without a scan.

use attributes::Attributes;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::attribute::field;
use super::catalog::{self, ModelItem};
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::TableQuery;
use super::revision::DELETED_AT;
use super::table::Table;
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

#[derive(Serialize, Deserialize, Attributes)]
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

/// An agent or a workflow that may refer to other entities.
pub(super) struct Referrer<'a> {
    pub plan: &'a Plan,
    /// The workflow itself, or the workflow to which the agent is private.
    pub workflow: Option<WorkflowId>,
    pub now: Time,
}

impl Referrer<'_> {
    /// Whether it can refer to the entity of an item. A model must be allowed by the plan. An agent that is private to
    /// another workflow does not exist for it.
    pub fn can_use(&self, item: &Item, reference: &Reference) -> bool {
        match reference {
            Reference::Model(name) => self.plan.allows(name) && catalog::is_callable(item.clone(), self.now),
            Reference::Agent(_) => DELETED_AT.find(item).is_none() && self.may_use_agent(item),
            _ => DELETED_AT.find(item).is_none(),
        }
    }

    /// Whether the agent of an item is global, or private to the same workflow. The head of an agent has its workflow.
    fn may_use_agent(&self, item: &Item) -> bool {
        let Some(AttributeValue::M(head)) = item.get("head") else { return false };
        match head.get("workflow") {
            Some(AttributeValue::S(own)) => self.workflow.is_some_and(|workflow| workflow.to_string() == *own),
            _ => true,
        }
    }
}

/// A condition check that a referenced entity still exists when the reference is written. A model must not have
/// retired.
pub(super) fn require_exists(table: &Table, account: Account, reference: &Reference, now: Time) -> Write {
    let there = table.check(keys::reference_key(account, reference)).require_exists().require(DELETED_AT.is_missing());
    if !matches!(reference, Reference::Model(_)) {
        return there;
    }
    let retires_at = || field!(ModelItem::MODEL, retires_at);
    let answers = retires_at().is_missing().or(retires_at().is(None::<Time>)).or(retires_at().is_greater_than(now));
    there.require(answers)
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
