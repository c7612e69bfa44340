//! The programs of labs: their files, their variables, and how they end.

use super::*;

#[tokio::test]
async fn files_survive_a_stop_and_not_a_deletion() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let file = home(&lab, &id).join("notes.txt");
    fs::write(&file, "a".repeat(5_000)).unwrap();
    ada.post(&format!("{}/stop", path(&id))).await;
    let stopped = until(&lab, &ada, &id, "runState", "stopped").await;
    assert_eq!((&stopped["dashboardUrl"], &stopped["runningImage"]), (&Value::Null, &Value::Null));
    assert!(lab.app.platform.labs().find(id_of(&id)).is_none());
    ada.post(&format!("{}/start", path(&id))).await;
    let started = until(&lab, &ada, &id, "runState", "running").await;
    assert_eq!((&started["usage"]["storage"], &started["runningImage"]), (&json!("5000"), &json!("base")));
    assert!(started["usage"]["memory"].is_string(), "{started}");
    assert!(file.exists());
    ada.delete(&path(&id)).await;
    eventually("the deletion", async || {
        lab.wait(&id).await;
        (refusal(&ada.get(&path(&id)).await) == ("404", "LAB_NOT_FOUND")).then_some(())
    })
    .await;
    assert!(!home(&lab, &id).parent().unwrap().exists());
}

#[tokio::test]
async fn the_labs_of_an_organization_share_a_folder_that_no_deletion_removes() {
    let lab = start(true).await;
    let (ada, bob, eve) =
        (lab.app.person("ada"), lab.app.person("bob"), lab.app.person_of("eve", "globex", Role::Admin));
    let (first, second) = (ready(&lab, &ada).await, create(&bob, json!({"name": "second"})).await);
    until(&lab, &bob, &second, "status", "ready").await;
    let theirs = create(&eve, json!({"name": "theirs"})).await;
    let org = eve.get("/gateway/v1/me").await.json["org"]["id"].as_str().unwrap().parse().unwrap();
    let hint = WorkbenchHint { org, id: id_of(&theirs) };
    eventually("the lab of the other organization", async || {
        lab.pass(Duration::from_secs(3));
        lab.worker.advance(hint).await.unwrap();
        (read(&eve, &theirs).await["status"] == "ready").then_some(())
    })
    .await;
    let shared = |id: &str| home(&lab, id).join("shared");
    fs::write(shared(&first).join("data.txt"), "a".repeat(9_000)).unwrap();
    assert_eq!(fs::read(shared(&second).join("data.txt")).unwrap().len(), 9_000);
    assert_eq!(fs::read_dir(shared(&theirs)).unwrap().count(), 0);
    let named = Browser::open(&lab, &ada, &first).await.get(&lab, "/variable?name=ATELIER_SHARED_FOLDER").await.text;
    let folder = shared(&first).canonicalize().unwrap();
    assert_eq!(PathBuf::from(named).canonicalize().unwrap(), folder);

    // It uses nothing of the storage of a lab, and its size is reported by itself.
    fs::File::create(folder.join("sparse")).unwrap().set_len(50 << 30).unwrap();
    lab.pass(Duration::from_secs(60));
    let found = eventually("the rejection", async || {
        lab.wait(&first).await;
        let found = read(&ada, &first).await;
        (found["rejections"][0]["reason"] == "SHARED_STORAGE_EXCEEDED").then_some(found)
    })
    .await;
    assert_eq!(found["usage"]["storage"], "0");
    assert!(found["rejections"].to_string().contains("may use 51200 MiB; remove files"), "{found}");

    ada.delete(&path(&first)).await;
    eventually("the deletion", async || {
        lab.wait(&first).await;
        (refusal(&ada.get(&path(&first)).await) == ("404", "LAB_NOT_FOUND")).then_some(())
    })
    .await;
    assert!(!home(&lab, &first).exists() && folder.join("data.txt").exists(), "only the link is removed");

    // The next start makes a missing link again, and leaves what a user has put in its place.
    for (is_folder, expected) in [(false, folder.clone()), (true, shared(&second).canonicalize().unwrap())] {
        bob.post(&format!("{}/stop", path(&second))).await;
        until(&lab, &bob, &second, "runState", "stopped").await;
        fs::remove_file(shared(&second)).unwrap();
        if is_folder {
            fs::create_dir(shared(&second)).unwrap();
        }
        bob.post(&format!("{}/start", path(&second))).await;
        until(&lab, &bob, &second, "runState", "running").await;
        assert_eq!(shared(&second).is_symlink(), !is_folder);
        if !is_folder {
            assert_eq!(shared(&second).canonicalize().unwrap(), expected);
        }
    }
}

