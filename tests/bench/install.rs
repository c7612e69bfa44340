//! Programs of others, installed once into the cache.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::process::Command;

use crate::Result;
use crate::process::Process;

/// How long one command may take; `LiteLLM` has a hundred dependencies.
const PATIENCE: Duration = Duration::from_secs(540);
/// Written last: a folder without it is half done.
const DONE: &str = "installed";

/// Runs the commands that fill the folder, unless they did before.
pub async fn once(folder: &Path, commands: impl IntoIterator<Item = Command>) -> Result<()> {
    if folder.join(DONE).exists() {
        return Ok(());
    }
    println!("installing into {} …", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for mut command in commands {
        // What it prints is the progress.
        let ended = Process::start(&mut command)?.end(PATIENCE).await;
        ended.map_err(|cause| format!("{} failed: {cause}", command.as_std().get_program().display()))?;
    }
    fs::write(folder.join(DONE), "")?;
    Ok(())
}
