//! Releases and deployments of workflows. Each release has the next number, without gaps or duplicates.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Loaded, Standing, Workflows, was_written};
use crate::store::dependents::{self, By, Dependent, still_there};
use crate::store::keys::{self, Key};
use crate::store::listing;
use crate::store::table::{Index, Item, Query, parse, to_item};
use crate::store::turns::Turns;
use crate::store::write::Write;
use domain::channel::Channels;
use domain::graph::Graph;
use domain::id::{DeploymentId, Id, ReleaseId, UserId, WorkflowId};
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest};
use domain::reference::Reference;
use domain::time::Time;
use domain::workflow::{Active, Dependencies, Deployment, Manifest, ManifestRelease, Release, Workflow};
use domain::{Error, Result};

/// The maximum number of references of a release. One transaction, which takes 100 writes, checks the references of the
/// new release and unlinks those of the release before.
pub const MAX_REFERENCES: usize = 48;

/// The validation of a graph before it becomes active. It returns the references that the graph needs.
pub trait Examine: Sync {
    fn prepare(
        &self,
        id: WorkflowId,
        graph: &Graph,
        channels: &Channels,
    ) -> impl Future<Output = Result<BTreeSet<Reference>>> + Send;
}

/// The result of publishing.
pub struct Published {
    pub workflow: Workflow,
    pub release: Release,
    pub deployment: Deployment,
}

/// The stored form of a release or a deployment. The index projects its `head`, which holds all of its data.
#[derive(Serialize, Deserialize)]
struct NumberedItem<H> {
    pk: String,
    sk: String,
    by_created: String,
    head: H,
}

#[derive(Serialize, Deserialize)]
struct ReleaseHead {
    id: ReleaseId,
    number: u64,
    notes: Option<String>,
    created_at: Time,
    created_by: UserId,
    graph_hash: String,
    content_hash: String,
    sha256: String,
}

#[derive(Serialize, Deserialize)]
struct DeploymentHead {
    id: DeploymentId,
    release: ReleaseId,
    number: u64,
    activated_at: Time,
    activated_by: UserId,
}

fn numbered(key: Key, number: u64, head: impl Serialize) -> Item {
    to_item(&NumberedItem { pk: key.pk, sk: key.sk, by_created: keys::by_number(number), head })
}

fn release(item: Item) -> Result<Release> {
    let ReleaseHead { id, number, notes, created_at, created_by, graph_hash, content_hash, sha256 } =
        parse::<Headed<ReleaseHead>>(item)?.head;
    Ok(Release { id, number, notes, created_at, created_by, graph_hash, content_hash, sha256 })
}

fn deployment(item: Item) -> Result<Deployment> {
    let DeploymentHead { id, release, number, activated_at, activated_by } =
        parse::<Headed<DeploymentHead>>(item)?.head;
    Ok(Deployment { id, release, number, activated_at, activated_by })
}

#[derive(Deserialize)]
struct Headed<H> {
    head: H,
}

fn manifest_name(account: Account, workflow: WorkflowId, release: ReleaseId) -> String {
    format!("manifests/{}/{workflow}/{release}.json", account.org)
}

impl Workflows {
    /// Publishes the draft, if the examiner accepts it. Of several concurrent requests with the same draft, one makes a
    /// release; the others find nothing to publish.
    pub async fn publish(
        &self,
        account: Account,
        id: WorkflowId,
        notes: Option<String>,
        by: UserId,
        examiner: &impl Examine,
    ) -> Result<Published> {
        let mut turns = Turns::default();
        loop {
            let before = self.load(account, id).await?;
            before.workflow.check_publishable()?;
            let references = examiner.prepare(id, &before.workflow.graph, &before.workflow.channels).await?;
            if let Some(published) = self.release_as(before, references, notes.clone(), by).await? {
                return Ok(published);
            }
            turns.next("others keep changing the workflow").await?;
        }
    }

