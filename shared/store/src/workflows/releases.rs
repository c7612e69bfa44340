//! Releases and deployments of workflows. Each release has the next number, without gaps or duplicates.

use std::collections::BTreeSet;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::ReleaseLinks;
use super::{Loaded, WorkflowHeader, Workflows};
use crate::dependents::{self, By, Dependent, require_exists};
use crate::item::{Item, parse, to_item};
use crate::keys::{self, Key};
use crate::listing;
use crate::query::{TableIndex, TableQuery};
use crate::revision::was_written;
use crate::schedules::{find_all, switch_schedules};
use crate::write::Write;
use domain::id::{DeploymentId, Id, ReleaseId, UserId, WorkflowId};
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest};
use domain::reference::Reference;
use domain::schedule::PlannedSchedule;
use domain::time::Time;
use domain::workflow::{Active, Dependencies, Manifest, ManifestRelease, Release, ReleaseDeployment, Workflow};
use domain::{Error, Result};

/// The maximum number of references and schedules of a release. One transaction, which takes 100 writes, checks the
/// references and stores the schedules of the new release, and unlinks and removes those of the release before.
pub const MAX_REFERENCES: usize = 47;

/// What a release needs, besides its manifest, to become active.
pub struct ReleaseNeeds {
    pub references: BTreeSet<Reference>,
    pub schedules: Vec<PlannedSchedule>,
}

impl ReleaseNeeds {
    fn links(&self) -> ReleaseLinks {
        ReleaseLinks {
            references: self.references.iter().cloned().collect(),
            schedules: self.schedules.iter().map(|schedule| schedule.node_id.clone()).collect(),
        }
    }
}

/// The result of publishing.
pub struct Published {
    pub workflow: Workflow,
    pub release: Release,
    pub deployment: ReleaseDeployment,
}

/// A deployment with all that belongs to it.
pub struct Deployed {
    pub deployment: ReleaseDeployment,
    pub release: Release,
    pub manifest: Manifest,
}

/// The stored form of a release or a deployment. The index projects its `head`, which holds all of its data.
#[derive(Serialize, Deserialize, Attributes)]
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

fn deployment(item: Item) -> Result<ReleaseDeployment> {
    let DeploymentHead { id, release, number, activated_at, activated_by } =
        parse::<Headed<DeploymentHead>>(item)?.head;
    Ok(ReleaseDeployment { id, release, number, activated_at, activated_by })
}

#[derive(Deserialize)]
struct Headed<H> {
    head: H,
}

#[cfg(test)]
#[test]
fn reads_stored_releases_and_deployments() {
    use crate::stored_items::check;
    let attributes = NumberedItem::<()>::ATTRIBUTES;
    check::<NumberedItem<ReleaseHead>>("workflows::releases::NumberedItem<ReleaseHead>", attributes);
    check::<NumberedItem<DeploymentHead>>("workflows::releases::NumberedItem<DeploymentHead>", attributes);
}

fn manifest_name(account: Account, workflow: WorkflowId, release: ReleaseId) -> String {
    format!("manifests/{}/{workflow}/{release}.json", account.org)
}

impl Workflows {
    /// Publishes the draft as the next release, and activates it. Returns `None` when the draft, one of the references or
    /// a schedule has changed since `before` was loaded.
    ///
    /// The release number is one more than the number of releases, on condition that the workflow is still in the
    /// revision that was read: no number is left out or used twice.
    pub async fn publish(
        &self,
        before: Loaded,
        needs: ReleaseNeeds,
        notes: Option<String>,
        by: UserId,
    ) -> Result<Option<Published>> {
        let Loaded { workflow: draft, graph, links } = before;
        let (account, now, number) = (draft.account, self.clock.now(), draft.releases + 1);
        let (id, deployment_id) = (ReleaseId::new(), DeploymentId::new());
        let content_hash = draft.content_hash();

        let dependencies = Dependencies::new(&needs.references);
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
        let deployment =
            ReleaseDeployment { id: deployment_id, release: id, number, activated_at: now, activated_by: by };
        let active = Active { release: id, number, content_hash };
        let workflow = draft.published(active.clone(), now);

        let name = manifest_name(account, draft.id, id);
        let document = serde_json::to_vec(&manifest).map_err(Error::internal)?;
        self.bucket.put(&name, "application/json", document).await?;
        // This is written before the release, so that from now on the workflow is notified when a reference goes.
        self.add_dependents(&draft, &needs.references).await?;

        let write_id = Uuid::now_v7();
        let mut writes = self.put(&workflow, graph, needs.links(), &draft, write_id);
        writes.extend([
            self.entities.put_item(release_item(account, draft.id, &release)).require_new(),
            self.entities.put_item(deployment_item(account, draft.id, &deployment)).require_new(),
        ]);
        writes.extend(self.switch_links(&workflow, &active, links, &needs, now).await?);
        if !was_written(&self.entities.transact(write_id, &writes).await?, write_id)? {
            self.bucket.discard(&name).await;
            return Ok(None);
        }
        self.relist(&workflow, write_id).await;
        Ok(Some(Published { workflow, release, deployment }))
    }

    /// Adds the workflow to the reverse index of its references. A superfluous entry does no harm, because `mark_reference`
    /// ignores a reference that the active release does not have.
    async fn add_dependents(&self, workflow: &Workflow, references: &BTreeSet<Reference>) -> Result<()> {
        let dependent = Dependent { account: workflow.account, by: By::Workflow(workflow.id) };
        for reference in references {
            let _ = self.entities.write(dependents::add_dependent(&self.entities, dependent, reference)).await?;
        }
        Ok(())
    }

