//! Who depends on what: an item for each reference of an entity, so that those who name a thing are found
//! when it goes, without looking through everybody.

use serde::{Deserialize, Serialize};

use super::keys;
use super::table::{Item, Query, Table, parse};
use super::write::Write;
use crate::Result;
use crate::domain::id::{AgentId, OrgId, UserId};
use crate::domain::identity::Account;
use crate::domain::reference::Reference;

/// An agent that names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependent {
    pub account: Account,
    pub agent: AgentId,
}

#[derive(Serialize, Deserialize)]
struct DependentItem {
    pk: String,
    sk: String,
    org: OrgId,
    user: UserId,
    agent: AgentId,
}

pub(super) fn added(table: &Table, dependent: Dependent, reference: &Reference) -> Write {
    let Dependent { account, agent } = dependent;
    let key = keys::dependent_agent(account, reference, agent);
    table.put(&DependentItem { pk: key.pk, sk: key.sk, org: account.org, user: account.user, agent })
}

pub(super) fn removed(table: &Table, dependent: Dependent, reference: &Reference) -> Write {
    table.delete(keys::dependent_agent(dependent.account, reference, dependent.agent))
}

/// A page of those who stand in a partition of dependents.
pub(super) async fn page(
    table: &Table,
    partition: String,
    after: Option<Item>,
) -> Result<(Vec<Dependent>, Option<Item>)> {
    let query = Query { after, limit: Some(100), ..Query::partition(partition) };
    let found = table.query(&query).await?;
    let dependents = found.items.into_iter().map(|item| {
        let DependentItem { org, user, agent, .. } = parse(item)?;
        Ok(Dependent { account: Account { org, user }, agent })
    });
    Ok((dependents.collect::<Result<_>>()?, found.next))
}
