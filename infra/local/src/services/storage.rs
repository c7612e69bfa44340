//! The health of the embedded services' storage, such as a full disk or a damaged file. Failed calls report the cause,
//! and `/health` shows it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The data of a test write, which checks that the disk accepts data.
const PROBE: [u8; 4096] = [0; 4096];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFailure {
    Full,
    /// The system refuses reads or writes: a broken disk, a file size limit, a read-only file.
    Unusable,
    Damaged,
    Missing,
}

impl StorageFailure {
    /// The cause of an error of `SQLite`; `None` if it is not a storage failure.
    pub fn from_sqlite(message: &str) -> Option<Self> {
        let says = |part: &str| message.contains(part);
        match () {
            () if says("disk is full") => Some(Self::Full),
            () if says("malformed") || says("not a database") || says("not a valid database") => Some(Self::Damaged),
            () if says("I/O error") || says("readonly database") || says("unable to open") => Some(Self::Unusable),
            () => None,
        }
    }

    /// The cause of a failure of the database; `None` if the disk is not the cause.
    pub fn of_database(error: &database::Error) -> Option<Self> {
        match error {
            database::Error::Storage(message) => Self::from_sqlite(message),
            database::Error::Damaged(_) => Some(Self::Damaged),
            database::Error::Newer(_)
            | database::Error::Invalid(_)
            | database::Error::ReusedToken
            | database::Error::Closed => None,
        }
    }

    fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unusable,
        }
    }
}

impl fmt::Display for StorageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the disk is full; free some space",
            Self::Unusable => "the system refuses to read or write it; check the disk, its limits and the permissions",
            Self::Damaged => "it is damaged; stop the platform and restore it from a copy",
            Self::Missing => "it is missing; stop the platform and restore it from a copy",
        })
    }
}

/// The storage failures of all parts, shared by the services.
#[derive(Clone, Default)]
pub struct StorageHealth {
    failures: Arc<Mutex<BTreeMap<String, StorageFailure>>>,
    /// Files and folders that must exist, and the folder that holds them. There are none if all data is in memory.
    required: Arc<[PathBuf]>,
    folder: Option<PathBuf>,
    /// Held during a test write: all of them use the same file.
    probing: Arc<Mutex<()>>,
}

impl StorageHealth {
    pub fn in_folder(folder: &Path, required: Vec<PathBuf>) -> Self {
        Self { required: required.into(), folder: Some(folder.to_owned()), ..Self::default() }
    }

    /// Records a storage failure, and logs it if it is new.
    pub fn report(&self, part: &str, failure: StorageFailure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.insert(part.to_owned(), failure) != Some(failure) {
            tracing::error!("{part} cannot be used: {failure}");
        }
    }

    pub fn report_io(&self, part: &str, error: &io::Error) {
        self.report(part, StorageFailure::from_io(error));
    }

    /// Records a successful write: the part is no longer full or unusable. Damage stays recorded.
    pub fn report_written(&self, part: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.get(part).is_some_and(|failure| matches!(failure, StorageFailure::Full | StorageFailure::Unusable))
        {
            failures.remove(part);
            tracing::info!("{part} can be used again");
        }
    }

    /// Why a write of so many bytes failed; `None` if the disk would accept it. It accesses the disk, like `check`.
    pub fn explain(&self, part: &str, bytes: u64) -> Option<String> {
        if self.folder.as_deref().and_then(available_bytes).is_some_and(|available| available < bytes) {
            self.report(part, StorageFailure::Full);
        }
        describe(&self.check())
    }

    /// Returns the parts that cannot be used now. It accesses the disk, so async code must not call it directly.
    pub fn check(&self) -> Vec<(String, StorageFailure)> {
        if let Some(folder) = &self.folder {
            for path in self.required.iter().filter(|path| !path.exists()) {
                let part = path.strip_prefix(folder).unwrap_or(path).display().to_string();
                self.report(&part, StorageFailure::Missing);
            }
            const FOLDER: &str = "the data folder";
            let _alone = self.probing.lock().unwrap_or_else(PoisonError::into_inner);
            match probe(folder) {
                Ok(()) => self.report_written(FOLDER),
                Err(error) => self.report_io(FOLDER, &error),
            }
        }
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.iter().map(|(part, failure)| (part.clone(), *failure)).collect()
    }
}

/// The parts that cannot be used, in one line; `None` if there are none.
pub fn describe(failures: &[(String, StorageFailure)]) -> Option<String> {
    let parts: Vec<_> = failures.iter().map(|(part, failure)| format!("{part}: {failure}")).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn available_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn probe(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!("probe.{}.tmp", std::process::id()));
    let written = fs::File::create(&file).and_then(|mut file| file.write_all(&PROBE));
    let removed = fs::remove_file(&file);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_disk_are_recognized() {
        for (message, failure) in [
            ("backend: database or disk is full", Some(StorageFailure::Full)),
            ("Internal error: disk I/O error", Some(StorageFailure::Unusable)),
            ("attempt to write a readonly database", Some(StorageFailure::Unusable)),
            ("backend: database disk image is malformed", Some(StorageFailure::Damaged)),
            ("file is not a database", Some(StorageFailure::Damaged)),
            ("backend: database is locked or busy", None),
        ] {
            assert_eq!(StorageFailure::from_sqlite(message), failure, "{message}");
        }
    }

    #[test]
    fn the_next_write_clears_a_full_disk_but_not_damage() {
        let storage = StorageHealth::default();
        storage.report("dynamodb.sqlite", StorageFailure::Full);
        assert_eq!(storage.check(), [("dynamodb.sqlite".to_owned(), StorageFailure::Full)]);
        storage.report_written("dynamodb.sqlite");
        assert_eq!(storage.check(), []);
        storage.report("dynamodb.sqlite", StorageFailure::Damaged);
        storage.report_written("dynamodb.sqlite");
        assert_eq!(storage.check(), [("dynamodb.sqlite".to_owned(), StorageFailure::Damaged)]);
    }

    #[test]
    fn checks_at_the_same_time_find_no_failure() {
        let data = crate::DataDir::temporary().unwrap();
        let health = StorageHealth::in_folder(data.folder(), Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(health.check(), [])));
            }
        });
    }
}
