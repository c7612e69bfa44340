//! What the programs of a lab in a cluster get: variables, packages, the shared folder and a key.

use super::*;

#[tokio::test]
async fn the_variables_of_a_workbench_are_in_a_secret_that_is_deleted_with_it() {
    let (lab, server) = start().await;
    // Without a key.
    put_plan(&lab.app, plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}))).await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab", "env": {"A": "1"}, "secrets": {"HF_TOKEN": "hf_secret"}})).await;
    finish(&lab, &id).await;
    let data = |server: &FakeApiServer| server.only("secrets")["data"].clone();
    assert_eq!(data(&server), json!({"A": "MQ==", "HF_TOKEN": "aGZfc2VjcmV0"}));
    let container = &server.only("pods")["spec"]["containers"][0];
    assert_eq!(container["envFrom"], json!([{"secretRef": {"name": format!("wb-{}", &id[3..])}}]));
    for object in ["statefulsets", "pods"] {
        assert!(!server.only(object).to_string().contains("hf_secret"), "only the secret contains the value");
    }
    let before = server.writes();
    ada.patch(&format!("{}/variables", path(&id)), json!({"env": {"A": null}, "secrets": {"B": "2"}})).await;
    finish(&lab, &id).await;
    assert_eq!(server.writes(), before, "a workbench that runs keeps its variables");
    ada.post(&format!("{}/stop", path(&id))).await;
    finish(&lab, &id).await;
    ada.post(&format!("{}/start", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(data(&server), json!({"B": "Mg==", "HF_TOKEN": "aGZfc2VjcmV0"}));
    ada.delete(&path(&id)).await;
    finish(&lab, &id).await;
    assert!(!kinds(&server).contains(&"secrets".to_owned()));
}

#[tokio::test]
async fn a_lab_of_jupyter_keeps_its_packages_by_a_container_that_runs_first() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    let images = json!([
        {"name": "jupyter", "reference": "jupyter:1", "command": ["jupyter", "lab"]},
        {"name": "python", "reference": "python:1", "python_packages": true},
        {"name": "plain", "reference": "plain:1", "command": ["jupyter", "lab"], "python_packages": false},
        {"name": "other", "reference": "other:1"},
    ]);
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    plan["workbenches"]["images"] = images;
    // The clock of a worker runs ahead, and that must not count.
    plan["workbenches"]["provisioning_timeout_minutes"] = 1440.into();
    put_plan(&lab.app, plan).await;
    let stored = lab.app.operator().get("/gateway/v1/admin/plans/default").await.json;
    let shown: Vec<_> = stored["workbenches"]["images"].as_array().unwrap().iter().collect();
    let shown: Vec<_> = shown.iter().map(|image| image["python_packages"].clone()).collect();
    assert_eq!(shown, [json!(true), json!(true), json!(false), json!(false)]);
    for (image, keeps) in [("jupyter", true), ("python", true), ("plain", false), ("other", false)] {
        let new = json!({"name": image, "image": image, "env": {"A": "1"},
            "resources": {"cpu": "1", "memory": "1Gi", "gpumem": "8Gi", "storage": "1Gi"}});
        let id = create(&ada, new).await;
        finish(&lab, &id).await;
        let pod = server.only("pods")["spec"].clone();
        let (main, first) = (&pod["containers"][0], &pod["initContainers"][0]);
        let searched = "/home/lab/.atelier/jupyter:/home/lab/.atelier/python/share/jupyter";
        let variable = json!({"name": "JUPYTER_PATH", "value": searched});
        assert_eq!(main["env"].as_array().unwrap().contains(&variable), keeps, "{image}");
        if keeps {
            assert_eq!((&first["image"], &first["volumeMounts"]), (&main["image"], &main["volumeMounts"]));
            assert_eq!(first["resources"]["limits"], json!({"cpu": "1", "memory": "1Gi"}), "it needs no GPU");
            assert_eq!((&first["envFrom"], &first["securityContext"]), (&Value::Null, &main["securityContext"]));
            let script = first["command"][2].as_str().unwrap();
            assert!(script.contains("venv.EnvBuilder") && script.contains("command -v python3"), "{script}");
            assert!(!script.contains("$$"), "Kubernetes replaces it by one dollar sign");
        } else {
            assert_eq!(*first, Value::Null, "{image}");
        }
        ada.delete(&path(&id)).await;
        finish(&lab, &id).await;
    }
}

#[tokio::test]
async fn the_failures_of_the_container_that_runs_first_are_shown() {
    let waits = json!({"waiting": {"reason": "PodInitializing"}});
    let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-01T09:30:00Z"}});
    for (state, reason) in [
        (json!({"waiting": {"reason": "ImagePullBackOff", "message": "not found"}}), "IMAGE_PULL"),
        (json!({"waiting": {"reason": "CreateContainerError", "message": "no /bin/sh"}}), "CONTAINER_CONFIG"),
        (killed, "OOM_KILLED"),
    ] {
        let (lab, server) = start().await;
        let ada = lab.app.person("ada");
        let mut status = container(0, waits.clone(), json!({}));
        status["initContainerStatuses"] = json!([{"name": "python", "image": "base:1", "imageID": "", "ready": false,
            "restartCount": 0, "state": state}]);
        server.set_pod_status(Some(status.clone()));
        let id = create(&ada, json!({"name": "lab"})).await;
        for _ in 0..4 {
            lab.wait(&id).await;
        }
        let found = read(&ada, &id).await;
        assert_eq!(
            (&found["status"], &found["rejections"][0]["reason"]),
            (&json!("failed"), &json!(reason)),
            "{found}"
        );
    }
}

