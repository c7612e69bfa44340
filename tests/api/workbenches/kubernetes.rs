//! Workbenches in a Kubernetes cluster, over a fake API server.

mod login;
mod programs;

use ::kubernetes::{Kubernetes, OrgLimits, Settings};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::workbench::Resources;
use futures::FutureExt;
use http::StatusCode;
use serde_json::json;
use store::workbenches::CLAIM;
use tests::client::refusal;
use tests::gateway::CHAT;
use tests::kubernetes::FakeApiServer;

use super::*;

fn settings() -> Value {
    json!({
        "connection": "kubeconfig", "domain": "labs.test", "ingress_class": "nginx",
        "ingress_namespace": "ingress", "ingress_annotations": {"auth-url": "https://access.test/check/{id}"},
        "scheduler": "hami-scheduler", "node_selector": {"pool": "labs"},
    })
}

fn backend(app: &TestApp, server: &FakeApiServer, settings: &Value) -> Arc<Kubernetes> {
    let capacity = Resources { cpu: 8_000, memory: 16 << 30, gpumem: 16 * 1024, storage: 100 << 30 };
    let limits = OrgLimits { capacity, ceiling: capacity, max_workbenches: 5 };
    let read_limits = move |_| async move { Ok(Some(limits)) }.boxed();
    let settings = Settings::read(&settings.to_string()).unwrap();
    let environments =
        Environments::new(&app.platform.context_of("workbench-worker"), Some("https://atelier.test/")).unwrap();
    Arc::new(Kubernetes::new(server.cluster(), settings, Arc::new(read_limits), environments))
}

async fn start() -> (Lab, FakeApiServer) {
    let server = FakeApiServer::default();
    let app = TestApp::start().await;
    let backend = backend(&app, &server, &settings());
    (Lab::with_backend(app, backend), server)
}

/// Makes enough steps for any change.
async fn finish(lab: &Lab, id: &str) {
    for _ in 0..8 {
        lab.pass(Duration::from_secs(20));
        lab.worker.advance(lab.hint(id)).await.unwrap();
    }
}

/// The parts of paths without ids.
fn kinds(server: &FakeApiServer) -> Vec<String> {
    let kind = |path: String| path.rsplit('/').nth(1).unwrap().to_owned();
    let mut kinds: Vec<_> = server.paths().into_iter().map(kind).collect();
    kinds.sort();
    kinds
}

