//! Starts Atelier on one machine: the `local` binary with its data on disk and the DynamoDB embedded in its process.

use std::path::Path;

use domain::identity::Role;
use local::credentials::StoredCredentials;
use reqwest::Method;
use serde_json::{Value, json};
use tests::process::Process;
use tests::served::{ServedLocal, build};

use crate::call::Service;
use crate::engines::{Counter, Running, Served, Starts};
use crate::flow::{self, Flow, Trigger};
use crate::load::Target;
use crate::toolboxes::{self, MOCK_PATH, TOOL};
use crate::{Result, admin, publication};

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
        let binary = build(&["local"]).await?.join("local");
        let served = ServedLocal::start(&binary, folder, sync_full).await?;
        let token = served.token("ada", Role::Member);
        let ServedLocal { port, credentials, process, .. } = served;
        Ok(Self { port, credentials, token, process })
    }
}
