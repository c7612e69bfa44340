//! Installs and starts `LiteLLM` as its documentation recommends for production: one worker, a master key, no database.

use std::fs;
use std::path::Path;

use crate::load::Target;
use crate::openai::{self, MOCK_MODEL};
use crate::toolboxes::{self, MOCK_PATH, TOOL};
use crate::{Result, install};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "1.106.2";
const KEY: &str = "sk-bench";
const MODEL: &str = "bench";

/// The name of the mock as an MCP server, which its tools have as a prefix.
const SERVER: &str = "mock";

pub async fn start(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let (port, process) = serve(cache, folder, &configure_models(mock_port)).await?;
    Ok((Target { headers: headers(), ..openai::target(port, MODEL) }, process))
}

/// Starts its door to MCP servers.
pub async fn start_door(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let (port, process) = serve(cache, folder, &configure_servers(mock_port)).await?;
    Ok((toolboxes::target_of(port, "/mcp/", headers(), &format!("{SERVER}-{TOOL}")), process))
}

fn headers() -> Vec<(String, String)> {
    vec![("authorization".to_owned(), format!("Bearer {KEY}"))]
}

async fn serve(cache: &Path, folder: &Path, configuration: &str) -> Result<(u16, Process)> {
    let package = format!("litellm[proxy]=={VERSION}");
    let binaries = install::install_from_pypi(cache, &format!("litellm-{VERSION}"), &package).await?;

    let config = folder.join("litellm.yaml");
    fs::write(&config, format!("{configuration}general_settings:\n  master_key: {KEY}\n"))?;
    let port = free_port()?;
    let mut command = server(binaries.join("litellm"));
    command.args(["--host", "127.0.0.1", "--port", &port.to_string(), "--num_workers", "1", "--telemetry", "False"]);
    command.arg("--config").arg(&config);
    // The last setting keeps it from downloading current prices before it starts.
    let settings = ["LITELLM_MODE=PRODUCTION", "LITELLM_LOG=ERROR", "LITELLM_LOCAL_MODEL_COST_MAP=True"];
    command.envs(settings.iter().filter_map(|setting| setting.split_once('=')));
    let process = Process::serve(&mut command, port, &folder.join("litellm.log")).await?;
    Ok((port, process))
}

fn configure_models(mock_port: u16) -> String {
    format!(
        "model_list:
  - model_name: {MODEL}
    litellm_params:
      model: openai/{MOCK_MODEL}
      api_base: http://127.0.0.1:{mock_port}/v1
      api_key: sk-mock
"
    )
}

fn configure_servers(mock_port: u16) -> String {
    format!(
        "mcp_servers:
  {SERVER}:
    url: http://127.0.0.1:{mock_port}{MOCK_PATH}
    transport: http
"
    )
}
