//! The backend of the configured cluster.

use std::sync::Arc;
use std::time::SystemTime;

use domain::id::OrgId;
use domain::{Error, Result};
use futures::FutureExt;
use http::uri::Scheme;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use shared::aws::Aws;
use shared::store::Identities;
use shared::{Context, config};

use crate::backend::ReadLimits;
use crate::settings::{Connection, Eks};
use crate::{Cluster, Connect, Kubernetes, OrgLimits, Settings, eks};

/// The backend that the settings describe. None without the setting.
pub fn configured_backend(context: &Context) -> Result<Option<Kubernetes>> {
    let Some(text) = context.config.optional(config::WORKBENCH_CLUSTER) else { return Ok(None) };
    let invalid = |problem| Error::internal(format!("{}: {problem}", config::WORKBENCH_CLUSTER));
    let settings = Settings::read(text).map_err(invalid)?;
    let (connection, aws) = (settings.connection.clone(), context.aws.clone());
    let connect: Connect = Arc::new(move || connect(connection.clone(), aws.clone()).boxed());
    let cluster = Cluster::new(connect, context.clock.clone());
    let identities = Identities::new(context)?;
    let read_limits: ReadLimits = Arc::new(move |org| read_limits(identities.clone(), org).boxed());
    Ok(Some(Kubernetes::new(cluster, settings, read_limits)))
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
    Client::try_from(configure(kubeconfig).await?).map_err(Error::internal)
}

async fn configure(kubeconfig: Kubeconfig) -> Result<Config> {
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let mut config = config.map_err(Error::internal)?;
    if config.cluster_url.scheme() != Some(&Scheme::HTTPS) {
        return Err(Error::internal(format!(
            "the URL of the cluster must begin with https://: {}",
            config.cluster_url
        )));
    }
    // The client would repeat a refused call up to fifteen times. The next step repeats it instead.
    config.default_retry = false;
    Ok(config)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kubeconfig(url: &str) -> Kubeconfig {
        let kubeconfig = json!({
            "clusters": [{"name": "labs", "cluster": {"server": url}}],
            "users": [{"name": "platform", "user": {"token": "secret"}}],
            "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform"}}],
            "current-context": "labs",
        });
        serde_json::from_value(kubeconfig).unwrap()
    }

    #[tokio::test]
    async fn the_client_does_not_repeat_calls() {
        assert!(!configure(kubeconfig("https://cluster.test")).await.unwrap().default_retry);
    }

    #[tokio::test]
    async fn a_token_is_never_sent_without_encryption() {
        let error = format!("{:?}", configure(kubeconfig("http://cluster.test")).await.unwrap_err());
        assert!(error.contains("must begin with https://"), "{error}");
    }
}
