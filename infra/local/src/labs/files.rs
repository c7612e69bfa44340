//! The folders of workbenches: `<id>/home` with the files of its users, and `<id>/log` with the output of its program; and the
//! folder that the workbenches of an organization share.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use domain::id::{OrgId, WorkbenchId};
use domain::{Error, Result};
use tokio::task::spawn_blocking;

use crate::DataDir;
use crate::data_dir::create_private;

/// A larger folder is measured only in part, so that a step takes a bounded time.
const MAX_MEASURED_FILES: u32 = 200_000;
/// The folder that an organization shares is reported beyond this size.
const MAX_SHARED_BYTES: u64 = 50 << 30;
/// The link to it in the home of a workbench.
const SHARED_LINK: &str = "shared";
/// The output of a program is discarded beyond this size.
const MAX_LOG_BYTES: u64 = 10 << 20;

pub struct Folders {
    root: PathBuf,
    /// The folder of the folders that organizations share.
    shared: PathBuf,
    sockets: SocketFolder,
}

/// A folder for sockets in the system's folder for temporary files: the path of a socket has at most 104 bytes.
struct SocketFolder(PathBuf);

impl Drop for SocketFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Clone)]
pub struct LabFolder {
    pub root: PathBuf,
    /// The storage of the workbench.
    pub home: PathBuf,
    pub log: PathBuf,
    /// The socket of its program.
    pub socket: PathBuf,
}

impl LabFolder {
    /// The size of the files in the home folder, in bytes.
    pub async fn measure(&self) -> Result<u64> {
        let folder = self.clone();
        spawn_blocking(move || folder.storage_bytes()).await.map_err(Error::internal)
    }

    /// Like [`Self::measure`], for code that may block.
    pub fn storage_bytes(&self) -> u64 {
        let mut remaining = MAX_MEASURED_FILES;
        size(&self.home, &mut remaining)
    }

    /// Opens an empty log. The program appends to it, so that it can be truncated meanwhile.
    pub fn open_log(&self) -> io::Result<File> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log)?;
        log.set_len(0)?;
        Ok(log)
    }

    /// Discards a log that has become too large.
    pub fn truncate_log(&self) {
        if fs::metadata(&self.log).is_ok_and(|metadata| metadata.len() > MAX_LOG_BYTES) {
            let truncated = OpenOptions::new().write(true).open(&self.log).and_then(|log| log.set_len(0));
            if let Err(error) = truncated {
                tracing::warn!(?error, "the log of a lab could not be truncated");
            }
        }
    }

    /// The end of the log, for the message about a program that has ended.
    pub async fn log_end(&self) -> String {
        let log = self.log.clone();
        let read = spawn_blocking(move || read_end(&log)).await.map_err(io::Error::other);
        String::from_utf8_lossy(&read.and_then(|end| end).unwrap_or_default()).trim().to_owned()
    }
}

fn read_end(log: &Path) -> io::Result<Vec<u8>> {
    const MAX_BYTES: u64 = 600;
    let mut log = File::open(log)?;
    let length = log.metadata()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(MAX_BYTES)))?;
    let mut end = Vec::new();
    log.take(MAX_BYTES).read_to_end(&mut end)?;
    Ok(end)
}

impl Folders {
    pub fn new(data: &DataDir) -> Self {
        let unique = uuid::Uuid::now_v7().simple();
        // Programs run in other folders than the platform.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let (root, shared) = (absolute(data.labs_folder()), absolute(data.shared_folder()));
        Self { root, shared, sockets: SocketFolder(std::env::temp_dir().join(format!("atelier-{unique}"))) }
    }

    /// The folder of all labs.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn folder(&self, id: WorkbenchId) -> LabFolder {
        let root = self.root.join(id.to_string());
        let socket = self.sockets.0.join(id.uuid().simple().to_string());
        LabFolder { home: root.join("home"), log: root.join("log"), socket, root }
    }

    pub async fn create(&self, id: WorkbenchId) -> Result<LabFolder> {
        let (folder, sockets) = (self.folder(id), self.sockets.0.clone());
        let create = move || {
            for path in [&folder.home, &sockets] {
                create_private(path).map_err(|cause| failed("created", path, &cause))?;
            }
            // A program that was killed has left its socket.
            let _ = fs::remove_file(&folder.socket);
            Ok(folder)
        };
        spawn_blocking(create).await.map_err(Error::internal)?
    }

    /// Links the folder that an organization shares into a home. Returns its path. A file of the user with the name of the link
    /// stays.
    pub async fn share(&self, org: OrgId, folder: &LabFolder) -> Result<String> {
        let (shared, link) = (self.shared_by(org), folder.home.join(SHARED_LINK));
        let path = shared.display().to_string();
        let share = move || {
            create_private(&shared).map_err(|cause| failed("created", &shared, &cause))?;
            replace_link(&shared, &link).map_err(|cause| failed("linked", &shared, &cause))
        };
        spawn_blocking(share).await.map_err(Error::internal)??;
        Ok(path)
    }

    /// The size of the folder that an organization shares, in bytes, and its maximum.
    pub async fn measure_shared(&self, org: OrgId) -> Result<(u64, u64)> {
        let shared = self.shared_by(org);
        let measure = move || {
            let mut remaining = MAX_MEASURED_FILES;
            size(&shared, &mut remaining)
        };
        Ok((spawn_blocking(measure).await.map_err(Error::internal)?, MAX_SHARED_BYTES))
    }

    fn shared_by(&self, org: OrgId) -> PathBuf {
        self.shared.join(org.to_string())
    }

    /// Removes a folder with everything in it. A missing one is no error.
    pub async fn remove(&self, id: WorkbenchId) -> Result<()> {
        let root = self.folder(id).root;
        let remove = move || remove_all(&root).map_err(|cause| failed("removed", &root, &cause));
        spawn_blocking(remove).await.map_err(Error::internal)?
    }
}

/// Makes a link to a folder, in place of a link to elsewhere: the data of the platform may have moved.
fn replace_link(folder: &Path, link: &Path) -> io::Result<()> {
    match fs::read_link(link) {
        Ok(target) if target == folder => return Ok(()),
        Ok(_) => fs::remove_file(link)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // It is no link.
        Err(_) => return Ok(()),
    }
    std::os::unix::fs::symlink(folder, link)
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
fn size(folder: &Path, remaining: &mut u32) -> u64 {
    let mut total = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(rest) = remaining.checked_sub(1) else { break };
        *remaining = rest;
        total += match entry.file_type() {
            Ok(kind) if kind.is_dir() => size(&entry.path(), remaining),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |metadata| metadata.len()),
            _ => 0,
        };
    }
    total
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn a_folder_is_measured_and_removed_with_its_read_only_parts() {
        let data = DataDir::temporary().unwrap();
        let folders = Folders::new(&data);
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

    #[tokio::test]
    async fn a_log_stays_small_while_its_program_writes() {
        use std::io::Write;

        let data = DataDir::temporary().unwrap();
        let folder = Folders::new(&data).create(WorkbenchId::new()).await.unwrap();
        let mut log = folder.open_log().unwrap();
        log.write_all(&vec![b'a'; MAX_LOG_BYTES as usize + 1]).unwrap();
        folder.truncate_log();
        log.write_all(b"the end\n").unwrap();
        assert_eq!(fs::metadata(&folder.log).unwrap().len(), 8, "the program must not write at its old position");
        assert_eq!(folder.log_end().await, "the end");
        log.write_all(&[b'b'; 1_000]).unwrap();
        assert_eq!(folder.log_end().await, "b".repeat(600));
    }
}