    /// Publishes one revision of the draft. Returns `None` when the draft or one of its references changed meanwhile.
    async fn release_as(
        &self,
        before: Loaded,
        references: BTreeSet<Reference>,
        notes: Option<String>,
        by: UserId,
    ) -> Result<Option<Published>> {
        let Loaded { workflow: draft, graph, references: named_before } = before;
        let (account, now, number) = (draft.account, Time::now(), draft.releases + 1);
        let (id, deployment_id) = (ReleaseId::new(), DeploymentId::new());
        let content_hash = draft.content_hash();

        let dependencies = Dependencies::new(&references);
        let made = ManifestRelease { id, number, notes: notes.clone(), created_at: now, created_by: by };
        let manifest = Manifest::new(&draft, made, dependencies);
        let release = Release {
            id,
            number,
            notes,
            created_at: now,
            created_by: by,
            graph_hash: draft.graph.hash(),
            content_hash: content_hash.clone(),
            sha256: manifest.sha256.clone(),
        };
        let deployment = Deployment { id: deployment_id, release: id, number, activated_at: now, activated_by: by };
        let workflow = draft.published(Active { release: id, number, content_hash }, now);

        let name = manifest_name(account, draft.id, id);
        let document = serde_json::to_vec(&manifest).map_err(Error::internal)?;
        self.bucket.put(&name, "application/json", document).await?;
        // This is written before the release, so that from now on the workflow is notified when a reference goes.
        self.depend(&draft, &references).await?;

        let write_id = Uuid::now_v7();
        let named: Vec<Reference> = references.iter().cloned().collect();
        let mut writes = vec![
            self.put(&workflow, graph, named, &draft, write_id),
            self.entities.put_item(release_item(account, draft.id, &release)).require("attribute_not_exists(pk)"),
            self.entities.put_item(deployment_item(account, draft.id, &deployment)).require("attribute_not_exists(pk)"),
        ];
        writes.extend(self.turn_to(&draft, &named_before, &references, now));
        if !was_written(self.entities.transact(write_id, &writes).await?, write_id)? {
            self.bucket.discard(&name).await;
            return Ok(None);
        }
        Ok(Some(Published { workflow, release, deployment }))
    }

    /// Adds the workflow to the reverse index of its references. A superfluous entry does no harm, because `mark`
    /// ignores a reference that the active release does not have.
    async fn depend(&self, workflow: &Workflow, references: &BTreeSet<Reference>) -> Result<()> {
        let dependent = Dependent { account: workflow.account, by: By::Workflow(workflow.id) };
        for reference in references {
            let _ = self.entities.write(dependents::added(&self.entities, dependent, reference)).await?;
        }
        Ok(())
    }

    /// The writes that belong to a change of the active release: they require that its references exist, and unlink the
    /// references that only the release before had.
    fn turn_to(
        &self,
        workflow: &Workflow,
        before: &[Reference],
        references: &BTreeSet<Reference>,
        now: Time,
    ) -> impl Iterator<Item = Write> {
        let Workflow { account, id, .. } = *workflow;
        let dependent = Dependent { account, by: By::Workflow(id) };
        let there = references.iter().map(move |reference| still_there(&self.entities, account, reference, now));
        let unnamed = before.iter().filter(|reference| !references.contains(reference));
        there.chain(unnamed.map(move |reference| dependents::removed(&self.entities, dependent, reference)))
    }

    /// Activates an earlier release (rollback).
    pub async fn activate(
        &self,
        account: Account,
        id: WorkflowId,
        deployment_id: DeploymentId,
        by: UserId,
        examiner: &impl Examine,
    ) -> Result<(Workflow, Deployment)> {
        let mut turns = Turns::default();
        loop {
            let before = self.load(account, id).await?;
            let now = Time::now();
            let found = self.deployment(account, id, deployment_id).await?;
            let release = self.release(account, id, found.release).await?;
            let manifest = self.manifest(account, id, &release).await?;
            let Release { id: release, number, content_hash, .. } = release;
            let workflow = before.workflow.with_active(Active { release, number, content_hash }, now)?;
            let references = examiner.prepare(id, &manifest.graph, &manifest.channels).await?;
            let deployment = Deployment { activated_at: now, activated_by: by, ..found };
            self.depend(&workflow, &references).await?;

            let write_id = Uuid::now_v7();
            let named = references.iter().cloned().collect();
            let mut writes = vec![
                self.put(&workflow, before.graph.clone(), named, &before.workflow, write_id),
                self.entities.put_item(deployment_item(account, id, &deployment)).require("attribute_exists(pk)"),
            ];
            writes.extend(self.turn_to(&workflow, &before.references, &references, now));
            if was_written(self.entities.transact(write_id, &writes).await?, write_id)? {
                return Ok((workflow, deployment));
            }
            turns.next("others keep changing the workflow").await?;
        }
    }

