//! Request and response bodies of releases and deployments.

use domain::graph_diff::GraphDiff;
use domain::workflow::{Active, Release, ReleaseDeployment};
use engine::compile::ProblemOut;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::workflow::WorkflowOut;

/// The options of publishing.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "Publish")]
pub struct PublishIn {
    /// The release notes.
    #[schema(max_length = 1000, example = "Asks a person above 100 €")]
    pub notes: Option<String>,
}

/// A release: a published version of a workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Release")]
pub struct ReleaseOut {
    id: Uuid,
    /// The release number. Numbers start at 1 and have no gaps.
    number: u64,
    /// The release notes.
    #[schema(required)]
    notes: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
    /// The id of the user who published the release.
    #[schema(example = "usr_0199a2c47b1e7c529d3f2f1f0f6b8a11")]
    created_by: String,
    /// The SHA-256 hash of the graph without node positions.
    graph_hash: String,
    /// The SHA-256 checksum of the manifest.
    sha256: String,
    /// Whether this is the active release.
    active: bool,
}

impl ReleaseOut {
    pub fn new(release: Release, active: Option<&Active>) -> Self {
        let Release { id, number, notes, created_at, created_by, graph_hash, content_hash: _, sha256 } = release;
        Self {
            id: id.uuid(),
            number,
            notes,
            created_at: created_at.to_string(),
            created_by: created_by.to_string(),
            graph_hash,
            sha256,
            active: active.is_some_and(|active| active.release == id),
        }
    }
}

/// A deployment: the activation of a release.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Deployment")]
pub struct DeploymentOut {
    id: Uuid,
    /// The id of the release.
    release_id: Uuid,
    /// The number of the release.
    release_number: u64,
    /// Whether this is the active deployment.
    active: bool,
    /// When the release was last activated.
    #[schema(format = DateTime)]
    activated_at: String,
    /// The id of the user who last activated the release.
    activated_by: String,
}

impl DeploymentOut {
    pub fn new(deployment: ReleaseDeployment, active: Option<&Active>) -> Self {
        let ReleaseDeployment { id, release, number, activated_at, activated_by } = deployment;
        Self {
            id: id.uuid(),
            release_id: release.uuid(),
            release_number: number,
            active: active.is_some_and(|active| active.release == release),
            activated_at: activated_at.to_string(),
            activated_by: activated_by.to_string(),
        }
    }
}

/// A new release, its deployment and the workflow. The `ETag` is the version of the workflow.
#[derive(Serialize, ToSchema)]
#[schema(title = "Published")]
pub struct PublishedOut {
    pub workflow: WorkflowOut,
    pub release: ReleaseOut,
    pub deployment: DeploymentOut,
}

/// The result of activating a deployment.
#[derive(Serialize, ToSchema)]
#[schema(title = "Activated")]
pub struct ActivatedOut {
    pub workflow: WorkflowOut,
    pub deployment: DeploymentOut,
}

/// The runtime status of a release.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RuntimeStatus")]
pub struct RuntimeStatusOut {
    pub release_id: Uuid,
    pub release_number: u64,
    pub status: RuntimeStatus,
    /// Whether triggers start runs of the release.
    pub loaded: bool,
    /// Whether the stored manifest matches its checksum.
    pub manifest_intact: bool,
    /// The problems that prevent the release from running, and warnings.
    pub problems: Vec<ProblemOut>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuntimeStatus {
    /// The release is active, and triggers start runs of it.
    Loaded,
    /// The release is active, but the workflow is paused or archived.
    Paused,
    /// Another release is active.
    Standby,
    /// The release cannot run.
    Failed,
}

/// The differences between two versions.
#[derive(Serialize, ToSchema)]
#[schema(title = "Diff")]
pub struct DiffOut {
    /// The number of the first release.
    pub from: u64,
    /// The number of the second release. Null for the draft.
    #[schema(required)]
    pub to: Option<u64>,
    #[serde(flatten)]
    pub diff: GraphDiff,
}