#[tokio::test]
async fn an_organization_has_one_shared_folder_that_its_labs_mount_and_none_deletes() {
    let server = FakeApiServer::default();
    let app = TestApp::start().await;
    let mut with_folder = settings();
    with_folder["shared_folder"] = json!({"storage_class": "efs", "size": "100Gi"});
    let backend = backend(&app, &server, &with_folder);
    let lab = Lab::with_backend(app, backend);
    let ada = lab.app.person("ada");
    let ids = [lab.ready(&ada, "first").await, lab.ready(&ada, "second").await];
    let claims = server.objects("/persistentvolumeclaims/shared-folder");
    let (claim_path, claim) = claims.first_key_value().expect("the claim");
    assert_eq!(claims.len(), 1);
    assert!(claim_path.starts_with(&format!("namespaces/wb-{}/", lab.app.account("ada").org.uuid().simple())));
    let spec = json!({"accessModes": ["ReadWriteMany"], "storageClassName": "efs",
        "resources": {"requests": {"storage": "100Gi"}}});
    assert_eq!(claim["spec"], spec);
    let hard = &server.only("resourcequotas")["spec"]["hard"];
    assert_eq!((&hard["requests.storage"], &hard["persistentvolumeclaims"]), (&json!("200Gi"), &json!("6")));
    for pod in server.objects("/pods/").values() {
        let (spec, container) = (&pod["spec"], &pod["spec"]["containers"][0]);
        assert_eq!(spec["volumes"][1]["persistentVolumeClaim"], json!({"claimName": "shared-folder"}));
        assert_eq!(container["volumeMounts"][1], json!({"name": "shared", "mountPath": "/home/lab/shared"}));
        let variable = json!({"name": "ATELIER_SHARED_FOLDER", "value": "/home/lab/shared"});
        assert!(container["env"].as_array().unwrap().contains(&variable), "{container}");
    }
    for id in ids {
        ada.delete(&path(&id)).await;
        finish(&lab, &id).await;
    }
    assert_eq!(server.only("persistentvolumeclaims")["metadata"]["name"], "shared-folder");
}

#[tokio::test]
async fn the_key_of_a_workbench_is_in_its_secret_and_is_revoked_after_its_pod() {
    let (lab, server) = start().await;
    let ada = lab.app.person("ada");
    // Steps that are repeated keep the key.
    server.refuse(Some(("statefulsets", StatusCode::CONFLICT, "the object has been modified")));
    let id = create(&ada, json!({"name": "lab"})).await;
    let variable = |name: &str| {
        let value = server.only("secrets")["data"][name].as_str().unwrap().to_owned();
        String::from_utf8(STANDARD.decode(value).unwrap()).unwrap()
    };
    for _ in 0..4 {
        lab.wait(&id).await;
    }
    let key = variable("ATELIER_API_KEY");
    server.refuse(None);
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["status"], "ready");
    assert_eq!(variable("ATELIER_GATEWAY_URL"), "https://atelier.test/gateway/v1");
    assert_eq!(variable("ATELIER_API_KEY"), key);
    assert_eq!(variable("OPENAI_API_KEY"), key);
    for object in ["statefulsets", "pods"] {
        assert!(!server.only(object).to_string().contains(&key), "only the secret contains the key");
    }
    let call = async |key: &str| {
        let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}]});
        lab.app.client_with_key(key).post_json(CHAT, body).await.status
    };
    assert_eq!(call(&key).await, "200 OK");
    ada.post(&format!("{}/stop", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(call(&key).await, "401 Unauthorized");
    ada.post(&format!("{}/start", path(&id))).await;
    finish(&lab, &id).await;
    let next = variable("ATELIER_API_KEY");
    assert_ne!(next, key);
    assert_eq!(call(&next).await, "200 OK");
    // A failed workbench has none.
    ada.post(&format!("{}/stop", path(&id))).await;
    finish(&lab, &id).await;
    server.refuse(Some(("statefulsets", StatusCode::UNPROCESSABLE_ENTITY, "invalid image")));
    ada.post(&format!("{}/start", path(&id))).await;
    finish(&lab, &id).await;
    assert_eq!(read(&ada, &id).await["status"], "failed");
    assert_eq!(call(&variable("ATELIER_API_KEY")).await, "401 Unauthorized");
    server.refuse(None);
    ada.delete(&path(&id)).await;
    finish(&lab, &id).await;
    assert!(kinds(&server).iter().all(|kind| kind != "secrets"));
}
