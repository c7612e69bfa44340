//! Handlers for the versions of workflows: publish, releases and deployments.

use axum::extract::State;
use axum::http::StatusCode;
use domain::graph_diff::{VersionContent, diff};
use domain::id::{DeploymentId, Id, NotAnId, ReleaseId, WorkflowId};
use domain::workflow::{Manifest, WorkflowState};
use engine::compile::ProblemOut;
use platform::offload;
use store::workflows::Published;
use web::builder::{
    Created, Data, DataList, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Viewer,
};
use web::etag::ETag;
use web::language::{self, AcceptLanguageHeaders};
use web::{NoBody, OptionalJson, Path, Query, Result};

use crate::Stores;
use crate::dto::list::PageQuery;
use crate::dto::version::{
    ActivatedOut, DeploymentOut, DiffOut, PublishIn, PublishedOut, ReleaseOut, RuntimeStatus, RuntimeStatusOut,
};
use crate::dto::workflow::WorkflowOut;
use store::revision::Attempts;

use crate::validation::GraphValidator;

/// Publish a workflow
///
/// Creates a release from the draft and activates it immediately. Of concurrent requests with the same draft, only one
/// creates a release.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/publish", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow"), AcceptLanguageHeaders),
    request_body = Option<PublishIn>,
    responses(
        Created<PublishedOut, ETag>,
        (status = 409, description = "`no_changes`: the draft equals the active release; `invalid_state`: archived",
            body = ErrorBody),
        (status = 422, description = "`channel_incomplete`: a channel is incomplete", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn publish_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    OptionalJson(PublishIn { notes }): OptionalJson<PublishIn>,
) -> Result<(StatusCode, ETag, Data<PublishedOut>)> {
    let validator = GraphValidator::new(&stores, &access);
    let mut attempts = Attempts::to_change(WorkflowId::KIND);
    let published = loop {
        let before = stores.workflows.load(access.account, id).await?;
        before.workflow.check_publishable()?;
        let needs = validator.require_valid(id, &before.workflow.graph, &before.workflow.channels).await?;
        match stores.workflows.publish(before, needs, notes.clone(), access.caller.user).await? {
            Some(published) => break published,
            None => attempts.next().await?,
        }
    };
    let Published { workflow, release, deployment } = published;
    let (etag, active) = (ETag::from_revision(workflow.revision), workflow.active.clone());
    let data = PublishedOut {
        release: ReleaseOut::new(release, active.as_ref()),
        deployment: DeploymentOut::new(deployment, active.as_ref()),
        workflow: WorkflowOut::new(workflow, access.role),
    };
    Ok((StatusCode::CREATED, etag, Data { data }))
}

/// List releases
///
/// Returns the releases of the workflow, newest first.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/releases", tag = "versions",
    params(("id" = Uuid, Path, description = "The workflow"), PageQuery),
    responses(
        (status = 200, description = "A page of releases", body = DataList<ReleaseOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_releases(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(page): Query<PageQuery>,
) -> Result<DataList<ReleaseOut>> {
    let header = stores.workflows.get_header(access.account, id).await?;
    let page = stores.workflows.releases(&header, page.into()).await?;
    let (meta, active) = ((&page).into(), header.active.as_ref());
    Ok(DataList { data: page.items.into_iter().map(|release| ReleaseOut::new(release, active)).collect(), meta })
}

/// Read a release
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/releases/{release_id}", tag = "versions",
    params(("id" = Uuid, Path, description = "The workflow"), ("release_id" = Uuid, Path, description = "The release")),
    responses(
        (status = 200, description = "The release", body = Data<ReleaseOut>),
        NotFound<(WorkflowId, ReleaseId)>, ErrorResponses,
    ),
)]
pub async fn get_release(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, release_id)): Path<(WorkflowId, ReleaseId)>,
) -> Result<Data<ReleaseOut>> {
    let header = stores.workflows.get_header(access.account, id).await?;
    let release = stores.workflows.release(access.account, id, release_id).await?;
    Ok(Data { data: ReleaseOut::new(release, header.active.as_ref()) })
}

/// Read a release's manifest
///
/// Returns everything that the release needs to run, as it was published. The checksum is verified on each read.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/releases/{release_id}/manifest", tag = "versions",
    params(("id" = Uuid, Path, description = "The workflow"), ("release_id" = Uuid, Path, description = "The release")),
    responses(
        (status = 200, description = "The manifest", body = Data<Manifest>),
        NotFound<(WorkflowId, ReleaseId)>, ErrorResponses,
    ),
)]
pub async fn get_manifest(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, release_id)): Path<(WorkflowId, ReleaseId)>,
) -> Result<Data<Manifest>> {
    stores.workflows.get_header(access.account, id).await?;
    Ok(Data { data: stores.workflows.release_manifest(access.account, id, release_id).await? })
}

