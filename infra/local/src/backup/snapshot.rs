//! The state of one moment, in a folder beside the data: links to files that are never changed in place, and a copy of the tables.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{CREDENTIALS, ISSUER, QUEUES};
use crate::data_dir::{DYNAMODB, KMS, S3, create_private};
use crate::failure::Failure;

/// The folder of the snapshot. It is in the data folder, because links do not lead to other disks.
const STAGING: &str = "backup.tmp";
/// The file whose lock says that a process writes a backup.
const LOCK: &str = "backup.lock";

/// The folder is deleted on drop.
pub struct Staging {
    folder: PathBuf,
    /// The operating system releases the lock when the process ends, even after a kill.
    _lock: File,
}

impl Staging {
    pub fn take(folder: &Path) -> Result<Self, Failure> {
        let unusable = |cause| Failure::Folder { folder: folder.to_owned(), cause };
        let lock = File::create(folder.join(LOCK)).map_err(unusable)?;
        if lock.try_lock().is_err() {
            let message = format!("another backup of {} is being written; wait for its end", folder.display());
            return Err(Failure::Other(message));
        }
        let staging = Self { folder: folder.join(STAGING), _lock: lock };
        // What a killed process has left.
        match fs::remove_dir_all(&staging.folder) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(unusable(cause)),
            _ => {}
        }
        staging.fill(folder)?;
        Ok(staging)
    }

    fn fill(&self, folder: &Path) -> Result<(), Failure> {
        let failed = |cause: io::Error| {
            Failure::Other(format!(
                "{} cannot be copied ({cause}); check the disk and its free space",
                folder.display()
            ))
        };
        let link = |name: &str| link_tree(&folder.join(name), &self.folder.join(name)).map_err(failed);
        create_private(&self.folder).map_err(failed)?;
        link(QUEUES)?;
        link(S3)?;
        database::copy(&folder.join(DYNAMODB), &self.folder.join(DYNAMODB)).map_err(|error| Failure::Damaged {
            folder: folder.to_owned(),
            file: folder.join(DYNAMODB),
            cause: error.to_string(),
        })?;
        [S3, KMS, CREDENTIALS, ISSUER].into_iter().try_for_each(link)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Links the files below `from` to the same names below `to`. Files that are there stay: they may have been replaced since.
fn link_tree(from: &Path, to: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(from) {
        Ok(found) => found.file_type(),
        // Deleted meanwhile.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if kind.is_dir() {
        create_private(to)?;
        return fs::read_dir(from)?.try_for_each(|entry| {
            let entry = entry?;
            link_tree(&entry.path(), &to.join(entry.file_name()))
        });
    }
    if let Some(parent) = to.parent() {
        create_private(parent)?;
    }
    match fs::hard_link(from, to) {
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => Ok(()),
        // Some file systems have no links.
        Err(_) => fs::copy(from, to).map(drop),
        Ok(()) => Ok(()),
    }
}
