//! Tests of `backup` and `restore`: a platform that runs, one that was killed, and files that are no backup.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use support::{Folder, Running, agents, credentials, local, stderr_of};

const WORKFLOWS: &str = "/builder/v1/workflows";

fn run(command: &str, file: &Path, folder: &Path) -> Output {
    local().arg(command).arg(file).arg("--data-dir").arg(folder).output().unwrap()
}

fn succeed(command: &str, file: &Path, folder: &Path) {
    let output = run(command, file, folder);
    assert!(output.status.success(), "{command}: {}", stderr_of(&output));
}

/// The error message of a command that fails and leaves nothing at `place`.
fn refusal(command: &str, file: &Path, folder: &Path, place: &Path) -> String {
    let output = run(command, file, folder);
    let message = stderr_of(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1), "{message}");
    assert!(!place.exists(), "{message}");
    message
}

fn token(folder: &Path) -> String {
    credentials(folder)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned()
}

async fn call(running: &Running, token: &str, method: Method, path: &str, body: Value) -> Value {
    let request = Client::new().request(method, format!("{}{path}", running.base_url)).bearer_auth(token);
    let answer = request.json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    answer.json().await.unwrap()
}

/// Answers one request, and returns its head.
fn receive(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let head = lines.collect::<Vec<_>>().join("\n");
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    head
}

/// A workflow whose draft is too large for its item, so that it is an object.
async fn create_large_workflow(running: &Running, token: &str) -> String {
    let template = json!({"id": "say", "type": "template", "name": "", "config": {"template": "x".repeat(50_000)}});
    let graph = json!({"nodes": [template], "connections": []});
    let made = call(running, token, Method::POST, WORKFLOWS, json!({"name": "Large", "graph": graph})).await;
    made["data"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_backup_of_a_running_platform_has_all_that_was_acknowledged_before() {
    let (folder, place) = (Folder::new(), Folder::new());
    let (file, restored) = (place.0.join("backup"), place.0.join("restored"));
    let running = Running::start(&folder.0, &[]);
    let ada = token(&folder.0);
    let workflow = create_large_workflow(&running, &ada).await;
    let path = format!("{WORKFLOWS}/{workflow}");
    let secret = json!({"name": "Shop", "type": "header", "header": "X-Key", "value": "hunter2"});
    let outbound = format!("{path}/webhook-credentials/outbound");
    let credential = call(&running, &ada, Method::POST, &outbound, secret).await;
    let home = folder.0.join("workbenches/one/home");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("notes"), "kept").unwrap();
    std::os::unix::fs::symlink("notes", home.join("link")).unwrap();

    // Others write while the backup is taken.
    let before = agents(&running.base_url, &ada, Method::POST).await;
    let (base_url, writer_token) = (running.base_url.clone(), ada.clone());
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let writer = tokio::spawn(async move {
        let mut written = 0;
        while stopped.try_recv().is_err() {
            assert!(agents(&base_url, &writer_token, Method::POST).await["data"]["id"].is_string());
            written += 1;
        }
        written
    });
    let (from, to) = (folder.0.clone(), file.clone());
    tokio::task::spawn_blocking(move || succeed("backup", &to, &from)).await.unwrap();
    stop.send(()).unwrap();
    assert!(writer.await.unwrap() > 0);
    assert!(!folder.0.join("backup.tmp").exists(), "the snapshot is deleted");

    succeed("restore", &file, &restored);
    let again = Running::start(&restored, &[]);
    let agent = before["data"]["id"].as_str().unwrap();
    call(&again, &ada, Method::GET, &format!("{}/{agent}", support::AGENTS), Value::Null).await;
    let found = call(&again, &ada, Method::GET, &path, Value::Null).await;
    assert_eq!(found["data"]["graph"]["nodes"][0]["config"]["template"].as_str().map(str::len), Some(50_000));
    // The key of the secrets is there: the test of the credential sends its secret.
    let shop = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = json!({"url": format!("http://{}/", shop.local_addr().unwrap())});
    let received = std::thread::spawn(move || receive(&shop));
    let id = credential["data"]["id"].as_str().unwrap();
    call(&again, &ada, Method::POST, &format!("{outbound}/{id}/test"), target).await;
    assert!(received.join().unwrap().contains("hunter2"));
    assert_eq!(fs::read_to_string(restored.join("workbenches/one/home/link")).unwrap(), "kept");
    let mode =
        |path: &Path| std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o077;
    assert_eq!((mode(&file), mode(&restored), mode(&restored.join("dynamodb.sqlite"))), (0, 0, 0));
    again.signal("-INT");
    let (_, log) = again.wait_with_log();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

#[tokio::test]
async fn a_backup_of_a_killed_platform_has_what_its_log_holds() {
    let (folder, place) = (Folder::new(), Folder::new());
    let (file, restored) = (place.0.join("backup"), place.0.join("restored"));
    let running = Running::start(&folder.0, &[]);
    let ada = token(&folder.0);
    for _ in 0..20 {
        agents(&running.base_url, &ada, Method::POST).await;
    }
    running.signal("-KILL");
    running.wait_with_log();
    succeed("backup", &file, &folder.0);
    // The folder may be empty, and the only one that can be written, such as that of a service.
    fs::create_dir(&restored).unwrap();
    succeed("restore", &file, &restored);
    assert!(!restored.join("restore.tmp").exists());
    let again = Running::start(&restored, &[]);
    assert_eq!(agents(&again.base_url, &ada, Method::GET).await["meta"]["total"], 20);

    let message = run("restore", &file, &restored);
    assert!(stderr_of(&message).contains("is not empty; move it away"), "{}", stderr_of(&message));
    let message = run("backup", &file, &folder.0);
    assert!(stderr_of(&message).contains("exists; choose another name"), "{}", stderr_of(&message));
    // The original was only read.
    assert!(Running::start(&folder.0, &[]).base_url.starts_with("http://"));
}

/// A whole file with these entries.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        append(&mut tar, name, content);
    }
    let checksum = ring::digest::digest(&ring::digest::SHA256, tar.get_ref());
    let checksum: String = checksum.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    append(&mut tar, "atelier-backup.sha256", checksum.as_bytes());
    tar.into_inner().unwrap()
}

