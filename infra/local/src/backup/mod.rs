//! `local backup` and `local restore`: the data folder as one file.
//!
//! A backup has the state of one moment, also while the platform runs:
//!
//! 1. the queues first, because a message about older work does no harm, while one about work that the backup lacks has no work;
//! 2. links to all objects, then the tables in one read of the database, then links to the objects that are new since. So each
//!    object to which the tables refer is there, even if it is deleted meanwhile;
//! 3. the keys after the tables, because a key is stored before the first secret that it encrypts.
//!
//! The files of workbenches belong to their users' programs. They are copied as they are found.

mod archive;
mod restore;
mod snapshot;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use restore::restore;

use crate::data_dir::{self, DATA_FORMAT, DYNAMODB, DataDir, KMS, REQUIRED, S3};
use crate::failure::Failure;
use archive::Writer;
use snapshot::Staging;

/// The first entry of a backup.
const HEADER: &str = "atelier-backup.json";
const QUEUES: &str = "awsim/snapshots/sqs.json";
const CREDENTIALS: &str = "credentials.json";
const ISSUER: &str = "issuer.json";
/// The folders that the programs of workbenches write.
const WORKBENCHES: [&str; 2] = [data_dir::WORKBENCHES, data_dir::SHARED];
/// Everything else that a backup holds.
const FILES: [&str; 6] = [QUEUES, DYNAMODB, S3, KMS, CREDENTIALS, ISSUER];

#[derive(Debug, Deserialize, Serialize)]
struct Header {
    /// The format of the data folder.
    format: u32,
    /// The version of the program that has written the backup.
    version: String,
}

/// What a backup or a restored folder holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub files: u64,
    /// The sum of the files' sizes.
    pub bytes: u64,
}

/// `12 files with 34.5 MB`
impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "one decimal place is shown")]
        let megabytes = self.bytes as f64 / 1e6;
        write!(f, "{} files with {megabytes:.1} MB", self.files)
    }
}

/// Writes the data of `folder` to a file; `-` is the standard output. The platform may run meanwhile.
pub fn backup(folder: &Path, file: &Path) -> Result<Contents, Failure> {
    if !folder.join(DYNAMODB).exists() {
        return Err(Failure::NotStarted { folder: folder.to_owned() });
    }
    if let Some(missing) = REQUIRED.iter().find(|name| !folder.join(name).exists()) {
        return Err(Failure::Missing { folder: folder.to_owned(), file: folder.join(missing) });
    }
    // Keeps the platform from starting while a stopped one is copied.
    let stopped = match DataDir::open(folder) {
        Ok(data) => Some(data),
        Err(Failure::InUse { .. }) => None,
        Err(failure) => return Err(failure),
    };
    if let Some(data) = &stopped {
        crate::services::check_log(&folder.join(DYNAMODB), data)?;
    }
    if file == Path::new("-") {
        let (contents, _) = write(folder, io::stdout().lock())?;
        return Ok(contents);
    }
    if file.exists() {
        return Err(Failure::Other(format!("{} exists; choose another name for the backup", file.display())));
    }
    let unwritable = |cause: io::Error| unwritable(file, &cause);
    let draft = Draft(PathBuf::from(format!("{}.{}.tmp", file.display(), std::process::id())));
    let opened = File::create_new(&draft.0).map_err(unwritable)?;
    let (contents, opened) = write(folder, opened)?;
    opened.sync_all().and_then(|()| fs::hard_link(&draft.0, file)).map_err(unwritable)?;
    Ok(contents)
}

fn unwritable(file: &Path, cause: &io::Error) -> Failure {
    Failure::Other(format!("the backup {} cannot be written ({cause}); choose another place", file.display()))
}

/// A file that is deleted on drop.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn write<W: Write>(folder: &Path, out: W) -> Result<(Contents, W), Failure> {
    let staging = Staging::take(folder)?;
    let unreadable =
        |cause: io::Error| Failure::Other(format!("the backup cannot be written ({cause}); nothing is lost"));
    let mut writer = Writer::new(out);
    let header = Header { format: DATA_FORMAT, version: env!("CARGO_PKG_VERSION").to_owned() };
    let header = serde_json::to_vec(&header).unwrap_or_default();
    writer.add_bytes(HEADER, &header).map_err(unreadable)?;
    for name in FILES {
        writer.add(staging.folder(), name).map_err(unreadable)?;
    }
    for name in WORKBENCHES {
        writer.add(folder, name).map_err(unreadable)?;
    }
    writer.finish().map_err(unreadable)
}
