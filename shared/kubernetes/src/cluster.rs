//! The connection to the cluster, and its calls.

use std::sync::Arc;
use std::time::Duration;

use domain::time::{Clock, Time};
use domain::{Error, Result};
use futures::future::BoxFuture;
use http::StatusCode;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PropagationPolicy};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::objects::MANAGER;

/// Makes clients. A client may have a token that expires.
pub type Connect = Arc<dyn Fn() -> BoxFuture<'static, Result<Client>> + Send + Sync>;

/// A client is used again for this long. The tokens of EKS are valid for 15 minutes.
const CLIENT_KEPT: Duration = Duration::from_secs(10 * 60);

/// A cluster.
#[derive(Clone)]
pub struct Cluster {
    connect: Connect,
    client: Arc<Mutex<Option<(Client, Time)>>>,
    clock: Clock,
}

impl Cluster {
    pub fn new(connect: Connect, clock: Clock) -> Self {
        Self { connect, client: Arc::default(), clock }
    }

    pub async fn client(&self) -> Result<Client> {
        let now = self.clock.now();
        let mut kept = self.client.lock().await;
        if let Some((client, made_at)) = &*kept
            && made_at.plus(CLIENT_KEPT) > now
        {
            return Ok(client.clone());
        }
        let client = (self.connect)().await?;
        *kept = Some((client.clone(), now));
        Ok(client)
    }
}

/// How the cluster has refused an object.
#[derive(Debug)]
pub enum Refusal {
    /// The quota of the namespace does not suffice.
    Quota(String),
    /// The object is invalid, for example its image.
    Invalid(String),
    /// Another writer was faster, or the namespace does not exist yet. A later step tries again.
    Conflict,
}

/// A namespace of the cluster.
pub struct Namespace {
    pub client: Client,
    pub name: String,
}

impl Namespace {
    fn api(&self, object: &Value) -> Result<(Api<DynamicObject>, String)> {
        let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (field(&object["apiVersion"]), field(&object["kind"]));
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &kind));
        let api = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        };
        Ok((api, field(&object["metadata"]["name"])))
    }

    /// Applies an object on the server's side, so that a repetition changes nothing.
    pub async fn apply(&self, object: &Value) -> Result<Option<Refusal>> {
        let (api, name) = self.api(object)?;
        let parameters = PatchParams::apply(MANAGER).force();
        match api.patch(&name, &parameters, &Patch::Apply(object)).await {
            Ok(_) => Ok(None),
            Err(kube::Error::Api(status)) => {
                let message = status.message.clone();
                match StatusCode::from_u16(status.code) {
                    Ok(StatusCode::FORBIDDEN) if message.contains("exceeded quota") => {
                        Ok(Some(Refusal::Quota(message)))
                    }
                    Ok(StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST) => {
                        Ok(Some(Refusal::Invalid(message)))
                    }
                    Ok(StatusCode::CONFLICT) => Ok(Some(Refusal::Conflict)),
                    _ => Err(convert(kube::Error::Api(status))),
                }
            }
            Err(error) => Err(convert(error)),
        }
    }

    /// Deletes an object with everything that it owns. Returns whether something of it is still there.
    pub async fn delete(&self, object: &Value, label: (&str, &str), begin: impl Fn() -> Result<()>) -> Result<bool> {
        let (api, name) = self.api(object)?;
        let Some(found) = api.get_opt(&name).await.map_err(convert)? else { return Ok(false) };
        let labels = found.metadata.labels.unwrap_or_default();
        if labels.get(label.0).map(String::as_str) != Some(label.1) {
            return Err(Error::internal(format!("the object {name} of the cluster belongs to something else")));
        }
        if found.metadata.deletion_timestamp.is_none() {
            begin()?;
            let parameters =
                DeleteParams { propagation_policy: Some(PropagationPolicy::Foreground), ..DeleteParams::default() };
            match api.delete(&name, &parameters).await {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if status.code == 404 => return Ok(false),
                Err(error) => return Err(convert(error)),
            }
        }
        Ok(true)
    }

    pub async fn exists(&self, object: &Value) -> Result<bool> {
        let (api, name) = self.api(object)?;
        Ok(api.get_opt(&name).await.map_err(convert)?.is_some())
    }

    pub async fn find<K>(&self, name: &str) -> Result<Option<K>>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + DeserializeOwned,
    {
        Api::<K>::namespaced(self.client.clone(), &self.name).get_opt(name).await.map_err(convert)
    }

    pub async fn list<K>(&self, parameters: &ListParams) -> Result<Vec<K>>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + DeserializeOwned,
    {
        let list = Api::<K>::namespaced(self.client.clone(), &self.name).list(parameters).await.map_err(convert)?;
        Ok(list.items)
    }

    /// Sets the number of pods of a stateful set.
    pub async fn scale(&self, object: &Value, replicas: i32) -> Result<()> {
        let (api, name) = self.api(object)?;
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        api.patch(&name, &PatchParams::default(), &patch).await.map(drop).map_err(convert)
    }

    /// Reads any path. None if the cluster does not have it.
    pub async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>> {
        let request = http::Request::get(path).body(Vec::new()).map_err(Error::internal)?;
        match self.client.request(request).await {
            Ok(found) => Ok(Some(found)),
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 503) => Ok(None),
            Err(error) => Err(convert(error)),
        }
    }
}

/// The cluster may be busy or out of reach. The next step tries again.
fn convert(error: kube::Error) -> Error {
    tracing::warn!(?error, "a call of the cluster failed");
    Error::busy("the cluster did not answer, or refused the call")
}
