//! Published versions: numbered releases, their manifests, and deployments.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Workflow;
use crate::channel::Channels;
use crate::graph::{Graph, hash};
use crate::id::{DeploymentId, ReleaseId, UserId, WorkflowId};
use crate::reference::Reference;
use crate::time::Time;
use crate::{Error, Result};

/// The format version of manifests. Another version of the platform may write another one.
const FORMAT: &str = "atelier.release/1";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    pub id: ReleaseId,
    pub number: u64,
    pub notes: Option<String>,
    pub created_at: Time,
    pub created_by: UserId,
    pub graph_hash: String,
    pub content_hash: String,
    /// The checksum of the manifest.
    pub sha256: String,
}

/// The activation of a release. The deployment with the latest activation is the active one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseDeployment {
    pub id: DeploymentId,
    pub release: ReleaseId,
    pub number: u64,
    pub activated_at: Time,
    pub activated_by: UserId,
}

/// An immutable document with everything that a release needs to run
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    #[schema(example = "atelier.release/1")]
    pub format: String,
    pub workflow: ManifestWorkflow,
    pub release: ManifestRelease,
    pub graph: Graph,
    /// The channels by node id
    pub channels: Channels,
    pub dependencies: Dependencies,
    /// SHA-256 of this document with this field empty, serialized without spaces and with fields in alphabetical order
    pub sha256: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ManifestWorkflow {
    #[schema(value_type = Uuid)]
    pub id: WorkflowId,
    pub name: String,
    #[schema(required)]
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestRelease {
    #[schema(value_type = Uuid)]
    pub id: ReleaseId,
    pub number: u64,
    #[schema(required)]
    pub notes: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Time,
    #[schema(value_type = String)]
    pub created_by: UserId,
}

/// The entities that must exist for the release to run
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Dependencies {
    pub agents: BTreeSet<Uuid>,
    pub models: BTreeSet<String>,
    pub workflows: BTreeSet<Uuid>,
    pub credentials: BTreeSet<Uuid>,
}

impl Dependencies {
    pub fn new(references: &BTreeSet<Reference>) -> Self {
        let mut all = Self::default();
        for reference in references {
            match reference {
                Reference::Agent(id) => all.agents.insert(id.uuid()),
                Reference::Workflow(id) => all.workflows.insert(id.uuid()),
                Reference::Model(name) => all.models.insert(name.clone()),
                Reference::Credential(_, id) => all.credentials.insert(id.uuid()),
                // Webhooks are part of the channels of the manifest.
                Reference::Webhook(_) => continue,
            };
        }
        all
    }
}

impl Manifest {
    /// Creates the manifest of the current draft.
    pub fn new(workflow: &Workflow, release: ManifestRelease, dependencies: Dependencies) -> Self {
        let mut manifest = Self {
            format: FORMAT.to_owned(),
            workflow: ManifestWorkflow {
                id: workflow.id,
                name: workflow.name.clone(),
                description: workflow.description.clone(),
            },
            release,
            graph: workflow.graph.clone(),
            channels: workflow.channels.clone(),
            dependencies,
            sha256: String::new(),
        };
        manifest.sha256 = manifest.checksum();
        manifest
    }

    /// Reads a stored manifest and verifies its checksum. A damaged manifest is an internal error and never runs.
    pub fn read(stored: &[u8], sha256: &str) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(stored).map_err(Error::internal)?;
        if manifest.format != FORMAT {
            return Err(Error::internal(format!("a manifest has the unknown format {}", manifest.format)));
        }
        if manifest.sha256 != sha256 || manifest.checksum() != sha256 {
            return Err(Error::internal("the checksum of a manifest does not match"));
        }
        Ok(manifest)
    }

    fn checksum(&self) -> String {
        hash(&Self { sha256: String::new(), ..self.clone() })
    }
}
