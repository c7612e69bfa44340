//! Installs and starts DBOS from `npm`: a library in a Node process, on a cluster of `PostgreSQL` with its default
//! settings.

use std::path::Path;

use reqwest::Method;
use serde_json::Value;

use super::postgres::Postgres;
use super::{Counter, Running, Served, Starts, write_programs};
use crate::call::Service;
use crate::flow::{self, Flow};
use crate::load::Target;
use crate::{Result, install, mock};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "5.3.0";

/// Starts DBOS. With `records_steps`, it records each step; otherwise only the arrival and the answer of a run.
pub async fn start(cache: &Path, folder: &Path, flow: Flow, mock_port: u16, records_steps: bool) -> Result<Running> {
    let node = install::install_node(cache).await?;
    let package = format!("@dbos-inc/dbos-sdk@{VERSION}");
    let modules = install::install_from_npm(cache, &format!("dbos-{VERSION}"), &[package]).await?;
    let installed = modules.parent().unwrap_or(&modules);
    write_programs(installed)?;

    let Postgres { url, process: postgres } = Postgres::start(folder).await?;
    let port = free_port()?;
    let mut command = server(node);
    // In its own folder, because DBOS reads a configuration from the current one.
    command.arg(installed.join("dbos.mjs")).current_dir(installed).env("NODE_ENV", "production");
    command.envs([("PORT", port.to_string()), ("STEPS_URL", mock::step_url(mock_port)), ("DATABASE_URL", url)]);
    let process = Process::serve(&mut command, port, &folder.join("dbos.log")).await?;

    let path = |mode| format!("/{mode}/{}/{}", if records_steps { "recorded" } else { "plain" }, flow.name());
    let runs = Target { port, path: path("run"), headers: Vec::new(), service: Service::Runs(flow) };
    let starts =
        Target { path: path("start"), service: Service::Starts { body: flow::input().to_string() }, ..runs.clone() };
    let url = format!("http://127.0.0.1:{port}/ended");
    let ended = Counter { method: Method::GET, url, token: None, body: Value::Null, pointer: "" };
    Ok((Served { runs, starts: Some(Starts { target: starts, ended }) }, vec![process, postgres]))
}