/// Check the runtime status of a release
///
/// Reads and compiles the manifest and checks its references, as the runtime does.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/releases/{release_id}/runtime-status", tag = "versions",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("release_id" = Uuid, Path, description = "The release"),
        AcceptLanguageHeaders,
    ),
    responses(
        (status = 200, description = "The runtime status and the problems", body = Data<RuntimeStatusOut>),
        NotFound<(WorkflowId, ReleaseId)>, ErrorResponses,
    ),
)]
pub async fn get_runtime_status(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, release_id)): Path<(WorkflowId, ReleaseId)>,
) -> Result<Data<RuntimeStatusOut>> {
    let header = stores.workflows.get_header(access.account, id).await?;
    let release = stores.workflows.release(access.account, id, release_id).await?;
    let manifest = stores.workflows.intact_manifest(access.account, id, &release).await?;
    let manifest_intact = manifest.is_some();
    let (runs, problems) = match &manifest {
        Some(manifest) => {
            let validator = GraphValidator::new(&stores, &access);
            let (references, problems) = validator.validate(id, &manifest.graph, &manifest.channels).await?;
            (references.is_some(), problems)
        }
        None => (false, Vec::new()),
    };
    let is_active = header.active.is_some_and(|active| active.release == release_id);
    let status = match header.state {
        _ if !runs => RuntimeStatus::Failed,
        _ if !is_active => RuntimeStatus::Standby,
        WorkflowState::Paused | WorkflowState::Archived => RuntimeStatus::Paused,
        _ => RuntimeStatus::Loaded,
    };
    let data = RuntimeStatusOut {
        release_id: release_id.uuid(),
        release_number: release.number,
        loaded: matches!(status, RuntimeStatus::Loaded),
        status,
        manifest_intact,
        problems: ProblemOut::list(&problems, language::of_request()),
    };
    Ok(Data { data })
}

/// A path parameter: the id of a release, or `draft`.
#[derive(Clone, Copy)]
pub enum VersionRef {
    Release(ReleaseId),
    Draft,
}

impl std::str::FromStr for VersionRef {
    type Err = NotAnId;

    fn from_str(text: &str) -> std::result::Result<Self, NotAnId> {
        if text == "draft" { Ok(Self::Draft) } else { text.parse().map(Self::Release) }
    }
}

impl Id for VersionRef {
    const KIND: &'static str = ReleaseId::KIND;
}

/// Compare two versions
///
/// Compares a release with another release or with the draft.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/releases/{release_id}/diff/{other}", tag = "versions",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("release_id" = Uuid, Path, description = "The release to compare from"),
        ("other" = String, Path, description = "The release to compare to, or `draft`"),
    ),
    responses(
        (status = 200, description = "The differences", body = Data<DiffOut>),
        NotFound<(WorkflowId, ReleaseId)>, ErrorResponses,
    ),
)]
pub async fn diff_releases(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, before, after)): Path<(WorkflowId, ReleaseId, VersionRef)>,
) -> Result<Data<DiffOut>> {
    let account = access.account;
    let published = async |release: ReleaseId| {
        let manifest = stores.workflows.release_manifest(account, id, release).await?;
        Ok::<_, domain::Error>((manifest.release.number, (manifest.graph, manifest.channels)))
    };
    let workflow = stores.workflows.get(account, id).await?;
    let (from, before) = published(before).await?;
    let (to, after) = match after {
        VersionRef::Draft => (None, (workflow.graph, workflow.channels)),
        VersionRef::Release(release) => {
            let (number, version) = published(release).await?;
            (Some(number), version)
        }
    };
    let compared = offload(move || {
        let before = VersionContent { graph: &before.0, channels: &before.1 };
        let after = VersionContent { graph: &after.0, channels: &after.1 };
        Ok(diff(before, after))
    });
    Ok(Data { data: DiffOut { from, to, diff: compared.await? } })
}

/// List deployments
///
/// Returns one deployment for each release, newest release first. One deployment is active; `activatedAt` is the time
/// of its last activation.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/deployments", tag = "versions",
    params(("id" = Uuid, Path, description = "The workflow"), PageQuery),
    responses(
        (status = 200, description = "A page of deployments", body = DataList<DeploymentOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_deployments(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(page): Query<PageQuery>,
) -> Result<DataList<DeploymentOut>> {
    let header = stores.workflows.get_header(access.account, id).await?;
    let page = stores.workflows.deployments(&header, page.into()).await?;
    let (meta, active) = ((&page).into(), header.active.as_ref());
    let data = page.items.into_iter().map(|deployment| DeploymentOut::new(deployment, active));
    Ok(DataList { data: data.collect(), meta })
}

/// Activate a deployment
///
/// Activates the release of the deployment again. The draft does not change, and a paused workflow stays paused.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/deployments/{deployment_id}/activate", tag = "versions",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("deployment_id" = Uuid, Path, description = "The deployment"),
    ),
    responses(
        (status = 200, description = "The active deployment and the workflow", body = Data<ActivatedOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`invalid_state`: the workflow is archived", body = ErrorBody),
        (status = 422, description = "`channel_incomplete`: a channel is no longer complete", body = ErrorBody),
        NotFound<(WorkflowId, DeploymentId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn activate_deployment(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, deployment_id)): Path<(WorkflowId, DeploymentId)>,
    _: NoBody,
) -> Result<(ETag, Data<ActivatedOut>)> {
    let validator = GraphValidator::new(&stores, &access);
    let mut attempts = Attempts::to_change(WorkflowId::KIND);
    let (workflow, deployment) = loop {
        let before = stores.workflows.load(access.account, id).await?;
        let deployed = stores.workflows.load_deployment(access.account, id, deployment_id).await?;
        before.workflow.check_activatable()?;
        let needs = validator.require_valid(id, &deployed.manifest.graph, &deployed.manifest.channels).await?;
        match stores.workflows.activate(before, deployed, needs, access.caller.user).await? {
            Some(activated) => break activated,
            None => attempts.next().await?,
        }
    };
    let (etag, active) = (ETag::from_revision(workflow.revision), workflow.active.clone());
    let deployment = DeploymentOut::new(deployment, active.as_ref());
    Ok((etag, Data { data: ActivatedOut { deployment, workflow: WorkflowOut::new(workflow, access.role) } }))
}
