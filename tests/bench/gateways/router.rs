//! Installs and starts a router of model servers from `PyPI`: a Rust program that takes the options of `SGLang`'s router.

use std::path::Path;

use crate::load::Target;
use crate::openai;
use crate::{Result, install};
use tests::process::{Process, free_port, server};

pub struct Router {
    /// The name of the package and of its program.
    pub name: &'static str,
    pub version: &'static str,
    /// The arguments besides the addresses.
    pub args: &'static [&'static str],
}

impl Router {
    pub async fn start(&self, cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
        let Self { name, version, args } = self;
        let package = format!("{name}=={version}");
        let binaries = install::install_from_pypi(cache, &format!("{name}-{version}"), &package).await?;
        let (port, metrics_port) = (free_port()?, free_port()?);
        let mut command = server(binaries.join(name));
        command.args(*args).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command.args(["--worker-urls", &format!("http://127.0.0.1:{mock_port}")]);
        command.args(["--prometheus-host", "127.0.0.1", "--prometheus-port", &metrics_port.to_string()]);
        let process = Process::serve(&mut command, port, &folder.join(format!("{name}.log"))).await?;
        Ok((openai::target(port, openai::MOCK_MODEL), process))
    }
}
