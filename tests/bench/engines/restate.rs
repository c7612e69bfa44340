//! Installs and starts Restate from `npm`: its server with the default settings, and a service with its SDK for
//! `TypeScript`.

use std::path::Path;

use reqwest::Method;
use serde_json::json;

use super::{Counter, Running, Served, Starts, write_programs};
use crate::call::Service;
use crate::flow::{self, Flow};
use crate::load::Target;
use crate::{Result, install, mock};
use tests::process::{Process, client, free_port, server};

pub const VERSION: &str = "1.7.12";
const SDK_VERSION: &str = "1.17.2";

/// Starts Restate. With `records_steps`, it records each step; otherwise only the arrival and the answer of a run.
pub async fn start(cache: &Path, folder: &Path, flow: Flow, mock_port: u16, records_steps: bool) -> Result<Running> {
    let node = install::install_node(cache).await?;
    let packages = [format!("@restatedev/restate-server@{VERSION}"), format!("@restatedev/restate-sdk@{SDK_VERSION}")];
    let modules = install::install_from_npm(cache, &format!("restate-{VERSION}"), &packages).await?;
    let installed = modules.parent().unwrap_or(&modules);
    write_programs(installed)?;

    let [port, admin_port, node_port, service_port] =
        [free_port()?, free_port()?, free_port()?, free_port()?].map(|port| port.to_string());
    let binary = format!("@restatedev/restate-server-linux-{}/bin/restate-server", install::architecture()?);
    let mut command = server(modules.join(binary));
    command.arg("--no-logo").arg("--base-dir").arg(folder.join("data")).envs([
        ("RESTATE_DISABLE_TELEMETRY", "true"),
        ("RESTATE_LISTEN_MODE", "tcp"),
        ("RESTATE_BIND_IP", "127.0.0.1"),
        ("RESTATE_BIND_PORT", &node_port),
        ("RESTATE_ADMIN__BIND_PORT", &admin_port),
        ("RESTATE_INGRESS__BIND_PORT", &port),
    ]);
    let (client, health) = (client()?, format!("http://127.0.0.1:{port}/restate/health"));
    let is_healthy = async || client.get(&health).send().await.is_ok_and(|answer| answer.status().is_success());
    let restate = Process::serve_when(&mut command, &folder.join("restate.log"), is_healthy).await?;

    let mut command = server(node);
    command
        .arg(installed.join("restate.mjs"))
        .envs([("PORT", &service_port), ("STEPS_URL", &mock::step_url(mock_port))]);
    command.env("NODE_ENV", "production");
    let (admin, deployment) =
        (format!("http://127.0.0.1:{admin_port}"), json!({"uri": format!("http://127.0.0.1:{service_port}")}));
    let register = async || {
        let request = client.post(format!("{admin}/deployments")).json(&deployment);
        request.send().await.is_ok_and(|answer| answer.status().is_success())
    };
    let service = Process::serve_when(&mut command, &folder.join("service.log"), register).await?;

    let name = if records_steps { "recorded" } else { "plain" };
    let path = format!("/{name}/{}", flow.name());
    let runs = Target { port: port.parse()?, path, headers: Vec::new(), service: Service::Runs(flow) };
    let starts = Target {
        path: format!("{}/send", runs.path),
        service: Service::Starts { body: flow::input().to_string() },
        ..runs.clone()
    };
    let query = "SELECT count(*) AS ended FROM sys_invocation WHERE status = 'completed'";
    let ended = Counter {
        method: Method::POST,
        url: format!("{admin}/query"),
        token: None,
        body: json!({"query": query}),
        pointer: "/rows/0/ended",
    };
    Ok((Served { runs, starts: Some(Starts { target: starts, ended }) }, vec![restate, service]))
}
