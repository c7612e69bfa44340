//! The connection to the cluster, and its calls.

use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use domain::time::{Clock, Time};
use futures::future::BoxFuture;
use http::StatusCode;
use kube::api::{DeleteParams, DynamicObject, ListParams, ObjectMeta, Patch, PatchParams, PropagationPolicy};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::metrics::PodMetrics;
use crate::objects::MANAGER;

/// Makes clients. A client may have a token that expires.
pub type Connect = Arc<dyn Fn() -> BoxFuture<'static, domain::Result<Client>> + Send + Sync>;

/// A client is used again for this long, so changed credentials take effect soon. The tokens of EKS are valid for 15 minutes.
const CLIENT_KEPT: Duration = Duration::from_secs(60);
/// The timeout of a call. Some calls fit into one step.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// The usage is not needed for a step, so a slow answer must not delay it.
const METRICS_TIMEOUT: Duration = Duration::from_secs(3);

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

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    pub async fn client(&self) -> domain::Result<Client> {
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

/// Why a call of the cluster has failed.
#[derive(Debug)]
pub enum Failure {
    /// The API server has refused the call, which has no effect.
    Refused { status: StatusCode, message: String },
    /// There was no answer, or no call at all. Nothing can take effect later.
    NoEffect(Error),
    /// The call may still take effect.
    Uncertain(Error),
}

/// The error of something else than a call, such as an expired permit.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::NoEffect(error)
    }
}

pub type Result<T> = std::result::Result<T, Failure>;

/// How the cluster has refused an object.
#[derive(Debug)]
pub enum Refusal {
    /// The quota of the namespace does not suffice.
    Quota(String),
    /// The object is invalid, for example its image.
    Invalid(String),
    /// The object was changed concurrently, the namespace does not exist yet, or its quota is not computed yet. A later step
    /// tries again.
    Retry,
}

/// The message with which the API server refuses objects until it has computed the usage of a new quota.
pub const QUOTA_NOT_COMPUTED: &str = "status unknown for quota";

impl Refusal {
    fn new(status: StatusCode, message: &str) -> Option<Self> {
        match status {
            StatusCode::FORBIDDEN if message.contains(QUOTA_NOT_COMPUTED) => Some(Self::Retry),
            StatusCode::FORBIDDEN if message.contains("exceeded quota") => Some(Self::Quota(message.to_owned())),
            StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => Some(Self::Invalid(message.to_owned())),
            StatusCode::CONFLICT | StatusCode::NOT_FOUND => Some(Self::Retry),
            _ => None,
        }
    }
}

/// Describes an object that its deletion has not removed, with the finalizers that hold it.
pub fn describe_remaining(kind: &str, metadata: &ObjectMeta) -> String {
    let name = metadata.name.as_deref().unwrap_or_default();
    match metadata.finalizers.as_deref() {
        None | Some([]) => format!("{kind} {name}"),
        Some(finalizers) => format!("{kind} {name} (finalizers: {})", finalizers.join(", ")),
    }
}

/// A namespace of the cluster.
pub struct Namespace {
    pub client: Client,
    pub name: String,
}

