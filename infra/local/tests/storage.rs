//! Tests of storage failures: files that are missing, truncated, from another folder, readable by others, or not
//! writable.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use reqwest::Method;
use support::{Folder, Running, agents, credentials, local, stderr_of};

const KMS: &str = "awsim/snapshots/kms.json";

/// A data folder that was used and closed cleanly.
fn used_folder() -> Folder {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    running.signal("-INT");
    assert_eq!(running.wait_with_log().0, Some(0));
    folder
}

fn copy_of(folder: &Path) -> Folder {
    let copy = Folder::new();
    for path in files(folder) {
        let to = copy.0.join(path.strip_prefix(folder).unwrap());
        let inside = if path.is_dir() { to.as_path() } else { to.parent().unwrap() };
        fs::DirBuilder::new().mode(0o700).recursive(true).create(inside).unwrap();
        if path.is_file() {
            fs::copy(path, to).unwrap();
        }
    }
    copy
}

/// The error message of a start that refuses the folder.
fn refusal(folder: &Path) -> String {
    let refused = local().args(["--port", "0", "--data-dir"]).arg(folder).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", stderr_of(&refused));
    assert_eq!(stderr_of(&refused).lines().count(), 1, "{}", stderr_of(&refused));
    stderr_of(&refused)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { [files(&path), vec![path]].concat() } else { vec![path] }).collect()
}

#[test]
fn a_folder_with_a_missing_file_is_refused_until_it_is_restored() {
    let folder = used_folder();
    for name in [KMS, "dynamodb.sqlite", "s3/filesbucket"] {
        let (place, elsewhere) = (folder.0.join(name), folder.0.join("taken"));
        fs::rename(&place, &elsewhere).unwrap();
        let message = refusal(&folder.0);
        assert!(message.contains(name) && message.contains("is missing"), "{message}");
        assert!(!place.exists(), "{name} was created again");
        fs::rename(&elsewhere, &place).unwrap();
    }
    assert!(Running::start(&folder.0, &[]).base_url.starts_with("http://"));
}

#[test]
fn keys_of_another_folder_are_refused() {
    let (folder, other) = (used_folder(), used_folder());
    fs::copy(other.0.join(KMS), folder.0.join(KMS)).unwrap();
    let message = refusal(&folder.0);
    assert!(message.contains(KMS) && message.contains("belongs to another data folder"), "{message}");
}

#[tokio::test]
async fn health_reports_a_file_that_disappears() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    let health = || async {
        let answer = reqwest::get(format!("{}/health", running.base_url)).await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(health().await.0, 200);
    fs::rename(folder.0.join("dynamodb.sqlite"), folder.0.join("taken")).unwrap();
    let (status, body) = health().await;
    assert!(status == 503 && body.contains("dynamodb.sqlite: it is missing"), "{status} {body}");
}

#[test]
fn an_emptied_database_is_refused_and_not_changed() {
    let folder = used_folder();
    let database = folder.0.join("dynamodb.sqlite");
    let whole = fs::read(&database).unwrap();
    fs::write(&database, "").unwrap();
    let message = refusal(&folder.0);
    assert!(message.contains("dynamodb.sqlite is damaged (it is empty)"), "{message}");
    assert!(message.contains("restore it from a copy, or move"), "{message}");
    assert_eq!(fs::read(&database).unwrap(), b"");
    fs::write(&database, whole).unwrap();
    assert!(Running::start(&folder.0, &[]).base_url.starts_with("http://"));
}

