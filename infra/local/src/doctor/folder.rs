//! Checks of the data folder: rights, space, sync, and the files without which the data cannot be used.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::statvfs;

use super::Finding;
use crate::credentials::StoredCredentials;
use crate::data_dir::{self, DYNAMODB, LOCK, REQUIRED};
use crate::issuer::Issuer;

const MIB: u64 = 1 << 20;
/// With less space, the next large run fills the disk.
const LEAST_SPACE: u64 = 100 * MIB;
const USUAL_SPACE: u64 = 1_024 * MIB;
const FEWEST_FILES: u64 = 1_000;
/// Files of the future say that the clock went back.
const CLOCK_LEEWAY: Duration = Duration::from_secs(300);
const SQLITE_HEADER: &[u8] = b"SQLite format 3\0";

/// Whether a platform uses the folder now.
pub fn is_in_use(folder: &Path) -> bool {
    let lock = File::open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

pub fn check(folder: &Path, is_running: bool) -> Vec<Finding> {
    if !folder.exists() {
        return vec![check_parent(folder)];
    }
    let mut findings = vec![check_rights(folder), check_space(folder)];
    findings.extend(check_file_system(folder));
    findings.extend(check_privacy(folder));
    findings.extend(check_files(folder, is_running));
    findings.extend(check_times(folder));
    findings
}

fn check_parent(folder: &Path) -> Finding {
    let shown = folder.display();
    let parent = folder.ancestors().skip(1).find(|parent| parent.exists() || parent.as_os_str().is_empty());
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match write_probe(parent) {
        Ok(()) => Finding::Fine(format!("{shown} does not exist yet; the first start creates it")),
        Err(cause) => Finding::problem(
            format!("{shown} cannot be created ({cause})"),
            format!("make {} writable, or choose another folder with --data-dir", parent.display()),
        ),
    }
}

fn check_rights(folder: &Path) -> Finding {
    let shown = folder.display();
    match write_probe(folder) {
        Ok(()) => Finding::Fine(format!("{shown} can be written, and writes reach its disk")),
        Err(cause) => {
            let fix = match cause.kind() {
                ErrorKind::NotADirectory => "choose a folder with --data-dir; this is a file".to_owned(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free space on its disk".to_owned(),
                ErrorKind::ReadOnlyFilesystem => {
                    "remount its disk writable, or choose another folder with --data-dir".to_owned()
                }
                _ => format!(
                    "give this user the rights (`chown -R $USER {shown}`), or choose another folder with --data-dir"
                ),
            };
            Finding::problem(format!("{shown} cannot be written ({cause})"), fix)
        }
    }
}

/// Writes and syncs a file, as the platform does.
fn write_probe(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!("doctor.{}.tmp", std::process::id()));
    let written = File::create(&file).and_then(|mut probe| probe.write_all(&[0; 4096]).and_then(|()| probe.sync_all()));
    let removed = if written.is_ok() { fs::remove_file(&file) } else { Ok(()) };
    written.and(removed)
}

fn check_space(folder: &Path) -> Finding {
    match statvfs(folder) {
        Ok(disk) => judge_space(disk.f_bavail.saturating_mul(disk.f_frsize), disk.f_files, disk.f_favail),
        Err(cause) => Finding::note(format!("the space of the disk cannot be read ({cause})"), "check it with `df`"),
    }
}

fn judge_space(bytes: u64, files: u64, free_files: u64) -> Finding {
    let state = format!("{} MiB of disk space are free", bytes / MIB);
    let fix = "free space on the disk of the data folder, or choose another folder with --data-dir";
    // Some file systems have no limit of files, and report 0.
    if files > 0 && free_files < FEWEST_FILES {
        return Finding::problem(format!("only {free_files} more files can be created (inodes)"), fix);
    }
    match bytes {
        ..LEAST_SPACE => Finding::problem(state, fix),
        LEAST_SPACE..USUAL_SPACE => Finding::note(state, fix),
        _ => Finding::Fine(state),
    }
}

/// A network file system does not keep what the database needs: locks, and the order of writes.
#[cfg(target_os = "linux")]
fn check_file_system(folder: &Path) -> Option<Finding> {
    const NETWORK: [(u64, &str); 4] =
        [(0x6969, "NFS"), (0xfe53_4d42, "SMB"), (0xff53_4d42, "CIFS"), (0x6165_6669, "9p")];
    let kind = u64::try_from(rustix::fs::statfs(folder).ok()?.f_type).ok()?;
    let (_, name) = NETWORK.iter().find(|(known, _)| *known == kind & 0xffff_ffff)?;
    Some(Finding::note(
        format!(
            "the data folder is on a network file system ({name}), where a power loss may lose acknowledged writes"
        ),
        "choose a folder on a local disk with --data-dir",
    ))
}

#[cfg(not(target_os = "linux"))]
fn check_file_system(_: &Path) -> Option<Finding> {
    None
}

#[cfg(unix)]
fn check_privacy(folder: &Path) -> Vec<Finding> {
    use std::os::unix::fs::PermissionsExt;
    const OTHERS: u32 = 0o077;
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS != 0);
    let files = data_dir::SECRET_FILES.iter().map(|name| folder.join(name)).filter(|path| is_open(path));
    let finding = |path: std::path::PathBuf| {
        let shown = path.display();
        let fix = format!("`chmod -R go-rwx {shown}`; the next start of the platform does so too");
        Finding::problem(format!("other users of this machine can read {shown}, which holds secrets"), fix)
    };
    files.map(finding).collect()
}

