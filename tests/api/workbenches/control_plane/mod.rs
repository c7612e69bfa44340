//! Workbenches on a real control plane: the API server, the scheduler and the controllers of Kubernetes.
//! `tests/control-plane/run.sh` starts it and runs these tests, one after the other.

mod api;
mod node;

use std::path::PathBuf;

use domain::id::OrgId;
use domain::identity::Role;
use platform::config::WORKBENCH_CLUSTER;
use tests::client::refusal;
use tests::polling::eventually;

use super::*;
use api::Api;
use node::{Node, PodStatus};

const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const NAMESPACES: &str = "/api/v1/namespaces";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

/// A platform that uses the control plane with the permissions that the README of `shared/kubernetes` lists.
struct Plane {
    lab: Lab,
    api: Api,
    node: Node,
    ada: Person,
    org: OrgId,
    namespace: String,
}

async fn start() -> Plane {
    let folder = PathBuf::from(std::env::var_os("CONTROL_PLANE").expect("run tests/control-plane/run.sh"));
    let api = Api::connect(&folder.join("admin.kubeconfig")).await;
    api.create(ROLES, role()).await;
    api.create(BINDINGS, binding()).await;

    let app = TestApp::start().await;
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "20Gi"}));
    plan["workbenches"]["provisioning_timeout_minutes"] = 1440.into();
    plan["workbenches"]["idle_stop_minutes"] = Value::Null;
    put_plan(&app, plan).await;
    let kubeconfig = std::fs::read_to_string(folder.join("platform.kubeconfig")).unwrap();
    let kubeconfig: Value = serde_json::from_str(&kubeconfig).unwrap();
    let put = app.operator().put("/gateway/v1/admin/workbench-cluster", kubeconfig).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
    // An organization of its own, and so a namespace of its own: the cluster counts what it deletes of a namespace for some time.
    let ada = app.person_of("ada", &OrgId::new().to_string(), Role::Member);
    let org: OrgId = ada.get("/gateway/v1/me").await.json["org"]["id"].as_str().unwrap().parse().unwrap();
    let namespace = format!("wb-{}", org.uuid().simple());
    let node = Node::start(api.clone()).await;
    eventually("the namespaces of earlier tests are deleted", async || {
        let names: Vec<_> = api.list(NAMESPACES).await.iter().map(|it| it["metadata"]["name"].to_string()).collect();
        let earlier: Vec<_> =
            names.iter().map(|name| name.trim_matches('"')).filter(|name| name.starts_with("wb-")).collect();
        for name in &earlier {
            api.delete(&format!("{NAMESPACES}/{name}"), Value::Null).await;
        }
        earlier.is_empty().then_some(())
    })
    .await;

    let settings = json!({
        "connection": "kubeconfig", "domain": "labs.test",
        "ingress_class": "nginx", "ingress_namespace": "ingress",
        "ingress_annotations": {"auth-url": "https://access.test/check/{id}"},
        "storage_class": "manual", "node_selector": {"pool": "labs"},
    });
    let context = app.platform.context_of("workbench-worker");
    let config = context.config.clone().with(WORKBENCH_CLUSTER, &settings.to_string());
    let backend = ::kubernetes::configured_backend(&Context { config, ..context }).unwrap().unwrap();
    Plane { lab: Lab::with_backend(app, Arc::new(backend)), api, node, ada, org, namespace }
}

/// The role of the README.
fn role() -> Value {
    let rule = |group: &str, resources: Value, verbs: Value| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    let write = json!(["get", "create", "patch", "delete"]);
    json!({
        "metadata": {"name": "platform"},
        "rules": [
            rule("", json!(["namespaces", "limitranges"]), json!(["create", "patch"])),
            rule("", json!(["resourcequotas"]), json!(["get", "create", "patch"])),
            rule("networking.k8s.io", json!(["networkpolicies"]), json!(["create", "patch"])),
            rule("", json!(["serviceaccounts", "secrets", "persistentvolumeclaims", "services"]), write.clone()),
            rule("networking.k8s.io", json!(["ingresses"]), write.clone()),
            rule("apps", json!(["statefulsets"]), write),
            rule("", json!(["pods"]), json!(["get", "list"])),
            rule("", json!(["events"]), json!(["list"])),
            rule("metrics.k8s.io", json!(["pods"]), json!(["get"])),
        ],
    })
}

