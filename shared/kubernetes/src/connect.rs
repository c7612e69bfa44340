//! The backend of the configured cluster.

use std::sync::Arc;
use std::time::SystemTime;

use domain::id::OrgId;
use domain::{Error, Result};
use futures::FutureExt;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use shared::aws::Aws;
use shared::store::Identities;
use shared::{Context, config};

use crate::backend::Limits;
use crate::settings::{Connection, Eks};
use crate::{Cluster, Connect, Kubernetes, OrgLimits, Settings, eks};

/// The backend that the settings describe. None without the setting.
pub fn backend_of(context: &Context) -> Result<Option<Kubernetes>> {
    let Some(text) = context.config.optional(config::WORKBENCH_CLUSTER) else { return Ok(None) };
    let invalid = |problem| Error::internal(format!("{}: {problem}", config::WORKBENCH_CLUSTER));
    let settings: Settings = serde_json::from_str(text).map_err(invalid)?;
    let (connection, aws) = (settings.connection.clone(), context.aws.clone());
    let connect: Connect = Arc::new(move || connect(connection.clone(), aws.clone()).boxed());
    let cluster = Cluster::new(connect, context.clock.clone());
    let identities = Identities::new(context)?;
    let limits: Limits = Arc::new(move |org| limits_of(identities.clone(), org).boxed());
    Ok(Some(Kubernetes::new(cluster, settings, limits)))
}

async fn connect(connection: Connection, aws: Aws) -> Result<Client> {
    let kubeconfig = match connection {
        Connection::Kubeconfig(path) => Kubeconfig::read_from(path).map_err(Error::internal)?,
        Connection::Eks(Eks { name, url, certificate_authority }) => {
            let (region, credentials) = aws.identity().await?;
            let token = eks::token(&name, &region, credentials, SystemTime::now())?;
            let kubeconfig = json!({
                "clusters": [{"name": "eks", "cluster": {"server": url, "certificate-authority-data": certificate_authority}}],
                "users": [{"name": "platform", "user": {"token": token}}],
                "contexts": [{"name": "eks", "context": {"cluster": "eks", "user": "platform"}}],
                "current-context": "eks",
            });
            serde_json::from_value(kubeconfig).map_err(Error::internal)?
        }
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.map_err(Error::internal)?).map_err(Error::internal)
}

/// What the plan of an organization allows.
async fn limits_of(identities: Identities, org: OrgId) -> Result<Option<OrgLimits>> {
    let plan = identities.plan(&identities.org(org).await?.plan).await?.workbenches.read()?;
    Ok(plan.map(|plan| OrgLimits { capacity: plan.capacity, ceiling: plan.ceiling }))
}
