//! Installs what is compared once into the cache folder, each in a pinned version.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;

use crate::Result;
use tests::process::Process;

/// The time limit of one command. `LiteLLM` has a hundred dependencies.
const PATIENCE: Duration = Duration::from_secs(540);
/// The marker file, written last: a folder without it is incomplete.
const DONE: &str = "installed";
/// One version for everything that needs Node, so that the Node of the machine changes no result.
const NODE_VERSION: &str = "22.23.3";

/// Installs packages of npm, and returns the folder `node_modules`.
pub async fn install_from_npm(cache: &Path, name: &str, packages: &[String]) -> Result<PathBuf> {
    let folder = cache.join(name);
    let mut npm = Command::new("npm");
    // Without the scripts of the packages, some of which report the installation to their vendor.
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(&folder).args(packages);
    install_once(&folder, [npm]).await?;
    Ok(folder.join("node_modules"))
}

/// Installs a package of `PyPI` into a virtual environment, and returns the folder of its commands.
pub async fn install_from_pypi(cache: &Path, name: &str, package: &str) -> Result<PathBuf> {
    let folder = cache.join(name);
    let binaries = folder.join("bin");
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(&folder);
    let mut pip = Command::new(binaries.join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", package]);
    install_once(&folder, [venv, pip]).await?;
    Ok(binaries)
}

/// Installs Node, and returns its binary.
pub async fn install_node(cache: &Path) -> Result<PathBuf> {
    let package = format!("node-linux-{}", architecture()?);
    let name = format!("node-{NODE_VERSION}");
    let modules = install_from_npm(cache, &name, &[format!("{package}@{NODE_VERSION}")]).await?;
    Ok(modules.join(package).join("bin/node"))
}

/// The architecture of this machine, as npm names it.
pub fn architecture() -> Result<&'static str> {
    match env::consts::ARCH {
        "x86_64" => Ok("x64"),
        "aarch64" => Ok("arm64"),
        other => Err(format!("npm has no binary for {other}; use x86_64 or aarch64").into()),
    }
}

/// Runs the commands that fill the folder, unless it is complete.
async fn install_once(folder: &Path, commands: impl IntoIterator<Item = Command>) -> Result<()> {
    if folder.join(DONE).exists() {
        return Ok(());
    }
    println!("installing into {} …", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for command in commands {
        run(command).await?;
    }
    fs::write(folder.join(DONE), "")?;
    Ok(())
}

/// Runs a command. Its output explains a failure.
pub async fn run(mut command: Command) -> Result<()> {
    let ended = Process::start(&mut command)?.end(PATIENCE).await;
    Ok(ended.map_err(|cause| format!("{} failed: {cause}", command.as_std().get_program().display()))?)
}