const ORGANIZATION_KINDS: [&str; 4] = ["limitranges", "namespaces", "networkpolicies", "resourcequotas"];

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
    let workbench_kinds =
        ["ingresses", "persistentvolumeclaims", "pods", "secrets", "serviceaccounts", "services", "statefulsets"];
    let mut all = [ORGANIZATION_KINDS.as_slice(), &workbench_kinds].concat();
    all.sort_unstable();
    assert_eq!(kinds(&server), all);
    for path in server.paths() {
        assert!(!path.contains("secret-project"), "{path}: the text of a user must not name an object");
    }
    let ingress = server.only("ingresses");
    assert_eq!(ingress["metadata"]["annotations"]["auth-url"], format!("https://access.test/check/{id}"));

    let before = server.writes();
    lab.pass(Duration::from_secs(60));
    lab.step(&id).await;
    assert_eq!(server.writes(), before, "a workbench that runs is only read");

    ada.post(&format!("{}/stop", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["runState"], "stopped");
    let left = kinds(&server);
    assert!(!left.contains(&"pods".to_owned()) && left.contains(&"persistentvolumeclaims".to_owned()), "{left:?}");
    ada.post(&format!("{}/start", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["runState"], "running");

    ada.delete(&path(&id)).await;
    finish(&lab, &id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    assert_eq!(kinds(&server), ORGANIZATION_KINDS);
}

#[tokio::test]
async fn the_resources_of_a_workbench_are_those_of_its_pod() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let custom = json!({"cpu": "1.5", "memory": "1024Mi", "gpumem": "16Gi", "storage": "5Gi"});
    let id = create(&ada, json!({"name": "gpu", "resources": custom})).await;
    finish(&lab, &id).await;
    let pod = server.only("pods");
    let expected = json!({"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": "1", "nvidia.com/gpumem": "16384"});
    let resources = &pod["spec"]["containers"][0]["resources"];
    assert_eq!((&resources["requests"], &resources["limits"]), (&expected, &expected));
    assert_eq!(
        (&pod["spec"]["schedulerName"], &pod["spec"]["nodeSelector"]),
        (&json!("hami-scheduler"), &json!({"pool": "labs"}))
    );
    assert_eq!(server.only("persistentvolumeclaims")["spec"]["resources"]["requests"]["storage"], "5Gi");
    let environment = &pod["spec"]["containers"][0]["env"];
    assert_eq!(environment[1], json!({"name": "NOTEBOOK_ARGS", "value": "--IdentityProvider.token="}));
    let dns = &server.only("networkpolicies")["spec"]["egress"][0]["to"];
    let pods = json!([{"namespaceSelector": {}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}]);
    assert_eq!(dns, &pods, "an address outside of the cluster must not be reached on the port of DNS");
    let hard = &server.only("resourcequotas")["spec"]["hard"];
    assert_eq!((&hard["requests.cpu"], &hard["requests.nvidia.com/gpumem"]), (&json!("8"), &json!("16384")));
    assert_eq!((&hard["persistentvolumeclaims"], &hard["requests.nvidia.com/gpu"]), (&json!("5"), &json!("5")));
    ada.delete(&path(&id)).await;
    finish(&lab, &id).await;
    lab.ready(&ada, "plain").await;
    let plain = server.only("pods")["spec"]["containers"][0]["resources"]["limits"].clone();
    assert_eq!(plain.as_object().unwrap().len(), 2, "without GPU memory the pod gets no GPU: {plain}");
}

/// A state of a container, as the kubelet reports it.
fn container(restarts: u64, state: Value, last_state: Value) -> Value {
    let status = |name: &str| {
        json!({"name": name, "image": "base:1", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": "PodInitializing"}}})
    };
    let mut lab = status("lab");
    lab["restartCount"] = restarts.into();
    lab["state"] = state;
    lab["lastState"] = last_state;
    // A webhook of the cluster has added another container.
    json!({"phase": "Pending", "containerStatuses": [status("istio-proxy"), lab]})
}

fn waiting(reason: &str, message: &str) -> Value {
    container(3, json!({"waiting": {"reason": reason, "message": message}}), json!({}))
}

#[tokio::test]
async fn what_the_cluster_refuses_is_shown_with_its_reason() {
    const QUOTA: &str =
        "exceeded quota: workbenches, requested: requests.cpu=1, used: requests.cpu=8, limited: requests.cpu=8";
    const LIMIT: &str = "create Pod wb-0 failed: maximum cpu usage per Container is 3, but limit is 3500m";
    let unschedulable = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpumem."}]});
    let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-01T09:30:00Z"}});
    let ended = container(1, json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}), killed);
    type Script = Box<dyn Fn(&FakeApiServer)>;
    let pod = |status: Value| -> Script { Box::new(move |server| server.set_pod_status(Some(status.clone()))) };
    let create_fails = |message: &'static str| -> Script { Box::new(move |server| server.fail_create(Some(message))) };
    let refused =
        |kind, status, message| -> Script { Box::new(move |server| server.refuse(Some((kind, status, message)))) };
    let restarted = container(2, json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}), json!({}));
    const ROLE: &str = "statefulsets.apps is forbidden: User \"atelier\" cannot patch resource \"statefulsets\"";
    let cases: [(Script, &str, &str, &str); 11] = [
        (
            refused("persistentvolumeclaims", StatusCode::FORBIDDEN, QUOTA),
            "provisioning",
            "QUOTA_EXCEEDED",
            "requests.cpu=1",
        ),
        (refused("statefulsets", StatusCode::FORBIDDEN, ROLE), "provisioning", "FORBIDDEN", "cannot patch"),
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
        (pod(restarted), "provisioning", "CRASH_LOOP", "back-off"),
        (pod(waiting("CrashLoopBackOff", "back-off 5m0s")), "failed", "CRASH_LOOP", "back-off"),
    ];
    for (script, status, reason, message) in cases {
        // The clock of a worker runs ahead, so one platform for all cases would reach the deadlines.
        let (lab, server) = start().await;
        let ada = lab.app.person("ada");
        script(&server);
        let id = create(&ada, json!({"name": "lab"})).await;
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
            finish(&lab, &id).await;
            assert_eq!(read(&ada, &id).await["status"], "ready", "{reason} ends by itself");
        }
        ada.delete(&path(&id)).await;
        finish(&lab, &id).await;
        assert_eq!(kinds(&server), ORGANIZATION_KINDS, "{reason}");
    }
}

