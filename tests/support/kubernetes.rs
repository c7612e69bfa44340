//! A fake API server of Kubernetes. It stores objects, refuses the requests that a real one refuses, and behaves as the
//! controllers and the kubelet of a cluster do: a stateful set gets its pod, and the pod becomes ready unless a test says
//! otherwise. A deleted object exists until it has been read once more and has no finalizer.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::time::Clock;
use futures::FutureExt;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kubernetes::{Cluster, Connect};
use reqwest::Url;
use serde_json::{Value, json};
use tower::{BoxError, service_fn};

#[derive(Clone, Default)]
pub struct FakeApiServer(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The objects by their paths.
    objects: BTreeMap<String, Value>,
    /// The number of objects that were created.
    created: u64,
    /// The status that the next pods get. By default, they are ready.
    pod_status: Option<Value>,
    failed_create: Option<FailedCreate>,
    /// The answer to writes of this kind.
    refused: Option<(&'static str, StatusCode, String)>,
    /// The answers to writes of this kind are lost.
    unanswered: Option<&'static str>,
    metrics: Option<(StatusCode, String)>,
    writes: u64,
}

/// Why a controller cannot create pods.
struct FailedCreate {
    message: String,
    /// The times of its event, as fields.
    times: Value,
}

type Parameters = HashMap<String, String>;
type Answer = (StatusCode, Value);

impl FakeApiServer {
    /// A cluster of this API server.
    pub fn cluster(&self) -> Cluster {
        let server = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.answer(request).await }
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

    /// The objects whose path contains this text, by their paths.
    pub fn objects(&self, text: &str) -> BTreeMap<String, Value> {
        let state = self.state();
        let found = state.objects.iter().filter(|(path, _)| path.contains(text));
        found.map(|(path, object)| (path.clone(), object.clone())).collect()
    }

    /// The only object of this kind, such as `pods`.
    pub fn only(&self, kind: &str) -> Value {
        let state = self.state();
        let mut found = state.objects.iter().filter(|(path, _)| kind_of(path) == kind);
        let (Some((_, object)), None) = (found.next(), found.next()) else { panic!("not one of {kind}") };
        object.clone()
    }

    /// Changes an object, as someone else would do it.
    pub fn change(&self, kind: &str, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        let found = state.objects.iter_mut().find(|(path, _)| kind_of(path) == kind);
        change(found.expect("an object of this kind").1);
    }

    /// Gives all pods this status from now on. None: they are ready.
    pub fn set_pod_status(&self, status: Option<Value>) {
        let mut state = self.state();
        state.pod_status = status;
        state.control();
    }

    /// Lets the controller of stateful sets fail with this message, in an event that is newer than every workbench.
    pub fn fail_create(&self, message: Option<&str>) {
        let times = json!({"lastTimestamp": "2100-01-01T00:00:00Z"});
        let mut state = self.state();
        state.failed_create = message.map(|message| FailedCreate { message: message.to_owned(), times });
        state.control();
    }

    /// Changes the times of the event of a controller that fails, such as `lastTimestamp`.
    pub fn set_event_times(&self, times: Value) {
        self.state().failed_create.as_mut().expect("the controller fails").times = times;
    }

    /// Refuses the writes of a kind, such as `persistentvolumeclaims`.
    pub fn refuse(&self, refused: Option<(&'static str, StatusCode, &str)>) {
        self.state().refused = refused.map(|(kind, status, message)| (kind, status, message.to_owned()));
    }

    /// Loses the answers to the writes of a kind, which take effect.
    pub fn lose_answers(&self, kind: Option<&'static str>) {
        self.state().unanswered = kind;
    }

    pub fn set_metrics(&self, containers: Value) {
        self.answer_metrics(StatusCode::OK, &json!({"containers": containers}).to_string());
    }

    /// Answers all requests of metrics in this way.
    pub fn answer_metrics(&self, status: StatusCode, body: &str) {
        self.state().metrics = Some((status, body.to_owned()));
    }

    /// The number of requests that changed something.
    pub fn writes(&self) -> u64 {
        self.state().writes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub async fn answer(&self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let url = Url::parse(&format!("http://cluster{}", parts.uri))?;
        let path = url.path().trim_start_matches("/apis/").trim_start_matches("/api/");
        // Without the group and its version.
        let path = path.split_once("/v1/").or_else(|| path.split_once("v1/")).map_or(path, |(_, path)| path);
        let parameters: Parameters = url.query_pairs().into_owned().collect();
        let mut state = self.state();
        let is_read = parts.method == Method::GET;
        let (status, text) = match is_read {
            true if url.path().starts_with("/apis/metrics.k8s.io/") => {
                state.metrics.clone().unwrap_or_else(|| print(missing()))
            }
            true => print(state.get(path, &parameters)),
            false => print(state.write(&parts.method, path, &parts.headers, &parameters, body)),
        };
        if !is_read && state.unanswered.is_some_and(|kind| kind_of(path) == kind) {
            return Err("the connection was closed before the answer".into());
        }
        let response = Response::builder().status(status).header("content-type", "application/json");
        Ok(response.body(Body::from(text.into_bytes()))?)
    }
}

impl State {
    fn get(&mut self, path: &str, parameters: &Parameters) -> Answer {
        // The name of a collection has an odd number of parts: namespaces/wb-1/pods.
        let is_collection = !path.split('/').count().is_multiple_of(2);
        if !is_collection {
            let found = self.objects.get(path).cloned().map_or_else(missing, |object| (StatusCode::OK, object));
            self.remove_deleted(&[path.to_owned()]);
            return found;
        }
        let prefix = format!("{path}/");
        let stored = self.objects.iter().filter(|(path, _)| path.starts_with(&prefix));
        let stored = stored.map(|(path, object)| (path.clone(), object.clone()));
        let items: Vec<_> = if path.ends_with("/events") { self.events() } else { stored.collect() };
        let selects = |object: &Value| {
            let labels = &object["metadata"]["labels"];
            selects(parameters.get("labelSelector"), |name| labels.get(name))
                && selects(parameters.get("fieldSelector"), |name| {
                    object.pointer(&format!("/{}", name.replace('.', "/")))
                })
        };
        let items: Vec<_> = items.into_iter().filter(|(_, object)| selects(object)).collect();
        let (paths, items): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        self.remove_deleted(&paths);
        (StatusCode::OK, json!({"metadata": {}, "items": items}))
    }

    /// Removes the objects that have been read since they were deleted, unless a finalizer holds them.
    fn remove_deleted(&mut self, read: &[String]) {
        let is_free = |object: &Value| is_deleted(object) && object["metadata"]["finalizers"].is_null();
        let deleted: Vec<_> = read.iter().filter(|path| self.objects.get(*path).is_some_and(is_free)).collect();
        for path in &deleted {
            self.objects.remove(*path);
        }
        if !deleted.is_empty() {
            self.control();
        }
    }

    /// The events of all stateful sets.
    fn events(&self) -> Vec<(String, Value)> {
        let Some(FailedCreate { message, times }) = &self.failed_create else { return Vec::new() };
        let sets = self.objects.values().filter(|object| object["kind"] == "StatefulSet");
        let event = |set: &Value| {
            let mut event = json!({"metadata": {"name": "event"}, "type": "Warning", "reason": "FailedCreate",
                "message": message, "involvedObject": {"uid": set["metadata"]["uid"]}});
            merge(&mut event, times.clone());
            (String::new(), event)
        };
        sets.map(event).collect()
    }

    fn write(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        parameters: &Parameters,
        body: Value,
    ) -> Answer {
        self.writes += 1;
        if let Some((kind, status, message)) = &self.refused
            && kind_of(path) == *kind
        {
            return refusal(*status, message);
        }
        let content_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let answer = match (method, content_type) {
            (&Method::DELETE, _) => self.delete(path),
            (&Method::PATCH, "application/apply-patch+yaml") => self.apply(path, parameters, body),
            (&Method::PATCH, "application/merge-patch+json") => match self.objects.contains_key(path) {
                true => self.store(path, body),
                false => missing(),
            },
            (&Method::PATCH, _) => refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the patch has an unknown type"),
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "the platform may only apply, patch and delete"),
        };
        self.control();
        answer
    }

    fn delete(&mut self, path: &str) -> Answer {
        let Some(object) = self.objects.get_mut(path) else { return missing() };
        object["metadata"]["deletionTimestamp"] = "2026-03-01T09:30:00Z".into();
        (StatusCode::OK, object.clone())
    }

    fn apply(&mut self, path: &str, parameters: &Parameters, body: Value) -> Answer {
        let parameter = |name: &str| parameters.get(name).map(String::as_str);
        if parameter("fieldManager") != Some("workbenches") {
            return refusal(StatusCode::UNPROCESSABLE_ENTITY, "fieldManager: Required value for an apply patch");
        }
        if parameter("force") != Some("true") {
            return refusal(StatusCode::CONFLICT, "Apply failed with a conflict: another manager owns the fields");
        }
        let namespace = path.split('/').take(2).collect::<Vec<_>>().join("/");
        if namespace != path && !self.objects.contains_key(&namespace) {
            return missing();
        }
        if kind_of(path) == "persistentvolumeclaims"
            && self.objects.get(path).is_some_and(|stored| stored["spec"] != body["spec"])
        {
            return refusal(StatusCode::UNPROCESSABLE_ENTITY, "spec: Forbidden: spec is immutable after creation");
        }
        self.store(path, body)
    }

    fn store(&mut self, path: &str, body: Value) -> Answer {
        if !self.objects.contains_key(path) {
            self.created += 1;
            let new = json!({"metadata": {"uid": format!("uid-{}", self.created), "generation": 0}});
            self.objects.insert(path.to_owned(), new);
        }
        let object = self.objects.get_mut(path).expect("it was just created");
        let before = object["spec"].clone();
        // The platform owns all entries of a secret, so server-side apply removes those that it does not send any more.
        if kind_of(path) == "secrets" {
            object["data"] = Value::Null;
        }
        merge(object, body);
        if object["spec"] != before {
            let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            object["metadata"]["generation"] = (generation + 1).into();
        }
        (StatusCode::OK, object.clone())
    }

    /// What the controllers and the kubelet do.
    fn control(&mut self) {
        let paths = |state: &Self, kind: &str| -> Vec<String> {
            state.objects.keys().filter(|path| kind_of(path) == kind).cloned().collect()
        };
        for quota in self.objects.values_mut().filter(|object| object["kind"] == "ResourceQuota") {
            quota["status"] = json!({"hard": quota["spec"]["hard"], "used": {}});
        }
        for pod_path in paths(self, "pods") {
            let set_path = pod_path.replace("/pods/", "/statefulsets/");
            let set = self.objects.get(set_path.trim_end_matches("-0"));
            let is_wanted = set.is_some_and(|set| !is_deleted(set) && set["spec"]["replicas"] == 1);
            if !is_wanted {
                self.delete(&pod_path);
            }
        }
        for set_path in paths(self, "statefulsets") {
            let pod_path = format!("{}-0", set_path.replace("/statefulsets/", "/pods/"));
            let set = self.objects[&set_path].clone();
            let pod = self.objects.get(&pod_path).cloned();
            let is_wanted = !is_deleted(&set) && set["spec"]["replicas"] == 1;
            let pod = match pod {
                Some(pod) if is_deleted(&pod) => Some(pod),
                Some(pod) if set["spec"]["updateStrategy"]["type"] == "OnDelete" => Some(self.with_status(pod)),
                None if !is_wanted || self.failed_create.is_some() => None,
                _ => {
                    let template = &set["spec"]["template"];
                    let pod = json!({"kind": "Pod", "metadata": template["metadata"], "spec": template["spec"]});
                    Some(self.with_status(pod))
                }
            };
            let conditions = pod.as_ref().and_then(|pod| pod["status"]["conditions"].as_array());
            let mut conditions = conditions.into_iter().flatten();
            let is_ready = conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
            let mut status = json!({"replicas": 1, "observedGeneration": set["metadata"]["generation"]});
            if is_ready {
                status["readyReplicas"] = 1.into();
            }
            self.objects.get_mut(&set_path).expect("it was just read")["status"] = status;
            if let Some(pod) = pod {
                self.objects.insert(pod_path, pod);
            }
        }
    }

    fn with_status(&self, mut pod: Value) -> Value {
        let ready = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
        pod["status"] = self.pod_status.clone().unwrap_or(ready);
        pod
    }
}

/// The kind of the object at a path, such as `pods`.
fn kind_of(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}

fn is_deleted(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether a selector such as `a=1,b=2` selects the object with these values.
fn selects<'a>(selector: Option<&String>, value: impl Fn(&str) -> Option<&'a Value>) -> bool {
    let mut requirements = selector.map(String::as_str).unwrap_or_default().split(',').filter(|text| !text.is_empty());
    requirements.all(|requirement| {
        let (name, expected) = requirement.split_once('=').expect("a selector has a value");
        value(name).and_then(Value::as_str) == Some(expected)
    })
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

fn print((status, answer): Answer) -> (StatusCode, String) {
    (status, answer.to_string())
}

fn missing() -> Answer {
    refusal(StatusCode::NOT_FOUND, "not found")
}

fn refusal(status: StatusCode, message: &str) -> Answer {
    let reason = status.canonical_reason().unwrap_or_default().replace(' ', "");
    let answer = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": reason, "code": status.as_u16()});
    (status, answer)
}