fn binding() -> Value {
    json!({
        "metadata": {"name": "platform"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "platform"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "platform"}],
    })
}

impl Plane {
    /// Lets some seconds pass for the worker, and makes a step if one is due.
    async fn wait(&self, id: &str) {
        self.lab.pass(Duration::from_secs(3));
        self.lab.worker.advance(WorkbenchHint { org: self.org, id: id_of(id) }).await.unwrap();
    }

    /// Steps until the workbench is like this.
    async fn until(&self, id: &str, what: &str, is_met: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || {
            self.wait(id).await;
            let found = read(&self.ada, id).await;
            is_met(&found).then_some(found)
        })
        .await
    }

    async fn until_ready(&self, id: &str) -> Value {
        self.until(id, "ready", |found| found["status"] == "ready" && found["runState"] == "running").await
    }

    /// Steps until there is a rejection with this reason and these parts of the cluster's text.
    async fn until_rejected(&self, id: &str, reason: &str, parts: &[&str]) {
        let is_meant = |rejection: &Value| {
            let message = rejection["message"].as_str().unwrap();
            rejection["reason"] == reason && parts.iter().all(|part| message.contains(part))
        };
        let has_it = |found: &Value| found["rejections"].as_array().unwrap().iter().any(is_meant);
        self.until(id, reason, has_it).await;
    }

    async fn until_deleted(&self, id: &str) {
        self.ada.delete(&path(id)).await;
        eventually("the deletion", async || {
            self.wait(id).await;
            (refusal(&self.ada.get(&path(id)).await) == ("404", "LAB_NOT_FOUND")).then_some(())
        })
        .await;
    }

    fn path(&self, group: &str, kind: &str) -> String {
        format!("{group}/namespaces/{}/{kind}", self.namespace)
    }

    /// A pod of somebody else that uses this many cores of the namespace.
    async fn occupy_cores(&self, cores: usize) {
        let amount = json!({"cpu": "1", "memory": "1Mi"});
        let container = |number| {
            let resources = json!({"requests": amount, "limits": amount});
            json!({"name": format!("c{number}"), "image": "other:1", "resources": resources})
        };
        let containers: Vec<_> = (0..cores).map(container).collect();
        let spec = json!({"containers": containers, "automountServiceAccountToken": false});
        self.api.create(&self.path("/api/v1", "pods"), json!({"metadata": {"name": "other"}, "spec": spec})).await;
        self.api.get(&self.path("/api/v1", "pods/other")).await.expect("the pod of somebody else");
    }
}