/// The interpreter and the program of a Jupyter that has no module `venv`. The program listens at its socket.
#[tokio::test]
async fn a_lab_that_cannot_keep_packages_starts_and_says_so_in_its_log() {
    use std::os::unix::fs::PermissionsExt;

    let lab = start(true).await;
    let folder = lab.app.platform.data().folder().join("bin");
    fs::create_dir(&folder).unwrap();
    let (python, jupyter) = (folder.join("python3"), folder.join("jupyter-lab"));
    let program = env!("CARGO_BIN_EXE_lab-program");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = -I ] && {{ echo \"No module named 'venv'\"; exit 1; }}\n\
         for word; do case $word in --ServerApp.sock=*) exec {program} --socket \"${{word#*=}}\" ;; esac; done\n"
    );
    fs::write(&python, script).unwrap();
    fs::write(&jupyter, format!("#!{}\n", python.display())).unwrap();
    for file in [&python, &jupyter] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    plan["workbenches"]["images"] = json!([{"name": "base", "reference": "base:1", "command": [jupyter]}]);
    never_late(&mut plan);
    put_plan(&lab.app, plan).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    assert_eq!(read(&ada, &id).await["runningImage"], "base");
    let log = fs::read_to_string(home(&lab, &id).with_file_name("log")).unwrap();
    assert!(log.contains("No module named 'venv'"), "{log}");
    assert!(log.contains(&format!("python: {} cannot make a virtual environment", python.display())), "{log}");
}

#[tokio::test]
async fn the_program_gets_the_variables_of_its_start() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let new = json!({"name": "lab", "env": {"GREETING": "good morning"}, "secrets": {"HF_TOKEN": "hf_secret"}});
    let id = create(&ada, new).await;
    until(&lab, &ada, &id, "status", "ready").await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let variable = async |name: &str| browser.get(&lab, &format!("/variable?name={name}")).await.text;
    assert_eq!(variable("GREETING").await, "good morning");
    assert_eq!(variable("HF_TOKEN").await, "hf_secret");
    let patch = json!({"env": {"GREETING": null, "LATER": "1"}, "secrets": {"HF_TOKEN": "hf_new"}});
    assert_eq!(ada.patch(&format!("{}/variables", path(&id)), patch).await.status, "200 OK");
    assert_eq!(variable("HF_TOKEN").await, "hf_secret", "a running program keeps its variables");
    ada.post(&format!("{}/stop", path(&id))).await;
    until(&lab, &ada, &id, "runState", "stopped").await;
    ada.post(&format!("{}/start", path(&id))).await;
    until(&lab, &ada, &id, "runState", "running").await;
    assert_eq!(variable("HF_TOKEN").await, "hf_new");
    assert_eq!((variable("LATER").await.as_str(), variable("GREETING").await.as_str()), ("1", "not set"));
}

