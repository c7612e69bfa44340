//! Workbenches in a Kubernetes cluster, over a fake API server.

use ::kubernetes::{Kubernetes, OrgLimits, Settings};
use domain::workbench::Resources;
use futures::FutureExt;
use http::StatusCode;
use serde_json::json;
use tests::client::refusal;
use tests::kubernetes::FakeApiServer;

use super::*;

async fn start() -> (Lab, FakeApiServer) {
    let settings: Settings = serde_json::from_value(json!({
        "connection": {"kubeconfig": "unused"}, "domain": "labs.test", "ingress_class": "nginx",
        "ingress_namespace": "ingress", "ingress_annotations": {"auth-url": "https://atelier.test/workbenches/v1/{id}"},
        "scheduler": "hami-scheduler", "node_selector": {"pool": "labs"},
    }))
    .unwrap();
    let most = Resources { cpu: 8_000, memory: 16 << 30, gpumem: 16 * 1024, storage: 100 << 30 };
    let limits = move |_| async move { Ok(Some(OrgLimits { capacity: most, ceiling: most })) }.boxed();
    let server = FakeApiServer::default();
    let backend = Kubernetes::new(server.cluster(), settings, Arc::new(limits));
    (Lab::with_backend(TestApp::start().await, Arc::new(backend)), server)
}

/// The parts of paths without ids.
fn kinds(server: &FakeApiServer) -> Vec<String> {
    let kind = |path: String| path.rsplit('/').nth(1).unwrap().to_owned();
    let mut kinds: Vec<_> = server.paths().into_iter().map(kind).collect();
    kinds.sort();
    kinds
}

const OF_ORGANIZATION: [&str; 4] = ["limitranges", "namespaces", "networkpolicies", "resourcequotas"];

#[tokio::test]
async fn a_workbench_lives_in_the_cluster_and_leaves_nothing_there() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    server.set_metrics(json!([{"name": "lab", "usage": {"cpu": "123456789n", "memory": "204800Ki"}}]));
    let id = lab.ready(&ada, "secret-project").await;
    let ready = read(&ada, &id).await;
    let hex = &id[3..];
    assert_eq!(ready["dashboardUrl"], format!("https://wb-{hex}.labs.test/"));
    assert_eq!(ready["usage"], json!({"cpu": "124m", "memory": "200Mi", "gpumem": null, "storage": null}));
    let of_workbench = ["ingresses", "persistentvolumeclaims", "pods", "serviceaccounts", "services", "statefulsets"];
    let mut all = [OF_ORGANIZATION.as_slice(), &of_workbench].concat();
    all.sort_unstable();
    assert_eq!(kinds(&server), all);
    for path in server.paths() {
        assert!(!path.contains("secret-project"), "{path}: the text of a user must not name an object");
    }
    let ingress = server.only("ingresses");
    assert_eq!(ingress["metadata"]["annotations"]["auth-url"], format!("https://atelier.test/workbenches/v1/{id}"));

    let before = server.writes();
    lab.pass(Duration::from_secs(60));
    lab.step(&id).await;
    assert_eq!(server.writes(), before, "a workbench that runs is only read");

    ada.post(&format!("{}/stop", path(&id))).await;
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["runState"], "stopped");
    let left = kinds(&server);
    assert!(!left.contains(&"pods".to_owned()) && left.contains(&"persistentvolumeclaims".to_owned()), "{left:?}");
    ada.post(&format!("{}/start", path(&id))).await;
    for _ in 0..10 {
        lab.wait(&id).await;
    }
    assert_eq!(read(&ada, &id).await["runState"], "running");

    ada.delete(&path(&id)).await;
    for _ in 0..10 {
        lab.wait(&id).await;
    }
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    assert_eq!(kinds(&server), OF_ORGANIZATION);
}

#[tokio::test]
async fn the_resources_of_a_workbench_are_those_of_its_pod() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let custom = json!({"cpu": "1.5", "memory": "1024Mi", "gpumem": "16Gi", "storage": "5Gi"});
    let id = create(&ada, json!({"name": "gpu", "resources": custom})).await;
    lab.settle(&id).await;
    let pod = server.only("pods");
    let expected = json!({"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": "1", "nvidia.com/gpumem": "16384"});
    let resources = &pod["spec"]["containers"][0]["resources"];
    assert_eq!((&resources["requests"], &resources["limits"]), (&expected, &expected));
    assert_eq!(
        (&pod["spec"]["schedulerName"], &pod["spec"]["nodeSelector"]),
        (&json!("hami-scheduler"), &json!({"pool": "labs"}))
    );
    assert_eq!(server.only("persistentvolumeclaims")["spec"]["resources"]["requests"]["storage"], "5Gi");
    let hard = &server.only("resourcequotas")["spec"]["hard"];
    assert_eq!((&hard["requests.cpu"], &hard["requests.nvidia.com/gpumem"]), (&json!("8"), &json!("16384")));
    ada.delete(&path(&id)).await;
    lab.settle(&id).await;
    lab.ready(&ada, "plain").await;
    let plain = server.only("pods")["spec"]["containers"][0]["resources"]["limits"].clone();
    assert_eq!(plain.as_object().unwrap().len(), 2, "without GPU memory the pod gets no GPU: {plain}");
}

/// A state of a container, as the kubelet reports it.
fn container(state: Value, last_state: Value) -> Value {
    json!({"phase": "Pending", "containerStatuses": [{"name": "lab", "image": "base:1", "imageID": "", "ready": false,
        "restartCount": 1, "state": state, "lastState": last_state}]})
}

