//! A fake API server of Kubernetes. It stores objects, and behaves as the controllers and the kubelet of a cluster do: a
//! stateful set gets its pod, and the pod becomes ready unless a test says otherwise.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::time::Clock;
use futures::FutureExt;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kubernetes::{Cluster, Connect};
use serde_json::{Value, json};
use tower::service_fn;

#[derive(Clone, Default)]
pub struct FakeApiServer(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The objects by their paths.
    objects: BTreeMap<String, Value>,
    /// The status that the next pods get. By default, they are ready.
    pod_status: Option<Value>,
    /// The message of a controller that cannot create pods.
    failed_create: Option<String>,
    /// The answer to writes of this kind.
    refused: Option<(&'static str, StatusCode, String)>,
    metrics: Option<Value>,
    writes: u64,
}

impl FakeApiServer {
    /// A cluster of this API server.
    pub fn cluster(&self) -> Cluster {
        let server = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        let client = Mutex::new(Client::new(service, "default"));
        let connect: Connect = Arc::new(move || {
            let client = client.lock().unwrap().clone();
            async move { Ok(client) }.boxed()
        });
        Cluster::new(connect, Clock::default())
    }

    /// The paths of all objects, such as `namespaces/wb-1/pods/wb-2-0`.
    pub fn paths(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }

    /// The only object of this kind, such as `pods`.
    pub fn only(&self, kind: &str) -> Value {
        let state = self.state();
        let mut found = state.objects.iter().filter(|(path, _)| path.rsplit('/').nth(1) == Some(kind));
        let (Some((_, object)), None) = (found.next(), found.next()) else { panic!("not one of {kind}") };
        object.clone()
    }

    /// Changes an object, as someone else would do it.
    pub fn change(&self, kind: &str, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        let found = state.objects.iter_mut().find(|(path, _)| path.rsplit('/').nth(1) == Some(kind));
        change(found.expect("an object of this kind").1);
    }

    /// Gives all pods this status from now on. None: they are ready.
    pub fn set_pod_status(&self, status: Option<Value>) {
        let mut state = self.state();
        state.pod_status = status;
        state.control();
    }

    /// Lets the controller of stateful sets fail with this message.
    pub fn fail_create(&self, message: Option<&str>) {
        let mut state = self.state();
        state.failed_create = message.map(str::to_owned);
        state.control();
    }

    /// Refuses the writes of a kind, such as `persistentvolumeclaims`.
    pub fn refuse(&self, refused: Option<(&'static str, StatusCode, &str)>) {
        self.state().refused = refused.map(|(kind, status, message)| (kind, status, message.to_owned()));
    }

    pub fn set_metrics(&self, containers: Value) {
        self.state().metrics = Some(json!({"containers": containers}));
    }

    /// The number of requests that changed something.
    pub fn writes(&self) -> u64 {
        self.state().writes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let path = parts.uri.path().trim_start_matches("/apis/").trim_start_matches("/api/");
        // Without the group and its version.
        let path = path.split_once("/v1/").or_else(|| path.split_once("v1/")).map_or(path, |(_, path)| path);
        let query = parts.uri.query().unwrap_or_default();
        let mut state = self.state();
        let is_metrics = parts.uri.path().starts_with("/apis/metrics.k8s.io/");
        let (status, answer) = match parts.method {
            Method::GET if is_metrics => {
                state.metrics.clone().map_or_else(missing, |metrics| (StatusCode::OK, metrics))
            }
            Method::GET => state.get(path, query),
            _ => state.write(&parts.method, path, body),
        };
        let body = Body::from(answer.to_string().into_bytes());
        Response::builder().status(status).header("content-type", "application/json").body(body).unwrap()
    }
}

impl State {
    fn get(&self, path: &str, query: &str) -> (StatusCode, Value) {
        if let Some(object) = self.objects.get(path) {
            return (StatusCode::OK, object.clone());
        }
        // The name of a collection has an even place in the path: namespaces/wb-1/pods.
        if path.split('/').count().is_multiple_of(2) {
            return missing();
        }
        if path.ends_with("/events") {
            return (StatusCode::OK, json!({"metadata": {}, "items": self.events(query)}));
        }
        let prefix = format!("{path}/");
        let items: Vec<_> =
            self.objects.iter().filter(|(path, _)| path.starts_with(&prefix)).map(|(_, item)| item).collect();
        (StatusCode::OK, json!({"metadata": {}, "items": items}))
    }

    /// The warnings of the stateful sets that the query names by its uid.
    fn events(&self, query: &str) -> Vec<Value> {
        let Some(message) = &self.failed_create else { return Vec::new() };
        let sets = self.objects.values().filter(|object| object["kind"] == "StatefulSet");
        let of_query = sets.filter(|set| query.contains(set["metadata"]["uid"].as_str().unwrap_or("none")));
        let event = |set: &Value| {
            json!({"metadata": {"name": "event"}, "type": "Warning", "reason": "FailedCreate", "message": message,
                "involvedObject": {"uid": set["metadata"]["uid"]}, "lastTimestamp": "2026-03-01T09:30:00Z"})
        };
        of_query.map(event).collect()
    }

    fn write(&mut self, method: &Method, path: &str, body: Value) -> (StatusCode, Value) {
        self.writes += 1;
        if let Some((kind, status, message)) = &self.refused
            && path.split('/').any(|part| part == *kind)
        {
            return (*status, failure(*status, message));
        }
        let answer = match *method {
            Method::DELETE => self.objects.remove(path).map_or_else(missing, |object| (StatusCode::OK, object)),
            _ => {
                let number = self.objects.len();
                let object = self
                    .objects
                    .entry(path.to_owned())
                    .or_insert_with(|| json!({"metadata": {"uid": format!("uid-{number}"), "generation": 0}}));
                let before = object["spec"].clone();
                merge(object, body);
                if object["spec"] != before {
                    let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
                    object["metadata"]["generation"] = (generation + 1).into();
                }
                (StatusCode::OK, object.clone())
            }
        };
        self.control();
        answer
    }

    /// What the controllers and the kubelet do.
    fn control(&mut self) {
        let is_pod = |path: &String| path.rsplit('/').nth(1) == Some("pods");
        let sets: Vec<String> = self.objects.keys().filter(|path| path.contains("/statefulsets/")).cloned().collect();
        let mut pods = BTreeMap::new();
        for path in sets {
            let pod_path = format!("{}-0", path.replace("/statefulsets/", "/pods/"));
            let set = self.objects.get_mut(&path).unwrap();
            let runs = set["spec"]["replicas"] == 1 && self.failed_create.is_none();
            let is_ready = runs && self.pod_status.is_none();
            set["status"] = json!({"replicas": 1, "observedGeneration": set["metadata"]["generation"]});
            if is_ready {
                set["status"]["readyReplicas"] = 1.into();
            }
            if runs {
                let template = &set["spec"]["template"];
                let status = self.pod_status.clone().unwrap_or_else(|| json!({"phase": "Running"}));
                pods.insert(
                    pod_path,
                    json!({"kind": "Pod", "metadata": template["metadata"], "spec": template["spec"],
                    "status": status}),
                );
            }
        }
        self.objects.retain(|path, _| !is_pod(path));
        self.objects.append(&mut pods);
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn missing() -> (StatusCode, Value) {
    (StatusCode::NOT_FOUND, failure(StatusCode::NOT_FOUND, "not found"))
}

fn failure(status: StatusCode, message: &str) -> Value {
    let reason = match status {
        StatusCode::NOT_FOUND => "NotFound",
        StatusCode::CONFLICT => "Conflict",
        StatusCode::FORBIDDEN => "Forbidden",
        _ => "Invalid",
    };
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": reason, "code": status.as_u16()})
}