#[tokio::test]
async fn a_program_that_exceeds_its_memory_is_killed_and_reported() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let held = browser.post(&lab, "/hold?mib=150", "").await;
    assert_eq!(held.status, "200 OK", "{}", held.text);
    let found = eventually("a rejection", async || {
        lab.wait(&id).await;
        let found = read(&ada, &id).await;
        (found["rejections"][0]["reason"] == "OOM_KILLED" || found["rejections"][1]["reason"] == "OOM_KILLED")
            .then_some(found)
    })
    .await;
    let reasons = found["rejections"].to_string();
    assert!(reasons.contains("may use 128 MiB: lab-program was killed"), "{reasons}");
    // It starts again by itself, and stays ready meanwhile.
    assert_eq!(found["status"], "ready");
    eventually("the new program", async || {
        lab.wait(&id).await;
        (browser.get(&lab, "/").await.status == "200 OK").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_program_that_exits_is_noticed_before_its_next_step_is_due() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let stop = CancellationToken::new();
    let workbenches = store::Workbenches::new(&lab.context()).unwrap();
    let watching = tokio::spawn(lab.app.platform.labs().clone().watch(workbenches, stop.clone()));
    browser.post(&lab, "/exit", "").await;
    eventually("the exit", async || {
        // The clock of the worker stands still, so only the watch can make a step due.
        lab.worker.advance(lab.hint(&id)).await.unwrap();
        let found = read(&ada, &id).await;
        (found["rejections"][0]["reason"] == "PROCESS_ENDED").then_some(())
    })
    .await;
    stop.cancel();
    watching.await.unwrap();
}

#[tokio::test]
async fn a_program_can_listen_at_a_socket() {
    let lab = start(true).await;
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    let command = [env!("CARGO_BIN_EXE_lab-program"), "--socket", "{socket}"];
    plan["workbenches"]["images"] = json!([{"name": "base", "reference": "base:1", "command": command}]);
    never_late(&mut plan);
    put_plan(&lab.app, plan).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    assert_eq!(read(&ada, &id).await["runningImage"], "base");
    let browser = Browser::open(&lab, &ada, &id).await;
    assert_eq!(browser.get(&lab, "/").await.text, home(&lab, &id).canonicalize().unwrap().display().to_string());
    assert!(echoes(&mut switch(&lab, &browser).await).await);
}

#[tokio::test]
async fn a_program_that_does_not_start_fails_with_the_end_of_its_log() {
    let lab = start(true).await;
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    plan["workbenches"]["images"] =
        json!([{"name": "base", "reference": "base:1", "command": ["sh", "-c", "echo no license; exit 7"]}]);
    never_late(&mut plan);
    put_plan(&lab.app, plan).await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let failed = until(&lab, &ada, &id, "status", "failed").await;
    let rejection = &failed["rejections"][0];
    assert_eq!(rejection["reason"], "PROCESS_ENDED");
    let message = rejection["message"].as_str().unwrap();
    assert!(message.contains("exit status: 7") && message.contains("no license"), "{message}");
}

#[tokio::test]
async fn a_lab_without_its_program_has_a_scratch_area() {
    let lab = start(false).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let page = browser.get(&lab, "/").await;
    let owner = lab.app.account("ada").user.to_string();
    let shown = read(&ada, &id).await;
    assert_eq!((&shown["spec"]["image"], &shown["runningImage"]), (&json!("base"), &json!("scratch")));
    let rejection = &shown["rejections"][0];
    assert_eq!(rejection["reason"], "PROGRAM_NOT_INSTALLED");
    let message = rejection["message"].as_str().unwrap();
    assert!(message.starts_with("the command `no-such-program` of the image base is not installed"), "{message}");
    assert_eq!(event_types(&ada, &id).await.iter().filter(|kind| *kind == "rejected").count(), 1);
    for part in ["<h1>lab</h1>", "128Mi", owner.as_str(), "There are no files yet", "is not installed"] {
        assert!(page.text.contains(part), "{part} is missing: {}", page.text);
    }
    let saved = browser.post(&lab, "/save", "name=a+note.txt&content=%3Cb%3Ehello").await;
    assert_eq!((saved.status.as_str(), saved.header("location")), ("303 See Other", Some("/")));
    assert_eq!(fs::read_to_string(home(&lab, &id).join("a note.txt")).unwrap(), "<b>hello");
    let edited = browser.get(&lab, "/?file=a+note.txt").await.text;
    assert!(edited.contains("&lt;b&gt;hello</textarea>") && edited.contains("name=a+note.txt"), "{edited}");
    // A browser sends the line ends of the web.
    browser.post(&lab, "/save", "name=run.sh&content=a%0D%0Ab%0D%0A").await;
    assert_eq!(fs::read(home(&lab, &id).join("run.sh")).unwrap(), b"a\nb\n");
    fs::write(home(&lab, &id).join("picture"), [0xff, 0]).unwrap();
    let binary = browser.get(&lab, "/?file=picture").await.text;
    assert!(binary.contains("cannot be edited here") && !binary.contains("value=\"picture\" maxlength"), "{binary}");
    let outside = lab.app.platform.data().folder().join("outside");
    fs::write(&outside, "kept").unwrap();
    std::os::unix::fs::symlink(&outside, home(&lab, &id).join("link")).unwrap();
    assert_eq!(browser.get(&lab, "/file?name=link").await.status, "404 Not Found");
    browser.post(&lab, "/save", "name=link&content=new").await;
    assert_eq!(fs::read_to_string(&outside).unwrap(), "kept", "a link is replaced and not followed");
    let loaded = browser.get(&lab, "/file?name=a+note.txt").await;
    assert_eq!((loaded.text.as_str(), loaded.header("x-content-type-options")), ("<b>hello", Some("nosniff")));
    for name in ["..%2Fescape", ".bashrc", "%2Fetc%2Fpasswd", ""] {
        let refused = browser.post(&lab, "/save", &format!("name={name}&content=x")).await;
        assert_eq!(refused.status, "400 Bad Request", "{name}");
        assert_eq!(browser.get(&lab, &format!("/file?name={name}")).await.status, "404 Not Found", "{name}");
    }
    let large = format!("name=large&content={}", "a".repeat((1 << 20) + 1));
    assert_eq!(browser.post(&lab, "/save", &large).await.status, "413 Payload Too Large");
    assert_eq!(browser.post(&lab, "/delete", "name=a+note.txt").await.status, "303 See Other");
    assert!(!home(&lab, &id).join("a note.txt").exists());
}

#[tokio::test]
async fn a_new_platform_ends_the_processes_of_the_previous_one_and_starts_its_labs() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let before = lab.app.platform.labs().pids(id_of(&id)).await.unwrap();
    assert!(!before.is_empty());
    // Another process with the same folder knows nothing of the lab that runs.
    let context = lab.app.platform.context_of("workbench-worker");
    let folders = local::labs::Folders::new(lab.app.platform.data());
    let environments = Environments::new(&context, None).unwrap();
    let base_url = lab.app.platform.base_url.clone();
    let successor = local::labs::Labs::new(folders, base_url, context.clock.clone(), environments);
    let next = Lab { worker: Provisioner::new(&lab.context(), Arc::new(successor.clone())).unwrap(), ..lab };
    let resumed = store::Workbenches::new(&next.app.platform.context()).unwrap().resume(next.now()).await;
    assert_eq!(resumed.unwrap(), 1);
    eventually("the new program", async || {
        next.wait(&id).await;
        let now = successor.pids(id_of(&id)).await.unwrap();
        (!now.is_empty() && now.iter().all(|pid| !before.contains(pid))).then_some(())
    })
    .await;
    assert_eq!(read(&ada, &id).await["status"], "ready");
    successor.end_all().await;
}