impl Namespace {
    fn api(&self, object: &Value) -> (Api<DynamicObject>, String) {
        let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (field(&object["apiVersion"]), field(&object["kind"]));
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &kind));
        let api = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        };
        (api, field(&object["metadata"]["name"]))
    }

    /// Applies an object on the server's side, so that a repetition changes nothing.
    pub async fn apply(&self, object: &Value) -> Result<Option<Refusal>> {
        let (api, name) = self.api(object);
        let parameters = PatchParams::apply(MANAGER).force();
        match write(api.patch(&name, &parameters, &Patch::Apply(object))).await {
            Ok(_) => Ok(None),
            Err(Failure::Refused { status, message }) => match Refusal::new(status, &message) {
                Some(refusal) => Ok(Some(refusal)),
                None => Err(Failure::Refused { status, message }),
            },
            Err(failure) => Err(failure),
        }
    }

    /// Deletes an object with everything that it owns. Returns a description of the object if it still exists.
    pub async fn delete(
        &self,
        object: &Value,
        label: (&str, &str),
        check_permit: impl Fn() -> domain::Result<()>,
    ) -> Result<Option<String>> {
        let (api, name) = self.api(object);
        let Some(found) = read(api.get_opt(&name)).await? else { return Ok(None) };
        let labels = found.metadata.labels.as_ref();
        if labels.and_then(|labels| labels.get(label.0)).map(String::as_str) != Some(label.1) {
            return Err(Error::internal(format!("the object {name} of the cluster belongs to something else")).into());
        }
        if found.metadata.deletion_timestamp.is_none() {
            check_permit()?;
            let parameters =
                DeleteParams { propagation_policy: Some(PropagationPolicy::Foreground), ..DeleteParams::default() };
            match write(api.delete(&name, &parameters)).await {
                Ok(_) => {}
                Err(Failure::Refused { status: StatusCode::NOT_FOUND, .. }) => return Ok(None),
                Err(failure) => return Err(failure),
            }
        }
        let kind = object["kind"].as_str().unwrap_or_default();
        Ok(Some(describe_remaining(kind, &found.metadata)))
    }

    pub async fn exists(&self, object: &Value) -> Result<bool> {
        let (api, name) = self.api(object);
        Ok(read(api.get_opt(&name)).await?.is_some())
    }

    pub async fn find<K>(&self, name: &str) -> Result<Option<K>>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + DeserializeOwned,
    {
        read(Api::<K>::namespaced(self.client.clone(), &self.name).get_opt(name)).await
    }

    pub async fn list<K>(&self, parameters: &ListParams) -> Result<Vec<K>>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + DeserializeOwned,
    {
        let list = read(Api::<K>::namespaced(self.client.clone(), &self.name).list(parameters)).await?;
        Ok(list.items)
    }

    /// Sets the number of pods of a stateful set.
    pub async fn scale(&self, object: &Value, replicas: i32) -> Result<()> {
        let (api, name) = self.api(object);
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        write(api.patch(&name, &PatchParams::default(), &patch)).await.map(drop)
    }

    /// What a pod uses. None if the cluster does not measure it, or does not answer in time.
    pub async fn find_metrics(&self, pod: &str) -> Option<PodMetrics> {
        let path = format!("/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods/{pod}", self.name);
        let request = http::Request::get(path).body(Vec::new()).expect("the path consists of ids");
        match timeout(METRICS_TIMEOUT, self.client.request(request)).await {
            Ok(Ok(metrics)) => Some(metrics),
            // The cluster has no metrics server, or has not measured the pod yet.
            Ok(Err(kube::Error::Api(status))) if status.code == StatusCode::NOT_FOUND.as_u16() => None,
            Ok(Err(error)) => {
                tracing::warn!(?error, "the usage of a workbench cannot be read");
                None
            }
            Err(_) => {
                tracing::warn!("the usage of a workbench cannot be read in time");
                None
            }
        }
    }
}

/// Makes a call that changes nothing.
async fn read<T>(call: impl Future<Output = kube::Result<T>>) -> Result<T> {
    match send(call).await {
        Err(Failure::Uncertain(error)) => Err(Failure::NoEffect(error)),
        result => result,
    }
}

/// Makes a call that changes something. After an error of the API server itself (5xx), such as a timeout of its database, the
/// change may still take effect.
async fn write<T>(call: impl Future<Output = kube::Result<T>>) -> Result<T> {
    match send(call).await {
        Err(Failure::Refused { status, message }) if status.is_server_error() => {
            Err(Failure::Uncertain(Error::busy(format!("the cluster answered {status}: {message}"))))
        }
        result => result,
    }
}

async fn send<T>(call: impl Future<Output = kube::Result<T>>) -> Result<T> {
    let uncertain = || Failure::Uncertain(Error::busy("the cluster did not answer"));
    match timeout(CALL_TIMEOUT, call).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(kube::Error::Api(status))) => {
            tracing::warn!(?status, "the cluster refused a call");
            let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Err(Failure::Refused { status: code, message: status.message })
        }
        Ok(Err(error)) => {
            tracing::warn!(?error, "a call of the cluster failed");
            Err(uncertain())
        }
        Err(_) => {
            tracing::warn!("a call of the cluster took too long");
            Err(uncertain())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::pending;

    use http::{Request, Response};
    use kube::client::Body;
    use tower::service_fn;

    use super::*;

    /// A namespace of a cluster that never answers.
    fn silent_namespace() -> Namespace {
        let service = service_fn(|_: Request<Body>| pending::<std::result::Result<Response<Body>, Infallible>>());
        Namespace { client: Client::new(service, "default"), name: "wb-1".to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn without_an_answer_only_a_change_is_uncertain() {
        let namespace = silent_namespace();
        let object = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "wb-2", "namespace": "wb-1"}});
        assert!(matches!(namespace.apply(&object).await, Err(Failure::Uncertain(_))));
        assert!(matches!(namespace.scale(&object, 0).await, Err(Failure::Uncertain(_))));
        assert!(matches!(namespace.exists(&object).await, Err(Failure::NoEffect(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_does_not_wait_long_for_the_usage() {
        let namespace = silent_namespace();
        // The clock of the test jumps to the next timeout, so the shorter one always ends first.
        let metrics = timeout(CALL_TIMEOUT - Duration::from_millis(1), namespace.find_metrics("wb-2-0")).await;
        assert!(metrics.expect("the usage has a shorter limit than other calls").is_none());
    }
}
