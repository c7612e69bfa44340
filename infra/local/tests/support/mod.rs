//! Runs the command as a process, each with its own data folder.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

pub const AGENTS: &str = "/builder/v1/agents";

/// The time limit of a start or a stop. It is far more than a busy machine needs.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The command with a limit of five minutes. Without it, a start that should fail but succeeds would never end.
pub fn local() -> Command {
    let mut command = Command::new("timeout");
    command.args(["300", env!("CARGO_BIN_EXE_local")]).stdin(Stdio::null()).env_remove("LOG_LEVEL");
    command
}

/// A folder that is deleted on drop.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("atelier-test-{}", uuid::Uuid::now_v7().simple()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub struct Running {
    pub child: Child,
    pub banner: String,
    pub base_url: String,
    /// Reads what the process prints after its start message.
    pub printed: Option<JoinHandle<String>>,
}

impl Running {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_local"));
        command.args(["--port", "0", "--data-dir"]).arg(folder).args(arguments);
        Self::from_command(command)
    }

    /// Runs a command that starts the platform on any port, and waits for the start message.
    pub fn from_command(mut command: Command) -> Self {
        command.stdin(Stdio::null()).env_remove("LOG_LEVEL");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (send, receive) = mpsc::channel();
        let printed = std::thread::spawn(move || {
            let mut printed = String::new();
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                printed.push_str(&line);
                printed.push('\n');
                if line.starts_with("stop ") {
                    let _ = send.send(std::mem::take(&mut printed));
                }
            }
            printed
        });
        let banner = receive.recv_timeout(PATIENCE).unwrap_or_default();
        let base_url = banner.split_whitespace().nth(3).unwrap_or_default().to_owned();
        Self { child, banner, base_url, printed: Some(printed) }
    }

    pub fn signal(&self, signal: &str) {
        Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
    }

    /// Waits for the end of the process, and returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status.code(),
                None if Instant::now() > until => panic!("the process did not stop:\n{}", self.banner),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    /// Waits for the end of the process, and returns its exit code and its log.
    pub fn wait_with_log(mut self) -> (Option<i32>, String) {
        let code = self.wait();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        log.extend(self.printed.take().map(|printed| printed.join().unwrap()));
        (code, log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn credentials(folder: &Path) -> Value {
    let printed = local().args(["credentials", "--data-dir"]).arg(folder).output().unwrap();
    serde_json::from_slice(&printed.stdout).unwrap()
}

pub async fn agents(base_url: &str, token: &str, method: reqwest::Method) -> Value {
    let request = reqwest::Client::new().request(method, format!("{base_url}{AGENTS}")).bearer_auth(token);
    request.send().await.unwrap().json().await.unwrap()
}

pub fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
