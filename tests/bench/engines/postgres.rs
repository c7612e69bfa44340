//! A cluster of Debian's `PostgreSQL` with its default settings, so with `fsync`, in a folder of its own.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::{Result, install};
use tests::process::{Process, free_port, server};

/// Where Debian installs the versions of `PostgreSQL`.
const INSTALLED: &str = "/usr/lib/postgresql";
const USER: &str = "bench";

pub struct Postgres {
    /// The URL of a database, which its user creates.
    pub url: String,
    pub process: Process,
}

/// The user that the server runs as. `PostgreSQL` refuses to run as root, so it is Debian's user `postgres` then.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Postgres {
    pub async fn start(folder: &Path) -> Result<Self> {
        let (binaries, owner) = (install().await?, Owner::find()?);
        let (data, port) = (folder.join("postgres"), free_port()?);
        fs::create_dir(&data)?;
        if let Some(Owner { user, group }) = owner {
            chown(&data, Some(user), Some(group))?;
        }
        let mut initialize = command(&binaries.join("initdb"), owner, &data);
        initialize.args(["--username", USER, "--auth", "trust", "--no-instructions"]).stdout(Stdio::null());
        install::run(initialize).await?;

        let mut postgres = command(&binaries.join("postgres"), owner, &data);
        postgres.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]);
        let is_ready = async || {
            let mut check = Command::new(binaries.join("pg_isready"));
            check.args(["--quiet", "--host", "127.0.0.1", "--port", &port.to_string()]);
            check.status().await.is_ok_and(|status| status.success())
        };
        let mut process = Process::serve_when(&mut postgres, &folder.join("postgres.log"), is_ready).await?;
        // An immediate shutdown removes its shared memory, which a kill would leave on the machine.
        process.stop_signal = Some("QUIT");
        Ok(Self { url: format!("postgresql://{USER}@127.0.0.1:{port}/{USER}"), process })
    }
}

impl Owner {
    /// The owner of the cluster, if it is not the user of this process.
    fn find() -> Result<Option<Self>> {
        if !is_root()? {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let owner = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find_map(|user| match user[..] {
            ["postgres", _, user, group, ..] => Some(Self { user: user.parse().ok()?, group: group.parse().ok()? }),
            _ => None,
        });
        owner.map(Some).ok_or_else(|| "there is no user `postgres`, which Debian's package creates".into())
    }
}

/// A command on the folder of a cluster.
fn command(program: &Path, owner: Option<Owner>, data: &Path) -> Command {
    let mut command = server(program);
    command.arg("-D").arg(data).current_dir(data);
    if let Some(Owner { user, group }) = owner {
        command.uid(user).gid(group);
    }
    command
}

/// Returns the folder of the newest version's programs. Installs Debian's version if there is none.
async fn install() -> Result<PathBuf> {
    if let Some(binaries) = find_binaries() {
        return Ok(binaries);
    }
    const PACKAGE: [&str; 4] = ["install", "--yes", "--no-install-recommends", "postgresql"];
    if !is_root()? {
        return Err(format!("PostgreSQL is not installed; run `sudo apt-get {}`", PACKAGE.join(" ")).into());
    }
    println!("installing Debian's package postgresql …");
    let mut apt = Command::new("apt-get");
    apt.args(PACKAGE).env("DEBIAN_FRONTEND", "noninteractive");
    install::run(apt).await?;
    find_binaries().ok_or_else(|| format!("the package postgresql has no server in {INSTALLED}").into())
}

fn find_binaries() -> Option<PathBuf> {
    let versions = fs::read_dir(INSTALLED).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let version = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter(|folder| folder.join("bin/postgres").exists()).max_by_key(version)?;
    Some(newest.join("bin"))
}

fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}
