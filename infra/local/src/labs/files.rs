//! The folders of workbenches: `<id>/home` with the files of its users, and `<id>/log` with the output of its program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use domain::id::WorkbenchId;
use domain::{Error, Result};
use tokio::task::spawn_blocking;

use crate::data_dir::create_private;

/// A larger folder is measured only in part, so that a step takes a bounded time.
const MAX_MEASURED_FILES: u32 = 200_000;
/// The output of a program is discarded beyond this size.
const MAX_LOG_BYTES: u64 = 10 << 20;

pub struct Folders {
    root: PathBuf,
    sockets: SocketFolder,
}

/// A folder for sockets in the system's folder for temporary files: the path of a socket has at most 104 bytes.
struct SocketFolder(PathBuf);

impl Drop for SocketFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub struct LabFolder {
    root: PathBuf,
    /// The storage of the workbench.
    pub home: PathBuf,
    pub log: PathBuf,
    /// The socket of its program.
    pub socket: PathBuf,
}

impl LabFolder {
    /// The size of the files in the home folder, in bytes.
    pub async fn measure(&self) -> Result<u64> {
        let (home, log) = (self.home.clone(), self.log.clone());
        let measure = move || {
            shorten(&log);
            let mut left = MAX_MEASURED_FILES;
            size(&home, &mut left)
        };
        spawn_blocking(measure).await.map_err(Error::internal)
    }
}

impl Folders {
    pub fn new(root: PathBuf) -> Self {
        let unique = uuid::Uuid::now_v7().simple();
        // Programs run in other folders than the platform.
        let root = std::path::absolute(&root).unwrap_or(root);
        Self { root, sockets: SocketFolder(std::env::temp_dir().join(format!("atelier-{unique}"))) }
    }

    pub fn of(&self, id: WorkbenchId) -> LabFolder {
        let root = self.root.join(id.to_string());
        let socket = self.sockets.0.join(id.uuid().simple().to_string());
        LabFolder { home: root.join("home"), log: root.join("log"), socket, root }
    }

    pub async fn create(&self, id: WorkbenchId) -> Result<LabFolder> {
        let folder = self.of(id);
        for path in [&folder.home, &self.sockets.0] {
            create_private(path).map_err(|cause| failed("created", path, &cause))?;
        }
        // A program that was killed has left its socket.
        let _ = fs::remove_file(&folder.socket);
        Ok(folder)
    }

    /// Removes a folder with everything in it. A missing one is no error.
    pub async fn remove(&self, id: WorkbenchId) -> Result<()> {
        let root = self.of(id).root;
        let remove = move || remove_all(&root).map_err(|cause| failed("removed", &root, &cause));
        spawn_blocking(remove).await.map_err(Error::internal)?
    }
}

fn failed(what: &str, path: &Path, cause: &io::Error) -> Error {
    Error::internal(format!("{} cannot be {what}: {cause}", path.display()))
}

fn remove_all(root: &Path) -> io::Result<()> {
    match fs::remove_dir_all(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // A user may have made a folder read-only.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(root)?;
            fs::remove_dir_all(root)
        }
        result => result,
    }
}

fn make_writable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

/// Links are not followed.
fn size(folder: &Path, left: &mut u32) -> u64 {
    let mut total = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        total += match entry.file_type() {
            Ok(kind) if kind.is_dir() => size(&entry.path(), left),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |metadata| metadata.len()),
            _ => 0,
        };
    }
    total
}

fn shorten(log: &Path) {
    if fs::metadata(log).is_ok_and(|metadata| metadata.len() > MAX_LOG_BYTES) {
        let emptied = fs::OpenOptions::new().write(true).open(log).and_then(|log| log.set_len(0));
        if let Err(error) = emptied {
            tracing::warn!(?error, "the log of a lab could not be shortened");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::DataDir;

    #[tokio::test]
    async fn a_folder_is_measured_and_removed_with_its_read_only_parts() {
        let data = DataDir::temporary().unwrap();
        let folders = Folders::new(data.folder().join("workbenches"));
        let id = WorkbenchId::new();
        let folder = folders.create(id).await.unwrap();
        let inner = folder.home.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("file"), [0; 1_000]).unwrap();
        std::os::unix::fs::symlink("/", folder.home.join("everything")).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(folder.measure().await.unwrap(), 1_000);
        folders.remove(id).await.unwrap();
        assert!(!folder.root.exists());
        folders.remove(id).await.unwrap();
    }
}
