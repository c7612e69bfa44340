//! Starts Atelier on one machine: the `local` binary with its data on disk and the DynamoDB embedded in its process.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use domain::identity::Role;
use local::credentials::StoredCredentials;
use local::issuer::{Issuer, Subject};
use reqwest::Method;
use serde_json::{Value, json};
use tests::binaries;
use tokio::process::Command;

use crate::call::Service;
use crate::engines::{Counter, Running, Served, Starts};
use crate::flow::{self, Flow, Trigger};
use crate::load::Target;
use crate::process::{Process, free_port, server};
use crate::toolboxes::{self, MOCK_PATH, TOOL};
use crate::{Result, admin, publication};

/// The time limit of a clean build on a slow machine.
const BUILD: Duration = Duration::from_secs(1_800);

/// How long the tokens of a benchmark are valid.
const TOKEN_LIFE: Duration = Duration::from_secs(6 * 3_600);

/// A platform that runs, and its credentials.
pub struct Platform {
    pub port: u16,
    credentials: StoredCredentials,
    /// The access token of a member.
    pub token: String,
    pub process: Process,
}

/// Starts the gateway with the mock as its provider. With `guard`, its guard evaluates each call.
pub async fn start_gateway(folder: &Path, mock_port: u16, guard: bool) -> Result<(Target, Process)> {
    let Platform { port, credentials, process, .. } = Platform::start(folder, false).await?;
    let ada = credentials.users.get("ada").ok_or("the credentials have no user ada")?;
    let base = format!("http://127.0.0.1:{port}{}", admin::BASE);
    admin::register(&base, &credentials.operator.api_key, mock_port).await?;
    let headers = vec![("authorization".to_owned(), format!("Bearer {}", ada.api_key))];
    let path = format!("{}/chat/completions", admin::BASE);
    let service = Service::Chat { model: admin::MODEL.to_owned(), guard };
    Ok((Target { port, path, headers, service }, process))
}

/// Starts the platform with a workflow behind a webhook and another one that is started by hand.
pub async fn start_engine(folder: &Path, flow: Flow, mock_port: u16, sync_full: bool) -> Result<Running> {
    let platform = Platform::start(folder, sync_full).await?;
    let runs = platform.publish_webhook(flow, mock_port).await?;
    let starts = platform.publish_started(&flow.graph(Trigger::Input, mock_port)).await?;
    Ok((Served { runs, starts: Some(starts) }, vec![platform.process]))
}

/// Starts the platform with a workflow that is marked as a tool.
pub async fn start_tool(folder: &Path, flow: Flow) -> Result<(Target, Process)> {
    let platform = Platform::start(folder, false).await?;
    let path = platform.publish(&flow.graph(Trigger::Input, platform.port)).await?;
    let mark = json!({"name": TOOL, "description": "Computes what a customer owes."});
    admin::call(Method::PUT, &format!("{}{path}/tool", platform.base()), &platform.token, &mark).await?;
    let headers = vec![("authorization".to_owned(), format!("Bearer {}", platform.token))];
    Ok((toolboxes::target(platform.port, "/mcp/v1", headers), platform.process))
}

/// Starts the gateway with the mock as an MCP server, of which the key may use one tool.
pub async fn start_door(folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let platform = Platform::start(folder, false).await?;
    let ada = platform.credentials.users.get("ada").ok_or("the credentials have no user ada")?;
    let server = json!({
        "org": ada.org, "name": "mock", "url": format!("http://127.0.0.1:{mock_port}{MOCK_PATH}"),
        "auth": {"type": "none"}, "access": [{"tools": [TOOL]}],
    });
    let servers = format!("{}{}/admin/mcp-servers", platform.base(), admin::BASE);
    admin::call(Method::POST, &servers, &platform.credentials.operator.api_key, &server).await?;
    let headers = vec![("authorization".to_owned(), format!("Bearer {}", ada.api_key))];
    Ok((toolboxes::target(platform.port, &format!("{}/mcp/mock", admin::BASE), headers), platform.process))
}

/// Starts the webhooks of a workflow without effects and of one that calls the mock.
pub async fn start_webhooks(folder: &Path, mock_port: u16) -> Result<([Target; 2], Process)> {
    let platform = Platform::start(folder, false).await?;
    let plain = platform.publish_webhook(Flow::Pure, mock_port).await?;
    let calling = platform.publish_webhook(Flow::Call, mock_port).await?;
    Ok(([plain, calling], platform.process))
}

impl Platform {
    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Publishes a flow behind a webhook.
    async fn publish_webhook(&self, flow: Flow, mock_port: u16) -> Result<Target> {
        let graph = flow.graph(Trigger::Webhook, mock_port);
        let webhook = publication::publish_webhook(&self.base(), &self.token, &graph).await?;
        let headers = vec![("authorization".to_owned(), format!("Bearer {}", webhook.token))];
        Ok(Target { port: self.port, path: webhook.path, headers, service: Service::Runs(flow) })
    }

    /// Publishes a graph, and returns the path of its workflow.
    pub async fn publish(&self, graph: &Value) -> Result<String> {
        publication::publish(&self.base(), &self.token, graph).await
    }

    /// Publishes a graph that is started by hand.
    async fn publish_started(&self, graph: &Value) -> Result<Starts> {
        let path = self.publish(graph).await?;
        let headers = vec![("authorization".to_owned(), format!("Bearer {}", self.token))];
        let body = json!({"input": flow::input()}).to_string();
        let ended = Counter {
            method: Method::GET,
            url: format!("{}{path}/analytics/summary", self.base()),
            token: Some(self.token.clone()),
            body: Value::Null,
            pointer: "/data/runs/completed",
        };
        let service = Service::Starts { body };
        Ok(Starts { target: Target { port: self.port, path: format!("{path}/runs"), headers, service }, ended })
    }

    pub async fn start(folder: &Path, sync_full: bool) -> Result<Self> {
        let binary = build().await?;
        let data = folder.join("data");
        fs::create_dir_all(&data)?;
        let port = free_port()?;
        let mut command = server(binary);
        command.args(["--port", &port.to_string(), "--data-dir"]).arg(&data);
        if sync_full {
            command.args(["--sync", "full"]);
        }
        let process = Process::serve(&mut command, port, &folder.join("atelier.log")).await?;

        let credentials = StoredCredentials::read(&data)
            .map_err(|failure| failure.to_string())?
            .ok_or("the platform wrote no credentials")?;
        let issuer = Issuer::open(&data).map_err(|failure| failure.to_string())?;
        let issuer = issuer.ok_or("the data folder has no issuer")?;
        let ada = Subject { user: "ada".to_owned(), org: "acme".to_owned(), role: Role::Member };
        let token = issuer.token(&ada, TOKEN_LIFE);
        Ok(Self { port, credentials, token, process })
    }
}

/// Builds the binary `local` into the target folder that this binary is in.
pub async fn build() -> Result<PathBuf> {
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
