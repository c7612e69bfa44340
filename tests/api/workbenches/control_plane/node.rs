//! A node without containers: it provides volumes, and reports the status of pods as a kubelet does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::api::Api;

const NODE: &str = "/api/v1/nodes/node-1";
const PODS: &str = "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const PAUSE: Duration = Duration::from_millis(100);

/// The status that the node reports of its pods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PodStatus {
    Ready,
    ImagePullBackOff,
    OomKilled,
}

pub struct Node {
    status: Arc<Mutex<PodStatus>>,
    gpu_memory_mib: Arc<Mutex<u32>>,
    task: JoinHandle<()>,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Node {
    pub async fn start(api: Api) -> Self {
        api.create("/api/v1/nodes", json!({"metadata": {"name": "node-1", "labels": {"pool": "labs"}}})).await;
        let (status, gpu_memory_mib) = (Arc::new(Mutex::new(PodStatus::Ready)), Arc::new(Mutex::new(0)));
        let task = tokio::spawn({
            let (status, gpu_memory_mib) = (status.clone(), gpu_memory_mib.clone());
            async move {
                let mut reported = HashMap::new();
                loop {
                    let (status, gpu_memory_mib) = (*status.lock().unwrap(), *gpu_memory_mib.lock().unwrap());
                    report_node(&api, gpu_memory_mib).await;
                    provide_volumes(&api).await;
                    report_pods(&api, status, &mut reported).await;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        });
        Self { status, gpu_memory_mib, task }
    }

    pub fn report(&self, status: PodStatus) {
        *self.status.lock().unwrap() = status;
    }

    pub fn add_gpu_memory(&self, mib: u32) {
        *self.gpu_memory_mib.lock().unwrap() = mib;
    }
}

/// Without this, the controller of nodes would soon evict the pods.
async fn report_node(api: &Api, gpu_memory_mib: u32) {
    let capacity = json!({
        "cpu": "64", "memory": "256Gi", "pods": "110",
        "nvidia.com/gpu": "4", "nvidia.com/gpumem": gpu_memory_mib.to_string(),
    });
    let now = domain::time::Time::now();
    let now = json!(format!("{}Z", now.to_string().split(['.', 'Z']).next().unwrap()));
    let ready = json!({"type": "Ready", "status": "True", "reason": "Test", "lastHeartbeatTime": now});
    let status = json!({"capacity": capacity, "allocatable": capacity, "conditions": [ready]});
    api.patch(&format!("{NODE}/status"), json!({"status": status})).await;
}

/// Gives each claim a volume of its size, and removes the volumes of deleted claims.
async fn provide_volumes(api: &Api) {
    for claim in api.list("/api/v1/persistentvolumeclaims").await {
        if claim["status"]["phase"] == "Pending" && claim["spec"]["volumeName"].is_null() {
            let metadata = &claim["metadata"];
            let uid = metadata["uid"].as_str().unwrap();
            let volume = json!({
                "metadata": {"name": format!("volume-{uid}")},
                "spec": {
                    "capacity": claim["spec"]["resources"]["requests"], "accessModes": ["ReadWriteOnce"],
                    "storageClassName": claim["spec"]["storageClassName"], "hostPath": {"path": "/none"},
                    "claimRef": {"namespace": metadata["namespace"], "name": metadata["name"], "uid": uid},
                },
            });
            api.create(VOLUMES, volume).await;
        }
    }
    for volume in api.list(VOLUMES).await {
        if volume["status"]["phase"] == "Released" {
            let name = volume["metadata"]["name"].as_str().unwrap();
            api.delete(&format!("{VOLUMES}/{name}"), Value::Null).await;
        }
    }
}

async fn report_pods(api: &Api, status: PodStatus, reported: &mut HashMap<String, PodStatus>) {
    for pod in api.list(PODS).await {
        let metadata = &pod["metadata"];
        let text = |name: &str| metadata[name].as_str().unwrap().to_owned();
        let (namespace, name, uid) = (text("namespace"), text("name"), text("uid"));
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
        if !metadata["deletionTimestamp"].is_null() {
            // Its processes have ended. The uid protects a new pod with this name.
            api.delete(&path, json!({"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})).await;
        } else if reported.get(&uid) != Some(&status) {
            let containers = pod["spec"]["containers"].as_array().unwrap();
            let statuses: Vec<_> = containers.iter().map(|container| container_status(container, status)).collect();
            let (phase, ready) = if status == PodStatus::Ready { ("Running", "True") } else { ("Pending", "False") };
            let conditions = json!([{"type": "Ready", "status": ready}, {"type": "ContainersReady", "status": ready}]);
            let status_patch = json!({"phase": phase, "conditions": conditions, "containerStatuses": statuses});
            api.patch(&format!("{path}/status"), json!({"status": status_patch})).await;
            reported.insert(uid, status);
        }
    }
}

fn container_status(container: &Value, status: PodStatus) -> Value {
    let waiting = |reason: &str, message: &str| json!({"waiting": {"reason": reason, "message": message}});
    let (state, last_state, restarts) = match status {
        PodStatus::Ready => (json!({"running": {}}), json!({}), 0),
        PodStatus::ImagePullBackOff => (waiting("ImagePullBackOff", "Back-off pulling image \"base:1\""), json!({}), 0),
        PodStatus::OomKilled => {
            let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
            (waiting("CrashLoopBackOff", "back-off 10s restarting failed container"), killed, 1)
        }
    };
    json!({
        "name": container["name"], "image": container["image"], "imageID": "", "ready": status == PodStatus::Ready,
        "restartCount": restarts, "state": state, "lastState": last_state,
    })
}