fn append(tar: &mut tar::Builder<Vec<u8>>, name: &str, content: &[u8]) {
    let mut header = tar::Header::new_gnu();
    // `set_path` refuses names that lead out of the folder.
    header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(content.len() as u64);
    header.set_mode(0o600);
    header.set_cksum();
    tar.append(&header, content).unwrap();
}

#[test]
fn what_is_no_whole_backup_is_refused_and_leaves_nothing() {
    const HEADER: (&str, &[u8]) = ("atelier-backup.json", br#"{"format": 1, "version": "0.1.0"}"#);
    let (folder, place) = (Folder::new(), Folder::new());
    let (file, restored) = (place.0.join("backup"), place.0.join("restored"));
    let running = Running::start(&folder.0, &[]);
    running.signal("-INT");
    running.wait_with_log();
    succeed("backup", &file, &folder.0);
    let whole = fs::read(&file).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let newer: (&str, &[u8]) = ("atelier-backup.json", br#"{"format": 99, "version": "9.9.0"}"#);
    for (content, cause) in [
        (whole[..whole.len() / 3].to_vec(), "its end is missing"),
        (changed, "its checksum is wrong"),
        (b"hello".to_vec(), "is not a whole backup"),
        (Vec::new(), "is not a whole backup"),
        (archive(&[("notes", b"hello")]), "it was not written by `local backup`"),
        (archive(&[newer]), "was written by version 9.9.0 (format 99; this program knows 1); update this program"),
        (archive(&[HEADER]), "it lacks dynamodb.sqlite"),
        (archive(&[HEADER, ("../escaped", b"x")]), "unknown entry ../escaped"),
        (archive(&[HEADER, ("s3/../../escaped", b"x")]), "leads out of the folder"),
        (archive(&[HEADER, ("lock", b"x")]), "unknown entry lock"),
    ] {
        fs::write(&file, content).unwrap();
        let message = refusal("restore", &file, &restored, &restored);
        assert!(message.contains(cause), "{cause}: {message}");
        assert_eq!(fs::read_dir(&place.0).unwrap().count(), 1, "{message}");
    }
    let message = refusal("restore", &place.0.join("none"), &restored, &restored);
    assert!(message.contains("none cannot be read"), "{message}");
}

#[test]
fn a_backup_needs_whole_data() {
    let (folder, place) = (Folder::new(), Folder::new());
    let file = place.0.join("backup");
    let message = refusal("backup", &file, &folder.0, &file);
    assert!(message.contains("holds no platform's data yet"), "{message}");
    let running = Running::start(&folder.0, &[]);
    running.signal("-INT");
    running.wait_with_log();
    let message = refusal("backup", &place.0.join("no/backup"), &folder.0, &file);
    assert!(message.contains("cannot be written"), "{message}");
    // A page of the database that no query reads.
    let database = folder.0.join("dynamodb.sqlite");
    let whole = fs::read(&database).unwrap();
    let mut damaged = fs::File::options().write(true).open(&database).unwrap();
    damaged.write_all(&vec![7; whole.len() / 2]).unwrap();
    let message = refusal("backup", &file, &folder.0, &file);
    assert!(message.contains("dynamodb.sqlite is damaged"), "{message}");
    fs::write(&database, whole).unwrap();
    fs::rename(folder.0.join("awsim/snapshots/kms.json"), place.0.join("kms")).unwrap();
    let message = refusal("backup", &file, &folder.0, &file);
    assert!(message.contains("kms.json is missing"), "{message}");
}

#[test]
fn data_of_a_newer_version_is_refused_and_not_changed() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    running.signal("-INT");
    running.wait_with_log();
    let database = rusqlite::Connection::open(folder.0.join("dynamodb.sqlite")).unwrap();
    assert_eq!(database.execute("UPDATE tags SET text = '99' WHERE name = 'format'", []).unwrap(), 1);
    drop(database);
    let refused = local().args(["--port", "0", "--data-dir"]).arg(&folder.0).output().unwrap();
    let message = stderr_of(&refused);
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("was written by a newer version (format 99; this program knows 1)"), "{message}");
}
