//! Installs and starts Node-RED from `npm`: one Node process without its editor, which records nothing.

use std::fs;
use std::path::Path;

use super::{Running, Served};
use crate::call::Service;
use crate::flow::Flow;
use crate::load::Target;
use crate::{Result, install};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "4.1.8";
const PATH: &str = "/bench";
/// Without the editor and its API, so that nothing else takes time.
const SETTINGS: &str = "module.exports = {
    uiHost: '127.0.0.1', httpAdminRoot: false, disableEditor: true, telemetry: { enabled: false },
    logging: { console: { level: 'warn', metrics: false, audit: false } },
};
";

pub async fn start(cache: &Path, folder: &Path, flow: Flow, mock_port: u16) -> Result<Running> {
    let node = install::install_node(cache).await?;
    let package = format!("node-red@{VERSION}");
    let modules = install::install_from_npm(cache, &format!("node-red-{VERSION}"), &[package]).await?;

    let (settings, flows) = (folder.join("settings.js"), folder.join("flows.json"));
    fs::write(&settings, SETTINGS)?;
    fs::write(&flows, flow.node_red_flow(PATH, mock_port).to_string())?;
    let port = free_port()?;
    let mut command = server(node);
    command.arg(modules.join("node-red/red.js")).args(["--port", &port.to_string(), "--userDir"]);
    command.arg(folder).arg("--settings").arg(&settings).arg(&flows).env("NODE_ENV", "production");
    let process = Process::serve(&mut command, port, &folder.join("node-red.log")).await?;
    let runs = Target { port, path: PATH.to_owned(), headers: Vec::new(), service: Service::Runs(flow) };
    Ok((Served { runs, starts: None }, vec![process]))
}
