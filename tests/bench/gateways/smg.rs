//! Installs and starts smg, the gateway of `SGLang`, from `PyPI`: it forwards calls to a provider with `OpenAI`'s API.

use std::path::Path;

use crate::load::Target;
use crate::openai;
use crate::process::{Process, free_port, server};
use crate::{Result, install};

pub const VERSION: &str = "1.13.0";

pub async fn start(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let package = format!("smg=={VERSION}");
    let binaries = install::install_from_pypi(cache, &format!("smg-{VERSION}"), &package).await?;
    let (port, metrics_port) = (free_port()?, free_port()?);
    let mut command = server(binaries.join("smg"));
    command.args(["launch", "--host", "127.0.0.1", "--port", &port.to_string(), "--backend", "openai"]);
    command.args(["--worker-urls", &format!("http://127.0.0.1:{mock_port}"), "--log-level", "warn"]);
    command.args(["--prometheus-host", "127.0.0.1", "--prometheus-port", &metrics_port.to_string()]);
    let process = Process::serve(&mut command, port, &folder.join("smg.log")).await?;
    Ok((openai::target(port, openai::MOCK_MODEL), process))
}
