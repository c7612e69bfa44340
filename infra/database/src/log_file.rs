//! The file system that SQLite uses for the database: that of the machine, but the pages of a commit are written to the
//! write-ahead log together.
//!
//! SQLite writes each page of a commit in two parts, a header of 24 bytes and the page, and each part would be a system call. A
//! commit has ten to a hundred pages. Here, the parts wait in memory until the last page of the commit, or until anything else is
//! done with the log. So the log always has what SQLite relies on: after a commit all of it, and a sync or a read finds all that
//! was written before. If the write fails, the commit fails.
#![expect(unsafe_code, reason = "SQLite takes a file system as C structures")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::size_of;
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{
    SQLITE_ERROR, SQLITE_IOCAP_POWERSAFE_OVERWRITE, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_filename,
    sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

const NAME: &CStr = c"atelier";
const HEADER_BYTES: usize = 24;
/// Where a header has the number of pages of the database if it ends a commit, and 0 if not.
const COMMIT: std::ops::Range<usize> = 4..8;
/// The size from which bytes do not wait any more. With the largest page, they must be less than 128 KiB: SQLite's own file system
/// writes no more at once, and reports a full disk.
const MAX_WAITING: usize = 60 << 10;

struct FileSystem(*mut sqlite3_vfs);

// SAFETY: SQLite uses a registered file system from all threads, and never changes it.
unsafe impl Send for FileSystem {}
// SAFETY: as above.
unsafe impl Sync for FileSystem {}

static MACHINE: OnceLock<FileSystem> = OnceLock::new();

/// Registers the file system, and returns its name. It is not the default one.
pub fn register() -> Option<&'static CStr> {
    let machine = MACHINE.get_or_init(|| {
        // SAFETY: the machine's file system lives as long as the process, and so does the copy, which is leaked. `OnceLock` admits
        // one caller.
        unsafe {
            let machine = sqlite3_vfs_find(ptr::null());
            if !machine.is_null() {
                let mut own = *machine;
                own.zName = NAME.as_ptr();
                // `LogFile` is small, so its size fits.
                own.szOsFile += size_of::<LogFile>() as c_int;
                own.pNext = ptr::null_mut();
                own.xOpen = Some(open);
                if sqlite3_vfs_register(Box::leak(Box::new(own)), 0) != SQLITE_OK {
                    return FileSystem(ptr::null_mut());
                }
            }
            FileSystem(machine)
        }
    });
    (!machine.0.is_null()).then_some(NAME)
}

/// An open log. The file of the machine's file system follows it in memory. Files that are no logs have only the latter.
#[repr(C)]
struct LogFile {
    base: sqlite3_file,
    waiting: *mut Waiting,
}

/// What is not written yet.
#[derive(Default)]
struct Waiting {
    /// The place of the bytes; without any, the end of the last write.
    start: sqlite3_int64,
    /// Parts without a gap between them.
    bytes: Vec<u8>,
    /// Whether the next page is the last one of a commit.
    ends_commit: bool,
}

/// The machine's file of a log.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite has allocated `szOsFile` bytes.
    unsafe { file.cast::<LogFile>().add(1).cast() }
}

/// Calls a method of the machine's file.
macro_rules! call {
    ($file:expr, $method:ident $(, $argument:expr)*) => {
        (*(*$file).pMethods).$method.map_or(SQLITE_ERROR, |method| method($file $(, $argument)*))
    };
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes memory of `szOsFile` bytes for the file, and does not use it if its methods are null.
    unsafe {
        (*file).pMethods = ptr::null();
        let Some(FileSystem(machine)) = MACHINE.get() else { return SQLITE_ERROR };
        let Some(open) = (**machine).xOpen else { return SQLITE_ERROR };
        if flags & SQLITE_OPEN_WAL == 0 {
            return open(*machine, name, file, flags, flags_out);
        }
        let status = open(*machine, name, real(file), flags, flags_out);
        if status == SQLITE_OK {
            // If a write may damage the bytes next to it, SQLite adds padding after a commit, and the end of the commit is not
            // recognized here.
            let machine = real(file);
            let is_safe = call!(machine, xDeviceCharacteristics) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0;
            let methods = if is_safe { &raw const BUFFERED } else { &raw const UNBUFFERED };
            let waiting = Box::into_raw(Box::<Waiting>::default());
            file.cast::<LogFile>().write(LogFile { base: sqlite3_file { pMethods: methods }, waiting });
        }
        status
    }
}

impl Waiting {
    /// Writes what waits to the machine's file. If that fails, SQLite undoes the commit, so nothing of it is written later.
    ///
    /// # Safety
    ///
    /// The file is open, and no other thread uses it.
    unsafe fn flush(&mut self, machine: *mut sqlite3_file) -> c_int {
        if self.bytes.is_empty() {
            return SQLITE_OK;
        }
        // Less than `MAX_WAITING` and a page.
        let count = self.bytes.len() as c_int;
        // SAFETY: as above.
        let status = unsafe { call!(machine, xWrite, self.bytes.as_ptr().cast(), count, self.start) };
        self.start += sqlite3_int64::from(count);
        self.bytes.clear();
        self.ends_commit = false;
        status
    }
}

