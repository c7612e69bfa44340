//! Installs and starts a server of the official SDK for Python: stateless, and with answers in JSON, as it is fastest.

use std::fs;
use std::path::Path;

use super::{MOCK_PATH, target};
use crate::load::Target;
use crate::{Result, install};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "2.3.0";

pub async fn start(cache: &Path, folder: &Path) -> Result<(Target, Process)> {
    let package = format!("mcp=={VERSION}");
    let binaries = install::install_from_pypi(cache, &format!("mcp-{VERSION}"), &package).await?;
    let program = folder.join("fastmcp.py");
    fs::write(&program, include_str!("fastmcp.py"))?;
    let port = free_port()?;
    let mut command = server(binaries.join("python"));
    command.arg(program).arg(port.to_string());
    let process = Process::serve(&mut command, port, &folder.join("fastmcp.log")).await?;
    Ok((target(port, MOCK_PATH, Vec::new()), process))
}