#[tokio::test]
#[ignore = "needs a control plane: tests/control-plane/run.sh"]
async fn a_workbench_lives_in_the_cluster_and_leaves_nothing_there() {
    let plane = start().await;
    let id = create(&plane.ada, json!({"name": "secret-project"})).await;
    let ready = plane.until_ready(&id).await;
    assert_eq!(ready["dashboardUrl"], format!("https://wb-{}.labs.test/", &id[3..]));
    assert_eq!(ready["usage"]["cpu"], Value::Null, "this control plane measures nothing");

    plane.ada.post(&format!("{}/stop", path(&id))).await;
    plane.until(&id, "stopped", |found| found["runState"] == "stopped").await;
    assert_eq!(plane.api.list(&plane.path("/api/v1", "pods")).await, Vec::<Value>::new());
    assert_eq!(plane.api.list(&plane.path("/api/v1", "persistentvolumeclaims")).await.len(), 1);
    plane.ada.post(&format!("{}/start", path(&id))).await;
    plane.until_ready(&id).await;

    plane.until_deleted(&id).await;
    for (group, kind) in [
        ("/apis/apps/v1", "statefulsets"),
        ("/apis/networking.k8s.io/v1", "ingresses"),
        ("/api/v1", "services"),
        ("/api/v1", "persistentvolumeclaims"),
        ("/api/v1", "pods"),
    ] {
        assert_eq!(plane.api.list(&plane.path(group, kind)).await, Vec::<Value>::new(), "{kind}");
    }
    let accounts = plane.api.list(&plane.path("/api/v1", "serviceaccounts")).await;
    assert!(accounts.iter().all(|account| account["metadata"]["name"] == "default"), "{accounts:?}");
    // The cluster removes these by itself.
    for path in [plane.path("/apis/apps/v1", "controllerrevisions"), "/api/v1/persistentvolumes".to_owned()] {
        eventually(&path, async || plane.api.list(&path).await.is_empty().then_some(())).await;
    }
}

