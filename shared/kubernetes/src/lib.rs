//! Provides the environments of workbenches in a Kubernetes cluster.
//!
//! An organization has a namespace with a quota and a network policy. A workbench has a service account, a volume claim, a
//! service, an ingress and a stateful set of one pod (`objects`). `backend` moves them towards the target of the
//! workbench, and `status` reads the status that the cluster reports.

mod backend;
mod client;
mod cluster;
mod connect;
mod eks;
mod metrics;
mod objects;
mod settings;
mod status;

pub use backend::{Kubernetes, ReadLimits};
pub use cluster::{Cluster, Connect};
pub use connect::configured_backend;
pub use objects::OrgLimits;
pub use settings::Settings;
