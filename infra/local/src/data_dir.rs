//! The folder that holds the platform's data. A lock file lets one process use it at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The file of the DynamoDB database.
pub const DYNAMODB: &str = "dynamodb.sqlite";
/// The snapshot of the KMS keys.
pub const KMS: &str = "awsim/snapshots/kms.json";
/// The folder of the objects.
pub const S3: &str = "s3";
/// The folder of the folders of workbenches.
pub const WORKBENCHES: &str = "workbenches";
/// The folder of the folders that the workbenches of an organization share.
pub const SHARED: &str = "shared";
/// The format of the folder.
pub const DATA_FORMAT: u32 = database::FORMAT;
/// The file whose lock says that a process uses the folder.
pub const LOCK: &str = "lock";
/// Files and folders without which the stored data cannot be used.
pub const REQUIRED: [&str; 3] = [DYNAMODB, KMS, S3];
/// Files that hold secrets, and folders that contain such files.
pub const SECRET_FILES: [&str; 11] = [
    DYNAMODB,
    "dynamodb.sqlite-wal",
    "dynamodb.sqlite-shm",
    "awsim",
    "awsim/snapshots",
    KMS,
    "awsim/snapshots/sqs.json",
    S3,
    "credentials.json",
    "issuer.json",
    "watch.env",
];

pub struct DataDir {
    folder: PathBuf,
    /// A folder that is deleted on drop.
    temporary: Option<PathBuf>,
    /// The lock on the folder. The operating system releases it when the process ends, even after a kill.
    _lock: Option<File>,
    accepts_loss: bool,
}

impl DataDir {
    /// Opens a folder whose data is kept.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let unusable = |cause| Failure::Folder { folder: folder.to_owned(), cause };
        create_private(folder).map_err(unusable)?;
        let lock = File::create(folder.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(cause)) => return Err(unusable(cause)),
        }
        create_private(&folder.join(S3)).map_err(unusable)?;
        #[cfg(unix)]
        make_private(folder).map_err(unusable)?;
        Ok(Self { folder: folder.to_owned(), temporary: None, _lock: Some(lock), accepts_loss: false })
    }

    /// Keeps tables and queues in memory and objects in a temporary folder. Only the credentials and the issuer's key
    /// are stored in `folder`.
    pub fn ephemeral(folder: &Path) -> Result<Self, Failure> {
        create_private(folder).map_err(|cause| Failure::Folder { folder: folder.to_owned(), cause })?;
        let mut data = Self::temporary()?;
        folder.clone_into(&mut data.folder);
        Ok(data)
    }

    /// Creates a folder that is deleted on drop, for tests and for recording the OpenAPI examples.
    pub fn temporary() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("atelier-{}", uuid::Uuid::now_v7().simple()));
        create_private(&folder.join(S3)).map_err(|cause| Failure::Folder { folder: folder.clone(), cause })?;
        Ok(Self { folder: folder.clone(), temporary: Some(folder), _lock: None, accepts_loss: false })
    }

    /// Lets the platform start although acknowledged writes are lost.
    #[must_use]
    pub fn accept_loss(mut self, accepts_loss: bool) -> Self {
        self.accepts_loss = accepts_loss;
        self
    }

    pub fn accepts_loss(&self) -> bool {
        self.accepts_loss
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn is_ephemeral(&self) -> bool {
        self.temporary.is_some()
    }

    pub fn dynamodb_file(&self) -> Option<PathBuf> {
        (!self.is_ephemeral()).then(|| self.folder.join(DYNAMODB))
    }

    pub fn s3_folder(&self) -> PathBuf {
        self.stored().join(S3)
    }

    pub fn labs_folder(&self) -> PathBuf {
        self.stored().join(WORKBENCHES)
    }

    pub fn shared_folder(&self) -> PathBuf {
        self.stored().join(SHARED)
    }

    /// The folder of what users store.
    fn stored(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.folder)
    }

    /// Files and folders without which the stored data cannot be used.
    pub fn required(&self) -> Vec<PathBuf> {
        REQUIRED.map(|name| self.folder.join(name)).into()
    }

    pub fn missing_file(&self, file: &str) -> Failure {
        Failure::Missing { folder: self.folder.clone(), file: self.folder.join(file) }
    }

    pub fn foreign_file(&self, file: &str, cause: String) -> Failure {
        Failure::Foreign { folder: self.folder.clone(), file: self.folder.join(file), cause }
    }

    pub fn damaged_file(&self, file: &str, cause: impl ToString) -> Failure {
        Failure::Damaged { folder: self.folder.clone(), file: self.folder.join(file), cause: cause.to_string() }
    }

    pub fn lost_writes(&self, file: &str, cause: String) -> Failure {
        Failure::LostWrites { folder: self.folder.clone(), file: self.folder.join(file), cause }
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_dir_all(temporary);
        }
    }
}

/// Creates a folder that only its owner can read. An existing folder keeps its mode, because it may hold other things
/// too; files with secrets are private by their own modes.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut folders = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        folders.mode(0o700);
    }
    folders.recursive(true).create(folder)
}

/// Waits until all written files are on the disk of the folder: their contents and their names.
pub fn sync_disk(folder: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(folder)?)?;
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        rustix::fs::sync();
    }
    Ok(())
}

/// Makes existing files and folders with secrets private: an earlier version or a copy may have left them readable by
/// other users. The data folder itself may hold other things, so its mode is only reported in a warning.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const OTHERS: u32 = 0o077;
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS != 0);
    if is_open(folder) {
        let shown = folder.display();
        tracing::warn!(
            "other users of this machine can read the folder {shown}; make it private with `chmod 700 {shown}`"
        );
    }
    for name in SECRET_FILES {
        let path = folder.join(name);
        if is_open(&path) {
            let mode = fs::metadata(&path)?.permissions().mode() & !OTHERS;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            tracing::warn!("{} was readable by other users of this machine; it is private now", path.display());
        }
    }
    Ok(())
}

/// Writes a file that only its owner can read. The write is atomic: a draft is synced, then renamed.
pub fn write_private(file: &Path, content: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let draft = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut opened = options.open(&draft)?;
    opened.write_all(content)?;
    opened.sync_all()?;
    fs::rename(draft, file)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn existing_folders_keep_their_mode_and_new_ones_are_private() {
        let mode = |folder: &Path| fs::metadata(folder).unwrap().permissions().mode() & 0o7777;
        let around = DataDir::temporary().unwrap();
        let there = around.folder().join("there");
        fs::create_dir(&there).unwrap();
        fs::set_permissions(&there, fs::Permissions::from_mode(0o1777)).unwrap();
        let opened = DataDir::open(&there).unwrap();
        assert_eq!((mode(&there), mode(&opened.s3_folder())), (0o1777, 0o700));
        let ephemeral = DataDir::ephemeral(&there).unwrap();
        assert_eq!((mode(&there), mode(&ephemeral.s3_folder())), (0o1777, 0o700));
        assert_eq!(mode(DataDir::open(&there.join("new/one")).unwrap().folder()), 0o700);
    }
}