#[cfg(not(unix))]
fn check_privacy(_: &Path) -> Vec<Finding> {
    Vec::new()
}

fn check_files(folder: &Path, is_running: bool) -> Vec<Finding> {
    let restore = format!("restore it from a copy, or move {} away to start without data", folder.display());
    let present = REQUIRED.iter().filter(|name| folder.join(name).exists()).count();
    if !folder.join(DYNAMODB).exists() && !is_running && present <= 1 {
        return vec![Finding::Fine("the folder has no data yet; the first start creates it".to_owned())];
    }
    let mut findings = Vec::new();
    for name in REQUIRED.iter().filter(|name| !folder.join(name).exists()) {
        findings.push(Finding::problem(format!("{} is missing", folder.join(name).display()), restore.clone()));
    }
    let database = folder.join(DYNAMODB);
    if database.exists() && !is_database(&database) {
        findings
            .push(Finding::problem(format!("{} is not a database, or is empty", database.display()), restore.clone()));
    }
    let credentials = StoredCredentials::read(folder);
    match (&credentials, Issuer::open(folder)) {
        (Ok(Some(_)), Ok(Some(_))) => {}
        (Err(failure), _) => findings.push(Finding::problem(failure.to_string(), restore.clone())),
        (_, Err(failure)) => findings.push(Finding::problem(failure.to_string(), restore.clone())),
        (Ok(None), _) => findings.push(Finding::problem(
            "credentials.json is missing, so the operator's key is not known",
            "restart the platform; it stores new keys of the demo accounts",
        )),
        (_, Ok(None)) => findings.push(Finding::problem(
            "issuer.json is missing, so access tokens cannot be issued",
            "restart the platform; it stores a new signing key",
        )),
    }
    if findings.is_empty() {
        findings.push(Finding::Fine("the files of the data folder are there and can be read".to_owned()));
    }
    findings
}

fn is_database(file: &Path) -> bool {
    let mut header = [0; SQLITE_HEADER.len()];
    File::open(file).and_then(|mut file| file.read_exact(&mut header)).is_ok_and(|()| header == SQLITE_HEADER)
}

fn check_times(folder: &Path) -> Option<Finding> {
    let limit = SystemTime::now() + CLOCK_LEEWAY;
    let written =
        |name: &str| fs::metadata(folder.join(name)).and_then(|found| found.modified()).is_ok_and(|at| at > limit);
    let name = data_dir::SECRET_FILES.iter().find(|name| written(name))?;
    Some(Finding::problem(
        format!("{name} was written in the future, so the clock went back"),
        "set the clock; records that the platform wrote before seem newer than they are until then",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_reported() {
        assert!(matches!(judge_space(10 * MIB, 0, 0), Finding::Problem { .. }));
        assert!(matches!(judge_space(500 * MIB, 0, 0), Finding::Note { .. }));
        assert!(matches!(judge_space(5_000 * MIB, 1_000_000, 10), Finding::Problem { .. }));
        assert!(matches!(judge_space(5_000 * MIB, 0, 0), Finding::Fine(_)));
    }
}