#[tokio::test]
#[ignore = "needs a control plane: tests/control-plane/run.sh"]
async fn a_quota_is_exact_and_its_refusals_end_when_it_is_free() {
    let plane = start().await;
    let first = create(&plane.ada, json!({"name": "lab-0"})).await;
    plane.until_ready(&first).await;
    // Three of eight cores are taken in the cluster, of which the platform knows nothing.
    plane.occupy_cores(3).await;
    let mut ids = vec![first];
    for number in 1..8 {
        ids.push(create(&plane.ada, json!({"name": format!("lab-{number}")})).await);
    }
    let settled = eventually("five are ready and three are refused", async || {
        let (mut ready, mut refused) = (Vec::new(), Vec::new());
        for id in &ids {
            plane.wait(id).await;
            let found = read(&plane.ada, id).await;
            match (&found["status"], &found["rejections"][0]["reason"]) {
                (status, _) if status == "ready" => ready.push(id.clone()),
                (_, reason) if reason == "QUOTA_EXCEEDED" => refused.push(found),
                _ => {}
            }
        }
        (ready.len() + refused.len() == ids.len()).then_some((ready, refused))
    });
    let (ready, refused) = settled.await;
    let quota = plane.api.get(&plane.path("/api/v1", "resourcequotas/workbenches")).await.unwrap();
    assert_eq!(quota["status"]["used"]["requests.cpu"], "8");
    let pods = plane.api.list(&plane.path("/api/v1", "pods")).await;
    assert_eq!((ready.len(), refused.len()), (5, 3), "{pods:?}");
    let message = refused[0]["rejections"][0]["message"].as_str().unwrap();
    for part in
        ["exceeded quota: workbenches", "requested: requests.cpu=1", "used: requests.cpu=8", "limited: requests.cpu=8"]
    {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(refused[0]["status"], "provisioning");

    plane.until_deleted(&ready[0]).await;
    let freed = eventually("another one is ready", async || {
        for found in &refused {
            let id = found["id"].as_str().unwrap();
            plane.wait(id).await;
            if read(&plane.ada, id).await["status"] == "ready" {
                return Some(id.to_owned());
            }
        }
        None
    });
    freed.await;
}

#[tokio::test]
#[ignore = "needs a control plane: tests/control-plane/run.sh"]
async fn the_refusals_of_the_cluster_are_shown_with_their_reasons() {
    let plane = start().await;
    let first = create(&plane.ada, json!({"name": "first"})).await;
    plane.until_ready(&first).await;

    // The storage of the namespace is taken.
    let claim = json!({
        "metadata": {"name": "other"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "none", "resources": {"requests": {"storage": "19Gi"}}},
    });
    plane.api.create(&plane.path("/api/v1", "persistentvolumeclaims"), claim).await;
    let id = create(&plane.ada, json!({"name": "storage"})).await;
    let text = ["exceeded quota: workbenches", "requested: requests.storage=1Gi", "limited: requests.storage=20Gi"];
    plane.until_rejected(&id, "QUOTA_EXCEEDED", &text).await;
    plane.api.delete(&plane.path("/api/v1", "persistentvolumeclaims/other"), Value::Null).await;
    plane.until_ready(&id).await;
    plane.until_deleted(&id).await;

    // No node has the memory of a GPU, until one is added.
    let resources = json!({"cpu": "1", "memory": "1Gi", "gpumem": "8Gi", "storage": "1Gi"});
    let id = create(&plane.ada, json!({"name": "gpu", "resources": resources})).await;
    plane.until_rejected(&id, "UNSCHEDULABLE", &["Insufficient nvidia.com/gpumem"]).await;
    plane.node.add_gpu_memory(16 * 1024);
    plane.until_ready(&id).await;
    plane.until_deleted(&id).await;

    // The operator of the cluster has set a lower limit.
    let range =
        json!({"metadata": {"name": "other"}, "spec": {"limits": [{"type": "Container", "max": {"cpu": "500m"}}]}});
    plane.api.create(&plane.path("/api/v1", "limitranges"), range).await;
    let id = create(&plane.ada, json!({"name": "limit"})).await;
    plane.until_rejected(&id, "LIMIT_RANGE", &["maximum cpu usage per Container is 500m"]).await;
    plane.until(&id, "failed", |found| found["status"] == "failed").await;
    plane.api.delete(&plane.path("/api/v1", "limitranges/other"), Value::Null).await;
    // The event of the failed attempt is still there, and does not count.
    plane.ada.post(&format!("{}/start", path(&id))).await;
    plane.until_ready(&id).await;
    plane.until_deleted(&id).await;

    // These states come from the kubelet.
    for (status, reason, text) in [
        (PodStatus::ImagePullBackOff, "IMAGE_PULL", "Back-off pulling image"),
        (PodStatus::OomKilled, "OOM_KILLED", "exceeded its memory"),
    ] {
        plane.node.report(status);
        let id = create(&plane.ada, json!({"name": "pod"})).await;
        plane.until_rejected(&id, reason, &[text]).await;
        plane.until(&id, "failed", |found| found["status"] == "failed").await;
        plane.node.report(PodStatus::Ready);
        plane.until_deleted(&id).await;
    }
}

#[tokio::test]
#[ignore = "needs a control plane: tests/control-plane/run.sh"]
async fn a_deletion_names_what_the_cluster_does_not_release() {
    let plane = start().await;
    let id = create(&plane.ada, json!({"name": "lab"})).await;
    plane.until_ready(&id).await;
    let claim = plane.path("/api/v1", &format!("persistentvolumeclaims/wb-{}", &id[3..]));
    plane.api.patch(&claim, json!({"metadata": {"finalizers": ["example.com/hold"]}})).await;
    plane.ada.delete(&path(&id)).await;
    plane.wait(&id).await;
    plane.lab.pass(Duration::from_secs(5 * 60));
    plane.until_rejected(&id, "DELETION_BLOCKED", &["PersistentVolumeClaim wb-", "example.com/hold"]).await;
    plane.api.patch(&claim, json!({"metadata": {"finalizers": null}})).await;
    plane.until_deleted(&id).await;
}

#[tokio::test]
#[ignore = "needs a control plane: tests/control-plane/run.sh"]
async fn a_missing_permission_is_shown_until_it_is_granted() {
    let plane = start().await;
    plane.api.delete(&format!("{BINDINGS}/platform"), Value::Null).await;
    let id = create(&plane.ada, json!({"name": "lab"})).await;
    plane.until_rejected(&id, "FORBIDDEN", &["User \"platform\" cannot"]).await;
    plane.api.create(BINDINGS, binding()).await;
    plane.until_ready(&id).await;
}
