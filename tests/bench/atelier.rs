//! Starts Atelier on one machine: the `local` binary with its data on disk and the DynamoDB embedded in its process.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use domain::identity::Role;
use local::credentials::StoredCredentials;
use local::issuer::{Issuer, Subject};
use serde_json::Value;
use tests::binaries;
use tokio::process::Command;

use crate::call::Service;
use crate::load::Target;
use crate::process::{Process, free_port, server};
use crate::{Result, admin, flow, publication};

/// The time limit of a clean build on a slow machine.
const BUILD: Duration = Duration::from_secs(1_800);

/// The name of the folder with the data.
const DATA: &str = "atelier";

/// A platform that runs, and its credentials.
pub struct Platform {
    pub port: u16,
    pub credentials: StoredCredentials,
    process: Process,
}

/// Starts the gateway with the mock as its provider. With `guard`, its guard evaluates each call.
pub async fn start_gateway(run: &Path, mock_port: u16, guard: bool) -> Result<(Target, Process)> {
    let Platform { port, credentials, process } = Platform::start(run).await?;
    let ada = credentials.users.get("ada").ok_or("the credentials have no user ada")?;
    let base = format!("http://127.0.0.1:{port}{}", admin::BASE);
    admin::register(&base, &credentials.operator.api_key, mock_port).await?;
    let headers = vec![("authorization".to_owned(), format!("Bearer {}", ada.api_key))];
    let path = format!("{}/chat/completions", admin::BASE);
    let service = Service::Chat { model: admin::MODEL.to_owned(), guard };
    Ok((Target { port, path, headers, service }, process))
}

/// Starts the webhook of a published workflow.
pub async fn start_webhook(run: &Path) -> Result<(Target, Process)> {
    let platform = Platform::start(run).await?;
    let target = platform.publish(run, &flow::graph(), Service::Workflow).await?;
    Ok((target, platform.process))
}

/// Starts the webhooks of a workflow without effects and of one that calls the mock.
pub async fn start_webhooks(run: &Path, mock_port: u16) -> Result<([Target; 2], Process)> {
    let platform = Platform::start(run).await?;
    let plain = platform.publish(run, &flow::graph(), Service::Workflow).await?;
    let calling = platform.publish(run, &flow::graph_with_call(mock_port), Service::WorkflowWithCall).await?;
    Ok(([plain, calling], platform.process))
}

impl Platform {
    /// Publishes a graph, and returns its webhook.
    async fn publish(&self, run: &Path, graph: &Value, service: Service) -> Result<Target> {
        let issuer = Issuer::open(&run.join(DATA)).map_err(|failure| failure.to_string())?;
        let issuer = issuer.ok_or("the data folder has no issuer")?;
        let ada = Subject { user: "ada".to_owned(), org: "acme".to_owned(), role: Role::Member };
        let token = issuer.token(&ada, Duration::from_secs(600));
        let webhook = publication::publish(&format!("http://127.0.0.1:{}", self.port), &token, graph).await?;
        let headers = vec![("authorization".to_owned(), format!("Bearer {}", webhook.token))];
        Ok(Target { port: self.port, path: webhook.path, headers, service })
    }

    async fn start(run: &Path) -> Result<Self> {
        let binary = build().await?;
        let data = run.join(DATA);
        fs::create_dir_all(&data)?;
        let port = free_port()?;
        let mut command = server(binary);
        command.args(["--port", &port.to_string(), "--data-dir"]).arg(&data);
        let process = Process::serve(&mut command, port, &run.join("atelier.log")).await?;

        let credentials = StoredCredentials::read(&data)
            .map_err(|failure| failure.to_string())?
            .ok_or("the platform wrote no credentials")?;
        Ok(Self { port, credentials, process })
    }
}

/// Builds the binary `local` into the target folder that this binary is in.
async fn build() -> Result<PathBuf> {
    let own = env::current_exe()?;
    let target = own.ancestors().nth(2).ok_or("this binary is not in a cargo target folder")?;
    let mut cargo = Command::from(binaries::cargo());
    cargo.args(["build", "--release", "--target-dir"]).arg(target);
    // This crate is built with it: the dependencies then have the same features as here, and are not built again.
    cargo.args(["-p", "local", "-p", env!("CARGO_PKG_NAME"), "--bin", "local"]);
    let built = Process::start(&mut cargo)?.end(BUILD).await;
    built.map_err(|cause| format!("cargo could not build `local`: {cause}"))?;
    Ok(target.join("release/local"))
}
