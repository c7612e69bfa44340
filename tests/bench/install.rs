//! Installs other gateways once into the cache folder.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::process::Command;

use crate::Result;
use crate::process::Process;

/// The time limit of one command. `LiteLLM` has a hundred dependencies.
const PATIENCE: Duration = Duration::from_secs(540);
/// The marker file, written last: a folder without it is incomplete.
const DONE: &str = "installed";

/// Runs the commands that fill the folder, unless it is complete.
pub async fn install_once(folder: &Path, commands: impl IntoIterator<Item = Command>) -> Result<()> {
    if folder.join(DONE).exists() {
        return Ok(());
    }
    println!("installing into {} …", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for mut command in commands {
        // The command's own output shows the progress.
        let ended = Process::start(&mut command)?.end(PATIENCE).await;
        ended.map_err(|cause| format!("{} failed: {cause}", command.as_std().get_program().display()))?;
    }
    fs::write(folder.join(DONE), "")?;
    Ok(())
}