    /// Lists the releases of a workflow, newest first.
    pub async fn releases(&self, workflow: &Standing, request: PageRequest) -> Result<Page<Release>> {
        let partition = keys::releases(workflow.account, workflow.id);
        self.numbered(partition, workflow.releases, request).await?.try_map(release)
    }

    pub async fn deployments(&self, workflow: &Standing, request: PageRequest) -> Result<Page<Deployment>> {
        let partition = keys::deployments(workflow.account, workflow.id);
        self.numbered(partition, workflow.releases, request).await?.try_map(deployment)
    }

    /// Reads a page of releases or deployments. The total is the number of releases for both.
    async fn numbered(&self, partition: String, total: u64, request: PageRequest) -> Result<Page<Item>> {
        let query =
            Query { index: Some(Index::Local("by_created")), order: Order::Desc, ..Query::partition(partition) };
        let items = listing::items(&self.entities, query, request).await?;
        Ok(Page { items, total, request })
    }

    pub async fn release(&self, account: Account, workflow: WorkflowId, id: ReleaseId) -> Result<Release> {
        let item = self.entities.get(&keys::release(account, workflow, id)).await?;
        release(item.ok_or(Error::NotFound { kind: ReleaseId::KIND })?)
    }

    async fn deployment(&self, account: Account, workflow: WorkflowId, id: DeploymentId) -> Result<Deployment> {
        let item = self.entities.get(&keys::deployment(account, workflow, id)).await?;
        deployment(item.ok_or(Error::NotFound { kind: DeploymentId::KIND })?)
    }

    /// Reads the manifest of a release, and verifies its checksum.
    pub async fn manifest(&self, account: Account, workflow: WorkflowId, release: &Release) -> Result<Manifest> {
        let stored = self.bucket.get(&manifest_name(account, workflow, release.id)).await?;
        let stored = stored.ok_or_else(|| Error::internal("a release's manifest is missing"))?;
        Manifest::read(&stored, &release.sha256)
    }

    /// Reads the manifest of a release, or returns `None` when it is missing or differs from what was published.
    pub async fn intact_manifest(
        &self,
        account: Account,
        workflow: WorkflowId,
        release: &Release,
    ) -> Result<Option<Manifest>> {
        match self.manifest(account, workflow, release).await {
            Ok(manifest) => Ok(Some(manifest)),
            // A temporary failure to read is not evidence of a damaged manifest.
            Err(passing @ Error::Unavailable { .. }) => Err(passing),
            Err(cause) => {
                tracing::error!(%workflow, release = %release.id, ?cause, "a release's manifest is missing or damaged");
                Ok(None)
            }
        }
    }
}

fn release_item(account: Account, workflow: WorkflowId, release: &Release) -> Item {
    let Release { id, number, notes, created_at, created_by, graph_hash, content_hash, sha256 } = release.clone();
    let head = ReleaseHead { id, number, notes, created_at, created_by, graph_hash, content_hash, sha256 };
    numbered(keys::release(account, workflow, id), number, head)
}

fn deployment_item(account: Account, workflow: WorkflowId, deployment: &Deployment) -> Item {
    let Deployment { id, release, number, activated_at, activated_by } = deployment.clone();
    let head = DeploymentHead { id, release, number, activated_at, activated_by };
    numbered(keys::deployment(account, workflow, id), number, head)
}