    /// The writes that belong to a change of the active release: they require that its references exist, store its
    /// schedules, and remove what only the release before had.
    async fn switch_links(
        &self,
        workflow: &Workflow,
        active: &Active,
        before: ReleaseLinks,
        needs: &ReleaseNeeds,
        now: Time,
    ) -> Result<Vec<Write>> {
        let Workflow { account, id, .. } = *workflow;
        let ReleaseNeeds { references, schedules } = needs;
        let dependent = Dependent { account, by: By::Workflow(id) };
        let there = references.iter().map(|reference| require_exists(&self.entities, account, reference, now));
        let unnamed = before.references.iter().filter(|reference| !references.contains(reference));
        let unlinked = unnamed.map(|reference| dependents::remove_dependent(&self.entities, dependent, reference));
        let schedules_before = find_all(&self.entities, id, &before.schedules).await?;
        let switched = switch_schedules(&self.entities, workflow, active, &schedules_before, schedules);
        Ok(there.chain(unlinked).chain(switched).collect())
    }

    /// Reads a deployment with its release and the release's manifest.
    pub async fn load_deployment(
        &self,
        account: Account,
        id: WorkflowId,
        deployment: DeploymentId,
    ) -> Result<Deployed> {
        let deployment = self.deployment(account, id, deployment).await?;
        let release = self.release(account, id, deployment.release).await?;
        let manifest = self.manifest(account, id, &release).await?;
        Ok(Deployed { deployment, release, manifest })
    }

    /// Activates a deployment of an earlier release (rollback). Returns `None` when the workflow, one of the references or
    /// a schedule has changed since `before` was loaded.
    pub async fn activate(
        &self,
        before: Loaded,
        deployed: Deployed,
        needs: ReleaseNeeds,
        by: UserId,
    ) -> Result<Option<(Workflow, ReleaseDeployment)>> {
        let (now, account, id) = (self.clock.now(), before.workflow.account, before.workflow.id);
        let Release { id: release, number, content_hash, .. } = deployed.release;
        let active = Active { release, number, content_hash };
        let workflow = before.workflow.with_active(active.clone(), now)?;
        let deployment = ReleaseDeployment { activated_at: now, activated_by: by, ..deployed.deployment };
        self.add_dependents(&workflow, &needs.references).await?;

        let write_id = Uuid::now_v7();
        let mut writes = self.put(&workflow, before.graph, needs.links(), &before.workflow, write_id);
        writes.push(self.entities.put_item(deployment_item(account, id, &deployment)).require_exists());
        writes.extend(self.switch_links(&workflow, &active, before.links, &needs, now).await?);
        if !was_written(&self.entities.transact(write_id, &writes).await?, write_id)? {
            return Ok(None);
        }
        self.relist(&workflow, write_id).await;
        Ok(Some((workflow, deployment)))
    }

    /// Lists the releases of a workflow, newest first.
    pub async fn releases(&self, workflow: &WorkflowHeader, request: PageRequest) -> Result<Page<Release>> {
        let partition = keys::releases(workflow.account, workflow.id);
        self.numbered(partition, workflow.releases, request).await?.try_map(release)
    }

    pub async fn deployments(
        &self,
        workflow: &WorkflowHeader,
        request: PageRequest,
    ) -> Result<Page<ReleaseDeployment>> {
        let partition = keys::deployments(workflow.account, workflow.id);
        self.numbered(partition, workflow.releases, request).await?.try_map(deployment)
    }

    /// Reads a page of releases or deployments. The total is the number of releases for both.
    async fn numbered(&self, partition: String, total: u64, request: PageRequest) -> Result<Page<Item>> {
        let query = TableQuery {
            index: Some(TableIndex::local(NumberedItem::<ReleaseHead>::BY_CREATED)),
            order: Order::Desc,
            ..TableQuery::partition(partition)
        };
        let items = listing::items(&self.entities, query, request).await?;
        Ok(Page { items, total, request })
    }

    pub async fn release(&self, account: Account, workflow: WorkflowId, id: ReleaseId) -> Result<Release> {
        let item = self.entities.get(&keys::release(account, workflow, id)).await?;
        release(item.ok_or(Error::NotFound { kind: ReleaseId::KIND })?)
    }

    async fn deployment(&self, account: Account, workflow: WorkflowId, id: DeploymentId) -> Result<ReleaseDeployment> {
        let item = self.entities.get(&keys::deployment(account, workflow, id)).await?;
        deployment(item.ok_or(Error::NotFound { kind: DeploymentId::KIND })?)
    }

    /// Reads a release and then its manifest.
    pub async fn release_manifest(&self, account: Account, workflow: WorkflowId, id: ReleaseId) -> Result<Manifest> {
        let release = self.release(account, workflow, id).await?;
        self.manifest(account, workflow, &release).await
    }

    /// Reads the manifest of a release, and verifies its checksum.
    async fn manifest(&self, account: Account, workflow: WorkflowId, release: &Release) -> Result<Manifest> {
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

fn deployment_item(account: Account, workflow: WorkflowId, deployment: &ReleaseDeployment) -> Item {
    let ReleaseDeployment { id, release, number, activated_at, activated_by } = deployment.clone();
    let head = DeploymentHead { id, release, number, activated_at, activated_by };
    numbered(keys::deployment(account, workflow, id), number, head)
}