#[tokio::test]
async fn a_kill_is_recovered_and_a_damaged_log_is_refused_until_its_loss_is_accepted() {
    const LOG: &str = "dynamodb.sqlite-wal";
    const INDEX: &str = "dynamodb.sqlite-shm";
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
    for _ in 0..30 {
        agents(&running.base_url, &token, Method::POST).await;
    }
    running.signal("-KILL");
    running.wait_with_log();
    let copies = [(); 6].map(|()| copy_of(&folder.0));

    let again = Running::start(&folder.0, &[]);
    let found = agents(&again.base_url, &token, Method::GET).await;
    assert_eq!(found["meta"]["total"], 30, "{found}");
    again.signal("-INT");
    let (_, log) = again.wait_with_log();
    assert!(log.contains("are recovered from the log") && !log.contains("lost"), "{log}");

    let whole = fs::read(copies[0].0.join(LOG)).unwrap();
    let (mut garbled, mut headless) = (whole.clone(), whole.clone());
    garbled[whole.len() / 2..][..100].fill(7);
    headless[..32].fill(7);
    let damages = [
        (Some(&whole[..whole.len() / 2]), true, "more are missing"),
        (Some(garbled.as_slice()), true, "more are missing"),
        (Some(headless.as_slice()), true, "more are missing"),
        (None, true, "more are missing"),
        (Some(garbled.as_slice()), false, "is damaged after"),
        (Some(headless.as_slice()), false, "is damaged after 0 pages"),
    ];
    for (number, (copy, (log, has_index, cause))) in copies.iter().zip(damages).enumerate() {
        let place = copy.0.join(LOG);
        match log {
            Some(log) => fs::write(&place, log).unwrap(),
            None => fs::remove_file(&place).unwrap(),
        }
        if !has_index {
            fs::remove_file(copy.0.join(INDEX)).unwrap();
        }
        let message = refusal(&copy.0);
        assert!(message.contains("dynamodb.sqlite has lost acknowledged writes"), "{number}: {message}");
        assert!(message.contains(cause) && message.contains("--accept-data-loss"), "{number}: {message}");
        assert_eq!(fs::read(&place).ok().as_deref(), log, "{number}: the log was changed");
    }
    let accepted = Running::start(&copies[0].0, &["--accept-data-loss"]);
    accepted.signal("-INT");
    let (code, log) = accepted.wait_with_log();
    assert!(code == Some(0) && log.contains("the platform starts without them"), "{log}");
    assert!(Running::start(&copies[0].0, &[]).base_url.starts_with("http://"), "the loss is accepted once");
}

#[tokio::test]
async fn a_full_disk_is_reported_and_loses_no_acknowledged_write() {
    let folder = used_folder();
    // A limit of 512 KB per file has the effect of a full disk.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" --port 0 --data-dir \"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_local")).arg(&folder.0);
    let running = Running::from_command(command);
    let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
    let (mut created, mut refused) = (Vec::new(), serde_json::Value::Null);
    for _ in 0..2_000 {
        let answer = agents(&running.base_url, &token, Method::POST).await;
        match answer["data"]["id"].as_str() {
            Some(id) => created.push(id.to_owned()),
            None => {
                refused = answer;
                break;
            }
        }
    }
    assert_eq!(refused["error"]["code"], "unavailable", "after {}: {refused}", created.len());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("the platform cannot store data: dynamodb.sqlite: "), "{message}");
    let health = reqwest::get(format!("{}/health", running.base_url)).await.unwrap();
    assert_eq!(health.status().as_u16(), 503);
    let health = health.text().await.unwrap();
    assert!(health.contains("dynamodb.sqlite: "), "{health}");
    running.signal("-KILL");
    let (_, log) = running.wait_with_log();
    assert!(log.contains("dynamodb.sqlite cannot be used"), "{log}");

    let again = Running::start(&folder.0, &[]);
    for id in created.iter().rev().take(20) {
        let path = format!("{}{}/{id}", again.base_url, support::AGENTS);
        let found = reqwest::Client::new().get(path).bearer_auth(&token).send().await.unwrap();
        assert_eq!(found.status().as_u16(), 200, "{id}");
    }
}

#[test]
fn new_files_are_private_and_readable_ones_are_made_private() {
    let folder = used_folder();
    let data = folder.0.join("new");
    let running = Running::start(&data, &[]);
    assert_eq!(mode(&data), 0o700);
    let files = files(&data);
    assert!(!files.is_empty());
    for path in files {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    running.signal("-INT");
    running.wait_with_log();

    for name in [KMS, "dynamodb.sqlite"] {
        fs::set_permissions(data.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let again = Running::start(&data, &[]);
    assert_eq!((mode(&data.join(KMS)), mode(&data.join("dynamodb.sqlite"))), (0o600, 0o600));
    again.signal("-INT");
    let (_, log) = again.wait_with_log();
    for name in [KMS, "dynamodb.sqlite"] {
        assert!(log.lines().any(|line| line.contains(name) && line.contains("it is private now")), "{name}: {log}");
    }
    assert!(log.contains("chmod 700"), "{log}");
}
