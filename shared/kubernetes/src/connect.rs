//! The backend of the configured cluster.

use std::sync::Arc;
use std::time::SystemTime;

use domain::id::OrgId;
use domain::workbench::{ClusterAccess, ClusterLogin};
use domain::{Error, Result};
use futures::FutureExt;
use kube::Client;
use labs::Environments;
use platform::aws::Aws;
use platform::{Context, config};
use store::{Identities, WorkbenchCluster};

use crate::backend::ReadLimits;
use crate::client::new_client;
use crate::settings::{Connection, Eks};
use crate::{Cluster, Connect, Kubernetes, OrgLimits, Settings, eks};

/// The backend that the settings describe. None without the setting.
pub fn configured_backend(context: &Context) -> Result<Option<Kubernetes>> {
    let Some(text) = context.config.optional(config::WORKBENCH_CLUSTER) else { return Ok(None) };
    let invalid = |problem| Error::internal(format!("{}: {problem}", config::WORKBENCH_CLUSTER));
    let settings = Settings::read(text).map_err(invalid)?;
    let connect: Connect = match settings.connection.clone() {
        Connection::Eks(cluster) => {
            let aws = context.aws.clone();
            Arc::new(move || connect_eks(cluster.clone(), aws.clone()).boxed())
        }
        Connection::Kubeconfig => {
            let stored = WorkbenchCluster::new(context)?;
            Arc::new(move || connect_stored(stored.clone()).boxed())
        }
    };
    let cluster = Cluster::new(connect, context.clock.clone());
    let identities = Identities::new(context)?;
    let read_limits: ReadLimits = Arc::new(move |org| read_limits(identities.clone(), org).boxed());
    let environments = Environments::new(context, context.config.optional(config::BASE_URL))?;
    Ok(Some(Kubernetes::new(cluster, settings, read_limits, environments)))
}

async fn connect_eks(cluster: Eks, aws: Aws) -> Result<Client> {
    let Eks { name, url: server, certificate_authority } = cluster;
    let (region, credentials) = aws.identity().await?;
    let login = ClusterLogin::Token(eks::token(&name, &region, credentials, SystemTime::now())?);
    let certificate_authority = Some(certificate_authority);
    new_client(&ClusterAccess { server, certificate_authority, tls_server_name: None, login })
}

async fn connect_stored(stored: WorkbenchCluster) -> Result<Client> {
    let missing = || Error::internal("no kubeconfig is stored; an operator must send it to the admin API");
    let found = stored.find().await?.ok_or_else(missing)?;
    new_client(&stored.open(&found).await?)
}

/// What the plan of an organization allows.
async fn read_limits(identities: Identities, org: OrgId) -> Result<Option<OrgLimits>> {
    let plan = identities.plan(&identities.org(org).await?.plan).await?.workbenches.read()?;
    Ok(plan.map(|plan| OrgLimits {
        capacity: plan.capacity,
        ceiling: plan.ceiling,
        max_workbenches: plan.max_workbenches,
    }))
}