/// What waits for a log.
///
/// # Safety
///
/// The log is open, and no other thread uses it.
unsafe fn waiting<'a>(file: *mut sqlite3_file) -> &'a mut Waiting {
    // SAFETY: `open` has set it, and `close` frees it.
    unsafe { &mut *(*file.cast::<LogFile>()).waiting }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes `count` bytes. The log is open, and SQLite uses a file from one thread at a time.
    unsafe {
        let content = std::slice::from_raw_parts(bytes.cast::<u8>(), usize::try_from(count).unwrap_or_default());
        let (machine, waiting) = (real(file), waiting(file));
        let follows = offset == waiting.start + waiting.bytes.len() as sqlite3_int64;
        if !follows {
            match waiting.flush(machine) {
                SQLITE_OK => waiting.start = offset,
                status => return status,
            }
        }
        let is_header = content.len() == HEADER_BYTES;
        if waiting.bytes.is_empty() && !is_header {
            waiting.start += sqlite3_int64::from(count);
            return call!(machine, xWrite, bytes, count, offset);
        }
        waiting.bytes.extend_from_slice(content);
        let ends_commit = std::mem::replace(&mut waiting.ends_commit, is_header && content[COMMIT] != [0; 4]);
        // When SQLite corrects the headers of a commit, no page follows the last one.
        let is_last = ends_commit || (waiting.ends_commit && !follows);
        if is_last || waiting.bytes.len() >= MAX_WAITING { waiting.flush(machine) } else { SQLITE_OK }
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an open file once.
    unsafe {
        let machine = real(file);
        let flushed = waiting(file).flush(machine);
        drop(Box::from_raw((*file.cast::<LogFile>()).waiting));
        let closed = call!(machine, xClose);
        if flushed == SQLITE_OK { closed } else { flushed }
    }
}

/// Methods that write first what waits.
macro_rules! flushing {
    ($($function:ident $method:ident ($($argument:ident: $type:ty),*);)*) => {
        $(unsafe extern "C" fn $function(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: the log is open, and the arguments are those of SQLite.
            unsafe {
                let machine = real(file);
                match waiting(file).flush(machine) {
                    SQLITE_OK => call!(machine, $method $(, $argument)*),
                    status => status,
                }
            }
        })*
    };
}

flushing! {
    read xRead(bytes: *mut c_void, count: c_int, offset: sqlite3_int64);
    truncate xTruncate(size: sqlite3_int64);
    sync xSync(flags: c_int);
    file_size xFileSize(size: *mut sqlite3_int64);
    file_control xFileControl(operation: c_int, argument: *mut c_void);
}

macro_rules! forwarded {
    ($($function:ident $method:ident ($($argument:ident: $type:ty),*);)*) => {
        $(unsafe extern "C" fn $function(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: the log is open, and the arguments are those of SQLite.
            unsafe {
                let machine = real(file);
                call!(machine, $method $(, $argument)*)
            }
        })*
    };
}

forwarded! {
    write_through xWrite(bytes: *const c_void, count: c_int, offset: sqlite3_int64);
    lock xLock(level: c_int);
    unlock xUnlock(level: c_int);
    check_reserved_lock xCheckReservedLock(result: *mut c_int);
    sector_size xSectorSize();
    device_characteristics xDeviceCharacteristics();
}

static BUFFERED: sqlite3_io_methods = sqlite3_io_methods {
    // A log needs neither shared memory nor mapped pages: those of the database's file are the machine's.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

static UNBUFFERED: sqlite3_io_methods = sqlite3_io_methods { xWrite: Some(write_through), ..BUFFERED };

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::{Connection, OpenFlags};

    use super::*;

    fn contents(connection: &Connection) -> Vec<(i64, String)> {
        let mut select = connection.prepare("SELECT id, text FROM items ORDER BY id").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }

    /// What the files hold, as after a crash of the process.
    fn contents_of_a_copy(folder: &Path) -> Vec<(i64, String)> {
        let copy = folder.join("copy");
        std::fs::create_dir_all(&copy).unwrap();
        let _ = std::fs::remove_file(copy.join("db-shm"));
        for file in ["db", "db-wal"] {
            std::fs::copy(folder.join(file), copy.join(file)).unwrap();
        }
        let connection = Connection::open(copy.join("db")).unwrap();
        let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(verdict, "ok");
        contents(&connection)
    }

    /// A cache of a few pages makes SQLite write pages before the commit, write some of them again, and correct their headers.
    #[test]
    fn the_files_hold_each_commit_even_if_its_pages_were_written_before() {
        let folder = std::env::temp_dir().join(format!("atelier-log-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).unwrap();
        let writer =
            Connection::open_with_flags_and_vfs(folder.join("db"), OpenFlags::default(), register().unwrap()).unwrap();
        let settings = "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
                        PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5; CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT);";
        writer.execute_batch(settings).unwrap();
        let reader = Connection::open(folder.join("db")).unwrap();
        let mut random = fastrand::Rng::with_seed(7);
        let mut expected = std::collections::BTreeMap::new();
        for round in 0..60 {
            let mut changed = expected.clone();
            writer.execute_batch("BEGIN IMMEDIATE").unwrap();
            for _ in 0..random.usize(1..40) {
                let (id, text) = (random.i64(0..30), format!("{round} ").repeat(random.usize(1..900)));
                writer.execute("INSERT OR REPLACE INTO items VALUES (?, ?)", (id, &text)).unwrap();
                changed.insert(id, text);
            }
            let own: Vec<_> = changed.clone().into_iter().collect();
            assert!(contents(&writer) == own, "round {round}");
            if random.u8(0..4) == 0 {
                writer.execute_batch("ROLLBACK").unwrap();
            } else {
                writer.execute_batch("COMMIT").unwrap();
                expected = changed;
            }
            let committed: Vec<_> = expected.clone().into_iter().collect();
            assert!(contents(&reader) == committed, "another connection, round {round}");
            assert!(contents_of_a_copy(&folder) == committed, "a copy of the files, round {round}");
            if random.u8(0..10) == 0 {
                let _: i64 = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
