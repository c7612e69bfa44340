//! The folder that holds the platform's data, used by one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

pub struct DataDir {
    folder: PathBuf,
    /// For data that is to be gone with the process.
    temporary: Option<PathBuf>,
    /// Held as long as the process lives; the system lets go of it even after a kill.
    _lock: Option<File>,
}

impl DataDir {
    /// A folder whose data stays.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let unusable = |cause| Failure::Folder { folder: folder.to_owned(), cause };
        create_private(folder).map_err(unusable)?;
        let lock = File::create(folder.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(cause)) => return Err(unusable(cause)),
        }
        create_private(&folder.join("s3")).map_err(unusable)?;
        Ok(Self { folder: folder.to_owned(), temporary: None, _lock: Some(lock) })
    }

    /// Data in memory, and objects in a temporary folder; only who may come in stays in `folder`.
    pub fn ephemeral(folder: &Path) -> Result<Self, Failure> {
        let unusable = |cause| Failure::Folder { folder: folder.to_owned(), cause };
        create_private(folder).map_err(unusable)?;
        let temporary = std::env::temp_dir().join(format!("atelier-{}", uuid::Uuid::now_v7().simple()));
        create_private(&temporary).map_err(unusable)?;
        Ok(Self { folder: folder.to_owned(), temporary: Some(temporary), _lock: None })
    }

    /// A folder of one's own that goes with the process: for tests.
    pub fn temporary() -> Result<Self, Failure> {
        let mut data = Self::ephemeral(&std::env::temp_dir())?;
        data.folder = data.s3_folder();
        Ok(data)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn is_ephemeral(&self) -> bool {
        self.temporary.is_some()
    }

    pub fn dynamodb_file(&self) -> Option<PathBuf> {
        (!self.is_ephemeral()).then(|| self.folder.join("dynamodb.sqlite"))
    }

    pub fn awsim_folder(&self) -> Option<PathBuf> {
        (!self.is_ephemeral()).then(|| self.folder.join("awsim"))
    }

    pub fn s3_folder(&self) -> PathBuf {
        self.temporary.clone().unwrap_or_else(|| self.folder.join("s3"))
    }

    pub fn damaged(&self, file: &str, cause: impl ToString) -> Failure {
        Failure::Damaged { folder: self.folder.clone(), file: self.folder.join(file), cause: cause.to_string() }
    }

    pub fn outdated(&self, table: &str) -> Failure {
        Failure::Outdated { folder: self.folder.clone(), table: table.to_owned() }
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_dir_all(temporary);
        }
    }
}

/// Creates a folder that only its owner can look into.
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Writes a file that only its owner can read, whole or not at all.
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
