//! The stored form of a workflow. The local indexes project its `head`, which is all that lists show. A large graph is
//! stored in the bucket.

use std::collections::BTreeMap;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::item::{Item, parse, to_item};
use crate::keys;
use crate::sharing::StoredSharing;
use crate::stored_text::StoredText;
use domain::channel::Channels;
use domain::graph::Graph;
use domain::id::{UserId, WorkflowId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::sharing::TeamRole;
use domain::text;
use domain::time::Time;
use domain::tool_mark::ToolMark;
use domain::workflow::{Active, Lifecycle, Workflow, WorkflowState};
use domain::{Error, Result};

#[derive(Serialize, Deserialize, Attributes)]
pub struct WorkflowItem {
    pk: String,
    sk: WorkflowId,
    rev: u64,
    /// The id of the write that made this revision, so that a retried write recognises its own result.
    write_id: Uuid,
    pub head: Head,
    pub graph: StoredText,
    /// The channels as JSON text.
    #[serde(default = "no_channels")]
    channels: String,
    releases: u64,
    /// The references of the active release.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// The node ids of the active release's schedules, each of which has an item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<String>,
    #[serde(default)]
    gone: Vec<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    members: Option<BTreeMap<UserId, TeamRole>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    organization: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_updated: Option<String>,
}

fn no_channels() -> String {
    "{}".to_owned()
}

/// What the active release refers to.
#[derive(Clone, Default)]
pub struct ReleaseLinks {
    pub references: Vec<Reference>,
    pub schedules: Vec<String>,
}

/// The fields that the local indexes project.
#[derive(Serialize, Deserialize)]
pub struct Head {
    pub name: String,
    pub folded: String,
    pub description: Option<String>,
    pub state: WorkflowState,
    pub lifecycle: Lifecycle,
    pub active: Option<Active>,
    pub unpublished: bool,
    pub revision: u64,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolMark>,
    /// The owner, if that is not the user who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// Only in the entries of other users: what the user may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<TeamRole>,
}

/// The whole item of a workflow, with its graph in stored form.
pub fn item(workflow: &Workflow, graph: StoredText, links: ReleaseLinks, write_id: Uuid) -> Item {
    let StoredSharing { owner, members } = StoredSharing::new(workflow.account, &workflow.sharing);
    let is_listed = owner.is_none();
    to_item(&WorkflowItem {
        pk: keys::workflows(workflow.account),
        sk: workflow.id,
        rev: workflow.revision,
        write_id,
        graph,
        channels: serde_json::to_string(&workflow.channels).expect("channels are JSON"),
        releases: workflow.releases,
        references: links.references,
        schedules: links.schedules,
        gone: workflow.gone.iter().cloned().collect(),
        members,
        deleted_at: None,
        organization: is_listed.then(|| keys::workflows_of_org(workflow.account.org)),
        by_name: is_listed.then(|| keys::by_name(&workflow.name, workflow.id)),
        by_created: is_listed.then(|| workflow.id.to_string()),
        by_updated: is_listed.then(|| keys::by_updated(workflow.updated_at, workflow.id)),
        head: Head {
            name: workflow.name.clone(),
            folded: text::folded(&workflow.name),
            description: workflow.description.clone(),
            state: workflow.state(),
            lifecycle: workflow.lifecycle,
            active: workflow.active.clone(),
            unpublished: workflow.has_unpublished_changes(),
            revision: workflow.revision,
            created_at: workflow.created_at,
            updated_at: workflow.updated_at,
            tool: workflow.tool.clone(),
            owner,
            role: None,
        },
    })
}

/// Whether a workflow runs when it is called: it has an active release and is not archived.
pub fn is_runnable(item: Item) -> Result<bool> {
    let WorkflowItem { head, .. } = parse(item)?;
    Ok(head.active.is_some() && head.lifecycle != Lifecycle::Archived)
}

/// The stored workflow of an item, `None` when it was deleted.
pub fn stored(item: Item) -> Result<Option<WorkflowItem>> {
    let item: WorkflowItem = parse(item)?;
    Ok(Some(item).filter(|item| item.deleted_at.is_none()))
}

impl WorkflowItem {
    /// The workflow, with the graph parsed from JSON text.
    pub fn workflow(self, account: Account, graph: &[u8]) -> Result<Workflow> {
        let graph: Graph = serde_json::from_slice(graph).map_err(Error::internal)?;
        let channels = self.channels()?;
        Ok(Workflow { channels, ..self.without_graph(account, graph) })
    }

    pub fn channels(&self) -> Result<Channels> {
        serde_json::from_str(&self.channels).map_err(Error::internal)
    }

    /// The workflow without its draft, for callers that do not need it: it has no channels, and the given graph.
    pub fn without_graph(self, account: Account, graph: Graph) -> Workflow {
        let Head { name, description, lifecycle, active, created_at, updated_at, tool, owner, .. } = self.head;
        Workflow {
            id: self.sk,
            account,
            sharing: StoredSharing { owner, members: self.members }.read(account),
            name,
            description,
            graph,
            channels: Channels::new(),
            tool,
            lifecycle,
            active,
            releases: self.releases,
            gone: self.gone.into_iter().collect(),
            created_at,
            updated_at,
            revision: self.rev,
        }
    }
}