#[tokio::test]
async fn a_temporary_refusal_is_tried_again_and_an_unscheduled_pod_fails_at_the_deadline() {
    const UNKNOWN: &str = "wb-0 is forbidden: status unknown for quota: workbenches, resources: requests.cpu";
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let mut id = String::new();
    for (number, (kind, status, message)) in [
        ("resourcequotas", StatusCode::CONFLICT, "the object has been modified"),
        ("limitranges", StatusCode::NOT_FOUND, "namespaces \"wb-0\" not found"),
        ("persistentvolumeclaims", StatusCode::FORBIDDEN, UNKNOWN),
    ]
    .into_iter()
    .enumerate()
    {
        server.refuse(Some((kind, status, message)));
        id = create(&ada, json!({"name": format!("lab-{number}")})).await;
        for _ in 0..3 {
            lab.wait(&id).await;
        }
        assert_eq!(read(&ada, &id).await["status"], "provisioning");
        assert_eq!(read(&ada, &id).await["rejections"], json!([]), "{message}");
        server.refuse(None);
        server.fail_create(Some(UNKNOWN));
        lab.wait(&id).await;
        lab.wait(&id).await;
        assert_eq!(read(&ada, &id).await["rejections"], json!([]), "{message}");
        server.fail_create(None);
        if number < 2 {
            finish(&lab, &id).await;
            ada.delete(&path(&id)).await;
            finish(&lab, &id).await;
        }
    }
    server.set_pod_status(Some(json!({"phase": "Pending"})));
    lab.wait(&id).await;
    lab.pass(Duration::from_secs(15 * 60));
    finish(&lab, &id).await;
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
    server.set_pod_status(Some(container(1, json!({"running": {}}), killed)));
    lab.pass(Duration::from_secs(60));
    lab.step(&id).await;
    let found = read(&ada, &id).await;
    assert_eq!((&found["status"], &found["rejections"][0]["reason"]), (&json!("ready"), &json!("OOM_KILLED")));
    assert_eq!(found["runState"], "starting", "its new container is not ready yet");
}

#[tokio::test]
async fn usage_that_cannot_be_read_is_unknown_and_nothing_else_changes() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    server.set_metrics(json!([{"name": "lab", "usage": {"cpu": "1", "memory": "1Gi"}}]));
    let id = lab.ready(&ada, "lab").await;
    assert_eq!(read(&ada, &id).await["usage"]["cpu"], "1");
    for (status, body) in [
        (StatusCode::FORBIDDEN, "{}"),
        (StatusCode::NOT_FOUND, "404 page not found"),
        (StatusCode::INTERNAL_SERVER_ERROR, "{}"),
        (StatusCode::SERVICE_UNAVAILABLE, "no endpoints available"),
        (StatusCode::OK, "not JSON"),
    ] {
        server.answer_metrics(status, body);
        lab.pass(Duration::from_secs(60));
        lab.step(&id).await;
        let found = read(&ada, &id).await;
        assert_eq!((&found["runState"], &found["rejections"]), (&json!("running"), &json!([])), "{status}");
        assert_eq!(found["usage"]["cpu"], Value::Null, "{status}");
    }
}

/// A change whose answer is lost may take effect at any later time, so no other step may begin before.
#[tokio::test]
async fn a_change_without_an_answer_keeps_the_claim_until_it_expires() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    server.lose_answers(Some("services"));
    let id = create(&ada, json!({"name": "lab"})).await;
    // The first step applies the objects of the organization.
    lab.wait(&id).await;
    lab.wait(&id).await;
    assert_eq!(read(&ada, &id).await["rejections"][0]["reason"], "BACKEND_ERROR");
    server.lose_answers(None);
    let writes = server.writes();
    lab.pass(CLAIM - Duration::from_secs(10));
    lab.step(&id).await;
    assert_eq!(server.writes(), writes, "no other step may begin");
    lab.pass(Duration::from_secs(20));
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["status"], "ready");

    // The API server itself may have timed out before its database did.
    server.refuse(Some(("statefulsets", StatusCode::GATEWAY_TIMEOUT, "the request did not complete")));
    ada.post(&format!("{}/stop", path(&id))).await;
    lab.wait(&id).await;
    server.refuse(None);
    lab.wait(&id).await;
    assert_eq!(read(&ada, &id).await["runState"], "stopping");
    lab.pass(CLAIM);
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["runState"], "stopped");
}

