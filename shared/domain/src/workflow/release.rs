//! What was published: a numbered release, its manifest, and the deployment that made it run.

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

/// The format of manifests. Another is one of another version of the platform.
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
    /// Of its manifest.
    pub sha256: String,
}

/// That a release ran, and since when it does if it is the active one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub id: DeploymentId,
    pub release: ReleaseId,
    pub number: u64,
    pub activated_at: Time,
    pub activated_by: UserId,
}

/// All that a release needs to run. A document that never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    #[schema(example = "atelier.release/1")]
    pub format: String,
    pub workflow: ManifestWorkflow,
    pub release: ManifestRelease,
    pub graph: Graph,
    /// By the nodes they belong to.
    pub channels: Channels,
    pub dependencies: Dependencies,
    /// SHA-256 of this document with this field empty, without spaces, its fields in alphabetical order.
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

/// What must exist for it to run.
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
                // The manifest's channels tell it.
                Reference::Webhook(_) => continue,
            };
        }
        all
    }
}

impl Manifest {
    /// Of the draft as it is, with the number that comes next.
    pub fn new(workflow: &Workflow, release: ManifestRelease, dependencies: Dependencies) -> Self {
        let mut manifest = Self {
            format: FORMAT.to_owned(),
            workflow: ManifestWorkflow {
                id: workflow.id,
                name: workflow.name.clone(),
                description: workflow.description.clone(),
            },
            release,
            graph: workflow.graph.published(),
            channels: workflow.channels.clone(),
            dependencies,
            sha256: String::new(),
        };
        manifest.sha256 = manifest.checksum();
        manifest
    }

    /// One that was stored. What is not what was stored is an error of ours, and never runs.
    pub fn read(stored: &[u8], sha256: &str) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(stored).map_err(Error::internal)?;
        if manifest.format != FORMAT {
            return Err(Error::internal(format!("a manifest of the format {}", manifest.format)));
        }
        if manifest.sha256 != sha256 || manifest.checksum() != sha256 {
            return Err(Error::internal("a manifest is not what was published"));
        }
        Ok(manifest)
    }

    fn checksum(&self) -> String {
        hash(&Self { sha256: String::new(), ..self.clone() })
    }
}