fn waiting(reason: &str, message: &str) -> Value {
    container(json!({"waiting": {"reason": reason, "message": message}}), json!({}))
}

#[tokio::test]
async fn what_the_cluster_refuses_is_shown_with_its_reason() {
    const QUOTA: &str =
        "exceeded quota: workbenches, requested: requests.cpu=1, used: requests.cpu=8, limited: requests.cpu=8";
    const LIMIT: &str = "create Pod wb-0 failed: maximum cpu usage per Container is 3, but limit is 3500m";
    let unschedulable = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpumem."}]});
    let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-01T09:30:00Z"}});
    let ended = container(json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}), killed);
    type Script = Box<dyn Fn(&FakeApiServer)>;
    let pod = |status: Value| -> Script { Box::new(move |server| server.set_pod_status(Some(status.clone()))) };
    let create_fails = |message: &'static str| -> Script { Box::new(move |server| server.fail_create(Some(message))) };
    let refused =
        |kind, status, message| -> Script { Box::new(move |server| server.refuse(Some((kind, status, message)))) };
    let cases: [(Script, &str, &str, &str); 9] = [
        (refused("persistentvolumeclaims", StatusCode::FORBIDDEN, QUOTA), "failed", "QUOTA_EXCEEDED", "requests.cpu=1"),
        (
            refused("statefulsets", StatusCode::UNPROCESSABLE_ENTITY, "invalid image"),
            "failed",
            "INVALID",
            "invalid image",
        ),
        (create_fails(LIMIT), "failed", "LIMIT_RANGE", "limit is 3500m"),
        (create_fails(QUOTA), "provisioning", "QUOTA_EXCEEDED", "used: requests.cpu=8"),
        (pod(unschedulable), "provisioning", "UNSCHEDULABLE", "Insufficient nvidia.com/gpumem"),
        (pod(ended), "failed", "OOM_KILLED", "exceeded its memory"),
        (pod(waiting("ImagePullBackOff", "not found: base:1")), "failed", "IMAGE_PULL", "not found: base:1"),
        (pod(waiting("CreateContainerConfigError", "no user")), "failed", "CONTAINER_CONFIG", "no user"),
        (pod(waiting("CrashLoopBackOff", "back-off 5m0s")), "failed", "CRASH_LOOP", "back-off"),
    ];
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    for (number, (script, status, reason, message)) in cases.into_iter().enumerate() {
        script(&server);
        let id = create(&ada, json!({"name": format!("lab-{number}")})).await;
        for _ in 0..4 {
            lab.wait(&id).await;
        }
        let found = read(&ada, &id).await;
        let rejection = &found["rejections"][0];
        assert_eq!((found["status"].as_str(), rejection["reason"].as_str()), (Some(status), Some(reason)), "{found}");
        assert!(rejection["message"].as_str().unwrap().contains(message), "{rejection}");
        server.refuse(None);
        server.fail_create(None);
        server.set_pod_status(None);
        if status == "provisioning" {
            lab.settle(&id).await;
            assert_eq!(read(&ada, &id).await["status"], "ready", "{reason} ends by itself");
        }
        ada.delete(&path(&id)).await;
        lab.settle(&id).await;
        assert_eq!(kinds(&server), OF_ORGANIZATION, "{reason}");
    }
}

#[tokio::test]
async fn a_conflict_is_tried_again_and_an_unscheduled_pod_fails_at_the_deadline() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    server.refuse(Some(("resourcequotas", StatusCode::CONFLICT, "the object has been modified")));
    let id = create(&ada, json!({"name": "lab"})).await;
    for _ in 0..3 {
        lab.wait(&id).await;
    }
    assert_eq!(read(&ada, &id).await["status"], "provisioning");
    assert_eq!(read(&ada, &id).await["rejections"], json!([]));
    server.refuse(None);
    server.set_pod_status(Some(json!({"phase": "Pending"})));
    lab.wait(&id).await;
    lab.pass(Duration::from_secs(15 * 60));
    lab.settle(&id).await;
    let failed = read(&ada, &id).await;
    assert_eq!(
        (&failed["status"], &failed["rejections"][0]["reason"]),
        (&json!("failed"), &json!("PROVISIONING_TIMEOUT"))
    );
    assert_eq!(server.only("statefulsets")["spec"]["replicas"], 0, "a failed workbench uses nothing but its storage");
}

#[tokio::test]
async fn a_ready_workbench_shows_that_it_was_ended_for_its_memory() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    assert_eq!(read(&ada, &id).await["usage"]["cpu"], Value::Null, "a cluster without metrics measures nothing");
    let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-01T09:30:00Z"}});
    server.set_pod_status(Some(container(json!({"running": {}}), killed)));
    lab.pass(Duration::from_secs(60));
    lab.step(&id).await;
    let found = read(&ada, &id).await;
    assert_eq!((&found["status"], &found["rejections"][0]["reason"]), (&json!("ready"), &json!("OOM_KILLED")));
}

#[tokio::test]
async fn an_object_of_someone_else_is_not_deleted() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    server.change("persistentvolumeclaims", |claim| claim["metadata"]["labels"]["atelier/workbench"] = "other".into());
    ada.delete(&path(&id)).await;
    for _ in 0..5 {
        lab.wait(&id).await;
    }
    let found = read(&ada, &id).await;
    assert_eq!((&found["status"], &found["rejections"][0]["reason"]), (&json!("deleting"), &json!("BACKEND_ERROR")));
    assert_eq!(server.only("persistentvolumeclaims")["metadata"]["labels"]["atelier/workbench"], "other");
}
