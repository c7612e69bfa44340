//! Atelier on one machine, for measurements: the release build of `local` in a process of its own, with its data on disk.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use domain::identity::Role;
use local::credentials::StoredCredentials;
use local::issuer::{Issuer, Subject};
use tokio::process::Command;

use crate::binaries;
use crate::process::{Process, Result, free_port, server};

/// The time limit of a clean build on a slow machine.
const BUILD: Duration = Duration::from_secs(1_800);
/// How long the tokens of a measurement are valid.
const TOKEN_LIFE: Duration = Duration::from_secs(25 * 3_600);

/// A platform that runs, and its credentials.
pub struct ServedLocal {
    pub port: u16,
    pub credentials: StoredCredentials,
    issuer: Issuer,
    pub process: Process,
}

impl ServedLocal {
    /// Starts a build of `local` with an empty data folder.
    pub async fn start(binary: &Path, folder: &Path, sync_full: bool) -> Result<Self> {
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
        Ok(Self { port, credentials, issuer, process })
    }

    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// An access token of a user of the organization `acme`.
    pub fn token(&self, user: &str, role: Role) -> String {
        let subject = Subject { user: user.to_owned(), org: "acme".to_owned(), role };
        self.issuer.token(&subject, TOKEN_LIFE)
    }
}

/// Builds binaries of `local` and of this crate into the target folder that this program is in, and returns their folder.
pub async fn build(programs: &[&str]) -> Result<PathBuf> {
    let own = env::current_exe()?;
    let target = own.ancestors().nth(2).ok_or("this program is not in a cargo target folder")?;
    let mut cargo = Command::from(binaries::cargo());
    cargo.args(["build", "--release", "--target-dir"]).arg(target);
    // This crate is built with it: the dependencies then have the same features as here, and are not built again.
    cargo.args(["-p", "local", "-p", env!("CARGO_PKG_NAME")]);
    for program in programs {
        cargo.args(["--bin", program]);
    }
    let built = Process::start(&mut cargo)?.end(BUILD).await;
    built.map_err(|cause| format!("cargo could not build {}: {cause}", programs.join(" and ")))?;
    Ok(target.join("release"))
}
