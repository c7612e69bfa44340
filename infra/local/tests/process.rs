//! Tests of the command as a process: start, stop, startup errors, and recovery after a kill.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
mod support;

use std::io::Read;
use std::process::{Command, Stdio};

use support::{AGENTS, Folder, Running, agents, credentials, local, stderr_of};

#[tokio::test]
async fn acknowledged_writes_survive_a_kill() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    let before = credentials(&folder.0);
    let token = before["users"]["ada"]["accessToken"].as_str().unwrap();
    let mut ids = Vec::new();
    for _ in 0..20 {
        let created = agents(&running.base_url, token, reqwest::Method::POST).await;
        ids.push(created["data"]["id"].as_str().unwrap().to_owned());
    }
    running.signal("-KILL");
    running.wait_with_log();

    let again = Running::start(&folder.0, &[]);
    let found = agents(&again.base_url, token, reqwest::Method::GET).await;
    let found: Vec<_> = found["data"].as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| found.contains(&id.as_str())));
    let after = credentials(&folder.0);
    assert_eq!(after["users"]["ada"]["apiKey"], before["users"]["ada"]["apiKey"]);
    assert_eq!(after["operator"]["apiKey"], before["operator"]["apiKey"]);
    again.signal("-INT");
    assert_eq!(again.wait_with_log().0, Some(0), "Ctrl-C is a clean stop");
}

/// The ports that a process listens on.
#[cfg(target_os = "linux")]
fn ports_of(process: u32) -> Vec<u16> {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let links = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
    let open: Vec<_> = links.map(|link| link.to_string_lossy().into_owned()).collect();
    let sockets = std::fs::read_to_string(format!("/proc/{process}/net/tcp")).unwrap();
    let listening = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let own = listening.filter(|fields| fields[3] == "0A" && open.contains(&format!("socket:[{}]", fields[9])));
    own.map(|fields| u16::from_str_radix(fields[1].split_once(':').unwrap().1, 16).unwrap()).collect()
}

/// Every user of the machine can reach a port, so there is none that nobody needs.
#[test]
#[cfg(target_os = "linux")]
fn the_platform_listens_on_its_own_port_only() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    let port: u16 = running.base_url.rsplit(':').next().unwrap().parse().unwrap();
    assert_eq!(ports_of(running.child.id()), [port]);
}

#[test]
fn ctrl_c_stops_during_the_start_even_if_the_parent_ignores_it() {
    for round in 0..10 {
        let folder = Folder::new();
        let ignoring =
            format!("trap '' INT; exec {} --port 0 --data-dir {}", env!("CARGO_BIN_EXE_local"), folder.0.display());
        let mut child =
            Command::new("sh").args(["-c", &ignoring]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let mut running = Running { child, banner: format!("round {round}"), base_url: String::new(), printed: None };
        running.signal("-INT");
        let status = running.wait();
        assert_eq!(status, Some(0), "round {round}");
    }
}

#[tokio::test]
async fn the_printed_call_works_and_the_log_holds_no_secrets() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &["--ephemeral"]);
    let call = running.banner.lines().find(|line| line.starts_with("agents ")).unwrap().trim_start_matches("agents");
    let answer = Command::new("sh").args(["-c", call]).output().unwrap();
    assert!(String::from_utf8_lossy(&answer.stdout).contains("\"totalPages\""), "{call}: {answer:?}");

    let accounts = credentials(&folder.0);
    let token = accounts["users"]["eve"]["accessToken"].as_str().unwrap();
    let http = reqwest::Client::new();
    let created = agents(&running.base_url, token, reqwest::Method::POST).await;
    let path = format!("{}{AGENTS}/{}", running.base_url, created["data"]["id"].as_str().unwrap());
    let secret = "the prompt nobody may read";
    let patch = serde_json::json!({"config": {"instructions": secret, "temperature": 9}});
    http.patch(&path).bearer_auth(token).json(&patch).send().await.unwrap();
    http.get(format!("{path}?{secret}")).bearer_auth("sk-svc-wrong-key").send().await.unwrap();
    running.signal("-TERM");
    let (code, log) = running.wait_with_log();
    assert_eq!(code, Some(0));
    assert!(log.contains("request served") && log.contains("usr_"), "{log}");
    for secret_text in [secret, "sk-svc-", token, token.rsplit('.').next().unwrap(), "nobody"] {
        assert!(!log.contains(secret_text), "{secret_text} is in the log:\n{log}");
    }
}

#[test]
fn startup_errors_are_reported_in_one_line() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);

    let in_use = local().args(["--port", "0", "--data-dir"]).arg(&folder.0).output().unwrap();
    assert!(stderr_of(&in_use).contains("is in use by another `local`"), "{}", stderr_of(&in_use));
    let port = running.base_url.rsplit(':').next().unwrap();
    let other = Folder::new();
    let taken = local().args(["--port", port, "--data-dir"]).arg(&other.0).output().unwrap();
    assert!(stderr_of(&taken).contains(&format!("port {port} is taken")), "{}", stderr_of(&taken));
    let file = other.0.join("a-file");
    std::fs::write(&file, "").unwrap();
    let unusable = local().args(["--port", "0", "--data-dir"]).arg(file.join("data")).output().unwrap();
    assert!(stderr_of(&unusable).contains("cannot be used"), "{}", stderr_of(&unusable));
    let nothing_yet = local().args(["credentials", "--data-dir"]).arg(&other.0).output().unwrap();
    assert!(stderr_of(&nothing_yet).contains("run `cargo run -p local` first"), "{}", stderr_of(&nothing_yet));

    for output in [in_use, taken, unusable, nothing_yet] {
        assert_eq!((output.status.code(), stderr_of(&output).lines().count()), (Some(1), 1), "{}", stderr_of(&output));
    }
}

#[test]
fn damaged_data_is_refused_and_not_changed() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    running.signal("-INT");
    running.wait_with_log();
    assert!(!folder.0.join("dynamodb.sqlite-wal").exists(), "a clean stop leaves one file to copy");
    let files = ["dynamodb.sqlite", "issuer.json", "credentials.json", "awsim/snapshots/kms.json"];
    for name in files {
        let file = folder.0.join(name);
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, "not what it was").unwrap();
        let refused = local().args(["--port", "0", "--data-dir"]).arg(&folder.0).output().unwrap();
        assert_eq!(
            (refused.status.code(), stderr_of(&refused).lines().count()),
            (Some(1), 1),
            "{name}: {}",
            stderr_of(&refused)
        );
        assert!(
            stderr_of(&refused).contains("is damaged") && stderr_of(&refused).contains(name),
            "{}",
            stderr_of(&refused)
        );
        assert_eq!(std::fs::read(&file).unwrap(), b"not what it was", "{name}");
        std::fs::write(&file, whole).unwrap();
    }
    let repaired = Running::start(&folder.0, &[]);
    assert!(repaired.base_url.starts_with("http://127.0.0.1:"));
}

#[test]
fn a_token_can_be_issued_for_any_user() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &["--ephemeral"]);
    let arguments = ["token", "--user", "zoe", "--org", "initech", "--role", "admin", "--data-dir"];
    let token = local().args(arguments).arg(&folder.0).output().unwrap();
    let token = String::from_utf8_lossy(&token.stdout).trim().to_owned();
    assert_eq!(token.split('.').count(), 3);
    let call = format!(
        "curl -s -o /dev/null -w '%{{http_code}}' {}{AGENTS} -H 'Authorization: Bearer {token}'",
        running.base_url
    );
    let answer = Command::new("sh").args(["-c", &call]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "200");
}
