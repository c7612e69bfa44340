//! The backend of the configured cluster.

use std::sync::Arc;
use std::time::SystemTime;

use domain::id::OrgId;
use domain::workbench::{ClusterAccess, ClusterLogin};
use domain::{Error, Result};
use futures::FutureExt;
use http::uri::Scheme;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use labs::Environments;
use platform::aws::Aws;
use platform::{Context, config};
use serde_json::json;
use store::{Identities, WorkbenchCluster};

use crate::backend::ReadLimits;
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
    connect(ClusterAccess { server, certificate_authority, tls_server_name: None, login }).await
}

async fn connect_stored(stored: WorkbenchCluster) -> Result<Client> {
    let missing = || Error::internal("no kubeconfig is stored; an operator must send it to the admin API");
    let found = stored.find().await?.ok_or_else(missing)?;
    connect(stored.open(&found).await?).await
}

async fn connect(access: ClusterAccess) -> Result<Client> {
    Client::try_from(configure(access).await?).map_err(Error::internal)
}

async fn configure(access: ClusterAccess) -> Result<Config> {
    let ClusterAccess { server, certificate_authority, tls_server_name, login } = access;
    let user = match login {
        ClusterLogin::Token(token) => json!({"token": token}),
        ClusterLogin::ClientCertificate { certificate, key } => {
            json!({"client-certificate-data": certificate, "client-key-data": key})
        }
    };
    let cluster = json!({
        "server": server, "certificate-authority-data": certificate_authority, "tls-server-name": tls_server_name,
    });
    let kubeconfig = json!({
        "clusters": [{"name": "labs", "cluster": cluster}],
        "users": [{"name": "platform", "user": user}],
        "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform"}}],
        "current-context": "labs",
    });
    let kubeconfig: Kubeconfig = serde_json::from_value(kubeconfig).map_err(Error::internal)?;
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
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn access(server: &str, login: ClusterLogin) -> ClusterAccess {
        ClusterAccess { server: server.to_owned(), certificate_authority: None, tls_server_name: None, login }
    }

    fn token() -> ClusterLogin {
        ClusterLogin::Token("secret".to_owned())
    }

    #[tokio::test]
    async fn the_client_does_not_repeat_calls() {
        assert!(!configure(access("https://cluster.test", token())).await.unwrap().default_retry);
    }

    #[tokio::test]
    async fn a_token_is_never_sent_without_encryption() {
        let error = format!("{:?}", configure(access("http://cluster.test", token())).await.unwrap_err());
        assert!(error.contains("must begin with https://"), "{error}");
    }

    #[tokio::test]
    async fn all_parts_of_the_access_are_used() {
        let pem = STANDARD.encode("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        let login = ClusterLogin::ClientCertificate { certificate: pem.clone(), key: pem.clone() };
        let config = configure(ClusterAccess {
            certificate_authority: Some(pem.clone()),
            tls_server_name: Some("labs.test".to_owned()),
            ..access("https://10.0.0.1:6443", login)
        });
        let config = config.await.unwrap();
        assert_eq!(config.cluster_url.host(), Some("10.0.0.1"));
        assert_eq!(
            (config.root_cert.map(|all| all.len()), config.tls_server_name.as_deref()),
            (Some(1), Some("labs.test"))
        );
        assert_eq!(config.auth_info.client_certificate_data, Some(pem));
    }
}
