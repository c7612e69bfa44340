//! Installs and starts vllm-router, the router of vLLM, from `PyPI`: it forwards calls to one of several model servers.

use std::path::Path;

use crate::load::Target;
use crate::openai;
use crate::process::{Process, free_port, server};
use crate::{Result, install};

pub const VERSION: &str = "0.1.17";

pub async fn start(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let package = format!("vllm-router=={VERSION}");
    let binaries = install::install_from_pypi(cache, &format!("vllm-router-{VERSION}"), &package).await?;
    let (port, metrics_port) = (free_port()?, free_port()?);
    let mut command = server(binaries.join("vllm-router"));
    command.args(["--host", "127.0.0.1", "--port", &port.to_string(), "--log-level", "warning"]);
    command.args(["--worker-urls", &format!("http://127.0.0.1:{mock_port}")]);
    command.args(["--prometheus-host", "127.0.0.1", "--prometheus-port", &metrics_port.to_string()]);
    let process = Process::serve(&mut command, port, &folder.join("vllm-router.log")).await?;
    Ok((openai::target(port, openai::MOCK_MODEL), process))
}
