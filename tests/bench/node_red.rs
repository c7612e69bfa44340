//! Installs and starts Node-RED from `npm`: one Node process without its editor, which records nothing.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::sleep;

use crate::call::Service;
use crate::load::Target;
use crate::process::{Process, client, free_port, server};
use crate::{Result, flow, install};

const VERSION: &str = "4.1.8";
const PATH: &str = "/bench";
/// Without the editor and its API, so that nothing else takes time.
const SETTINGS: &str = "module.exports = {
    uiHost: '127.0.0.1', httpAdminRoot: false, disableEditor: true, telemetry: { enabled: false },
    logging: { console: { level: 'warn', metrics: false, audit: false } },
};
";
/// Node-RED listens before its flows have started. It tries so often to call the webhook.
const TRIES: usize = 300;

pub async fn start(cache: &Path, run: &Path) -> Result<(Target, Process)> {
    let folder = cache.join(format!("node-red-{VERSION}"));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", &format!("node-red@{VERSION}"), "--prefix"]).arg(&folder);
    install::install_once(&folder, [npm]).await?;

    let user = run.join("node-red");
    fs::create_dir_all(&user)?;
    let (settings, flows) = (user.join("settings.js"), user.join("flows.json"));
    fs::write(&settings, SETTINGS)?;
    fs::write(&flows, flow::node_red_flow(PATH).to_string())?;
    let port = free_port()?;
    let mut command = server("node");
    command.arg(folder.join("node_modules/node-red/red.js")).args(["--port", &port.to_string(), "--userDir"]);
    command.arg(&user).arg("--settings").arg(&settings).arg(&flows).env("NODE_ENV", "production");
    let process = Process::serve(&mut command, port, &run.join("node-red.log")).await?;
    wait_for_flow(port).await?;
    Ok((Target { port, path: PATH.to_owned(), headers: Vec::new(), service: Service::Workflow }, process))
}

async fn wait_for_flow(port: u16) -> Result<()> {
    let (client, url) = (client()?, format!("http://127.0.0.1:{port}{PATH}"));
    for _ in 0..TRIES {
        let call = client.post(&url).header("content-type", "application/json").body(flow::request());
        if call.send().await.is_ok_and(|response| response.status().is_success()) {
            return Ok(());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Err("the flow of Node-RED does not start".into())
}
