//! Restores a backup into a new data folder.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Contents, FILES, HEADER, Header, WORKBENCHES, archive};
use crate::data_dir::{DATA_FORMAT, DYNAMODB, KMS, REQUIRED, create_private, sync_disk};
use crate::failure::Failure;

/// Where a backup is unpacked. It is in the data folder, which may be another disk, or the only folder that this user can write.
const UNPACKED: &str = "restore.tmp";

/// Restores the backup `file` as `folder`, which must not have data yet. A failed attempt leaves nothing.
pub fn restore(file: &Path, folder: &Path) -> Result<Contents, Failure> {
    let shown = folder.display();
    let unusable = |cause: io::Error| Failure::Folder { folder: folder.to_owned(), cause };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::Other(format!(
            "the folder {shown} is not empty; move it away, or choose another folder with --data-dir"
        )));
    }
    let opened = File::open(file);
    let opened = opened.map_err(|cause| Failure::Other(format!("{} cannot be read ({cause})", file.display())))?;
    let header = archive::check(&opened, HEADER).map_err(|cause| refused(file, &cause))?;
    check_header(file, header.as_deref())?;
    let draft = Draft { folder: folder.to_owned(), unpacked: folder.join(UNPACKED), is_new: !folder.exists() };
    create_private(&draft.unpacked).map_err(unusable)?;
    let contents =
        archive::unpack(&opened, &draft.unpacked, HEADER, is_expected).map_err(|cause| refused(file, &cause))?;
    if let Some(missing) = REQUIRED.iter().find(|name| !draft.unpacked.join(name).exists()) {
        return Err(no_backup(file, &format!("it lacks {missing}")));
    }
    database::check(&draft.unpacked.join(DYNAMODB))
        .map_err(|error| no_backup(file, &format!("{DYNAMODB}: {error}")))?;
    let _ = fs::remove_file(draft.unpacked.join(HEADER));
    sync_disk(&draft.unpacked).and_then(|()| move_up(&draft.unpacked, folder)).map_err(unusable)?;
    Ok(contents)
}

/// Moves what was unpacked to its place, the keys first and the tables last: the platform refuses a folder with keys and no tables.
fn move_up(unpacked: &Path, folder: &Path) -> io::Result<()> {
    let mut names = fs::read_dir(unpacked)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_by_key(|name| (name == DYNAMODB, !Path::new(KMS).starts_with(name)));
    names.iter().try_for_each(|name| fs::rename(unpacked.join(name), folder.join(name)))
}

/// A backup of a newer version may have data that this one does not know.
fn check_header(file: &Path, header: Option<&str>) -> Result<(), Failure> {
    let header = header.and_then(|header| serde_json::from_str::<Header>(header).ok());
    let Header { format, version } = header.ok_or_else(|| no_backup(file, "it was not written by `local backup`"))?;
    if format > DATA_FORMAT {
        return Err(Failure::Newer { file: file.to_owned(), format, version: Some(version) });
    }
    Ok(())
}

fn is_expected(path: &Path) -> bool {
    path == Path::new(HEADER) || FILES.iter().chain(&WORKBENCHES).any(|name| path.starts_with(name))
}

fn refused(file: &Path, cause: &io::Error) -> Failure {
    match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Failure::Other(format!(
            "the disk is too small for the backup {} ({cause}); free some space",
            file.display()
        )),
        _ => no_backup(file, &cause.to_string()),
    }
}

fn no_backup(file: &Path, cause: &str) -> Failure {
    Failure::Other(format!("{} is not a whole backup ({cause}); use another one", file.display()))
}

/// What is not moved up is deleted on drop.
struct Draft {
    folder: PathBuf,
    unpacked: PathBuf,
    is_new: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.unpacked);
        if self.is_new {
            // It stays if the restored data is in it.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}