#[tokio::test]
async fn changed_settings_restart_no_lab_and_keep_its_storage() {
    let (mut lab, server) = start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    let (pod, claim) = (server.only("pods"), server.only("persistentvolumeclaims"));
    let mut changed = settings();
    changed["storage_class"] = "fast".into();
    changed["node_selector"] = json!({"pool": "new"});
    lab.worker = Provisioner::new(&lab.context(), backend(&lab.app, &server, &changed)).unwrap();
    lab.pass(Duration::from_secs(60));
    finish(&lab, &id).await;
    let found = read(&ada, &id).await;
    assert_eq!((&found["runState"], &found["rejections"]), (&json!("running"), &json!([])));
    assert_eq!(server.only("statefulsets")["spec"]["template"]["spec"]["nodeSelector"]["pool"], "new");
    assert_eq!((&server.only("pods")["spec"], &server.only("persistentvolumeclaims")), (&pod["spec"], &claim));
    ada.post(&format!("{}/stop", path(&id))).await;
    finish(&lab, &id).await;
    ada.post(&format!("{}/start", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["runState"], "running");
    assert_eq!(server.only("pods")["spec"]["nodeSelector"]["pool"], "new", "its next start uses them");
}

#[tokio::test]
async fn a_pod_counts_only_while_it_stays_and_is_ready() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    let deleted = |pod: &mut Value| pod["metadata"]["deletionTimestamp"] = "2026-03-01T09:30:00Z".into();
    let not_ready = |pod: &mut Value| pod["status"]["conditions"][0]["status"] = "False".into();
    for change in [deleted as fn(&mut Value), not_ready] {
        // The stateful set still counts one ready pod.
        server.change("pods", change);
        assert_eq!(server.only("statefulsets")["status"]["readyReplicas"], 1);
        lab.pass(Duration::from_secs(60));
        lab.step(&id).await;
        assert_eq!(read(&ada, &id).await["runState"], "starting");
        server.set_pod_status(None);
        finish(&lab, &id).await;
        assert_eq!(read(&ada, &id).await["runState"], "running");
    }
}

#[tokio::test]
async fn events_of_earlier_runs_do_not_count() {
    const LIMIT: &str = "create Pod wb-0 failed: maximum cpu usage per Container is 3, but limit is 3500m";
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let (old, new) = ("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z");
    for (number, (times, status)) in [
        (json!({"lastTimestamp": old}), "provisioning"),
        (json!({"lastTimestamp": null, "eventTime": "2020-01-01T00:00:00.000001Z"}), "provisioning"),
        (json!({"lastTimestamp": null}), "provisioning"),
        (json!({"lastTimestamp": new}), "failed"),
        (json!({"lastTimestamp": null, "eventTime": "2100-01-01T00:00:00.000001Z"}), "failed"),
        (
            json!({"lastTimestamp": old, "series": {"count": 2, "lastObservedTime": "2100-01-01T00:00:00.000001Z"}}),
            "failed",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        server.fail_create(Some(LIMIT));
        server.set_event_times(times.clone());
        let id = create(&ada, json!({"name": format!("lab-{number}")})).await;
        for _ in 0..3 {
            lab.wait(&id).await;
        }
        assert_eq!(read(&ada, &id).await["status"], status, "{times}");
        server.fail_create(None);
        finish(&lab, &id).await;
        ada.delete(&path(&id)).await;
        finish(&lab, &id).await;
    }
}

#[tokio::test]
async fn the_deletion_of_a_lab_leaves_the_others_untouched() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let (kept, deleted) = (lab.ready(&ada, "kept").await, lab.ready(&ada, "deleted").await);
    let before = server.objects(&kept[3..]);
    assert_eq!(before.len(), 7);
    ada.delete(&path(&deleted)).await;
    finish(&lab, &deleted).await;
    assert_eq!(refusal(&ada.get(&path(&deleted)).await), ("404", "LAB_NOT_FOUND"));
    assert_eq!(server.objects(&deleted[3..]).len(), 0);
    assert_eq!(server.objects(&kept[3..]), before);
    lab.pass(Duration::from_secs(60));
    lab.step(&kept).await;
    assert_eq!(read(&ada, &kept).await["runState"], "running");
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

#[tokio::test]
async fn a_deletion_names_what_the_cluster_does_not_release() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    server.change("persistentvolumeclaims", |claim| claim["metadata"]["finalizers"] = json!(["example.com/snapshot"]));
    ada.delete(&path(&id)).await;
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["rejections"], json!([]), "most deletions take some time");
    lab.pass(Duration::from_secs(5 * 60));
    finish(&lab, &id).await;
    let found = read(&ada, &id).await;
    let rejection = &found["rejections"][0];
    assert_eq!((&found["status"], &rejection["reason"]), (&json!("deleting"), &json!("DELETION_BLOCKED")));
    let claim = format!("PersistentVolumeClaim wb-{} (finalizers: example.com/snapshot)", &id[3..]);
    assert!(rejection["message"].as_str().unwrap().ends_with(&claim), "{rejection}");
    assert_eq!(event_types(&ada, &id).await.last().unwrap(), "rejected");

    server.change("persistentvolumeclaims", |claim| claim["metadata"]["finalizers"] = Value::Null);
    finish(&lab, &id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    assert_eq!(kinds(&server), ORGANIZATION_KINDS);
}
