//! The default file system of SQLite in this test: that of the machine, with a [`Disk`] that records the changes and syncs of
//! watched folders.
#![expect(unsafe_code, reason = "SQLite takes a file system as C structures")]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{LazyLock, Mutex, Once, OnceLock};

use rusqlite::ffi::{
    SQLITE_OK, sqlite3_file, sqlite3_filename, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find,
    sqlite3_vfs_register,
};

use crate::disk::{Disk, DiskChange};

static DISKS: LazyLock<Mutex<HashMap<PathBuf, Disk>>> = LazyLock::new(Mutex::default);
static MACHINE: OnceLock<Pointer> = OnceLock::new();

struct Pointer(*mut sqlite3_vfs);

// SAFETY: SQLite uses a registered file system from all threads, and never changes it.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

/// An open file. The file of the machine follows it in memory.
#[repr(C)]
struct WatchedFile {
    base: sqlite3_file,
    /// The folder and the name, if the folder is watched.
    place: *mut Place,
}

struct Place {
    folder: PathBuf,
    name: String,
}

impl Place {
    /// The place of a file; `None` if it has no name.
    ///
    /// # Safety
    ///
    /// The name is null or a C string.
    unsafe fn of(name: *const c_char) -> Option<Self> {
        // SAFETY: as above.
        let path = unsafe { (!name.is_null()).then(|| PathBuf::from(CStr::from_ptr(name).to_str().unwrap()))? };
        Some(Self { folder: path.parent()?.to_owned(), name: path.file_name()?.to_str()?.to_owned() })
    }
}

/// Records the files of a folder from now on.
pub fn watch(folder: &Path, disk: Disk) {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(register);
    DISKS.lock().unwrap().insert(folder.to_owned(), disk);
}

/// Ends the recording of a folder.
pub fn unwatch(folder: &Path) -> Option<Disk> {
    DISKS.lock().unwrap().remove(folder)
}

/// The number of changes of a file of a watched folder since its last sync.
pub fn count_changes(folder: &Path, file: &str) -> usize {
    DISKS.lock().unwrap().get(folder).map_or(0, |disk| disk.count_changes(file))
}

fn register() {
    // SAFETY: the machine's file system lives as long as the process, and so does the copy, which is leaked.
    unsafe {
        let machine = sqlite3_vfs_find(ptr::null());
        assert!(!machine.is_null());
        let mut own = *machine;
        own.zName = CString::new("watched").unwrap().into_raw();
        own.szOsFile = c_int::try_from(size_of::<WatchedFile>()).unwrap() + (*machine).szOsFile;
        own.pNext = ptr::null_mut();
        own.xOpen = Some(open);
        own.xDelete = Some(delete);
        assert!(MACHINE.set(Pointer(machine)).is_ok());
        assert_eq!(sqlite3_vfs_register(Box::leak(Box::new(own)), 1), SQLITE_OK);
    }
}

/// The file of the machine.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite has allocated `szOsFile` bytes.
    unsafe { file.cast::<WatchedFile>().add(1).cast() }
}

/// Carries out a call of the machine's file, and records it while no other call of a watched folder is carried out.
unsafe fn record(file: *mut sqlite3_file, call: impl FnOnce() -> c_int, record: impl FnOnce(&mut Disk, &str)) -> c_int {
    // SAFETY: `place` is null or lives until `close`.
    let Some(place) = (unsafe { (*file.cast::<WatchedFile>()).place.as_ref() }) else { return call() };
    let mut disks = DISKS.lock().unwrap();
    let status = call();
    if let (SQLITE_OK, Some(disk)) = (status, disks.get_mut(&place.folder)) {
        record(disk, &place.name);
    }
    status
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes a name or null, and memory for the file.
    unsafe {
        let machine = MACHINE.get().unwrap().0;
        let status = (*machine).xOpen.unwrap()(machine, name, real(file), flags, flags_out);
        let place = Place::of(name).filter(|place| DISKS.lock().unwrap().contains_key(&place.folder));
        let place = place.map(|place| Box::into_raw(Box::new(place)));
        let methods = if (*real(file)).pMethods.is_null() { ptr::null() } else { &raw const METHODS };
        let watched = WatchedFile { base: sqlite3_file { pMethods: methods }, place: place.unwrap_or(ptr::null_mut()) };
        file.cast::<WatchedFile>().write(watched);
        status
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, syncs_folder: c_int) -> c_int {
    // SAFETY: SQLite passes a name.
    unsafe {
        let machine = MACHINE.get().unwrap().0;
        let mut disks = DISKS.lock().unwrap();
        let status = (*machine).xDelete.unwrap()(machine, name, syncs_folder);
        if let (SQLITE_OK, Some(Place { folder, name })) = (status, Place::of(name))
            && let Some(disk) = disks.get_mut(&folder)
        {
            disk.delete(&name);
        }
        status
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an open file once.
    unsafe {
        let place = (*file.cast::<WatchedFile>()).place;
        if !place.is_null() {
            drop(Box::from_raw(place));
        }
        (*(*real(file)).pMethods).xClose.unwrap()(real(file))
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes `count` bytes.
    unsafe {
        let call = || (*(*real(file)).pMethods).xWrite.unwrap()(real(file), bytes, count, offset);
        let content = std::slice::from_raw_parts(bytes.cast::<u8>(), usize::try_from(count).unwrap());
        record(file, call, |disk, name| {
            let offset = usize::try_from(offset).unwrap();
            disk.change(name, DiskChange::Write { offset, bytes: content.to_vec() });
        })
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    // SAFETY: the file is open.
    unsafe {
        let call = || (*(*real(file)).pMethods).xTruncate.unwrap()(real(file), size);
        record(file, call, |disk, name| disk.change(name, DiskChange::Truncate(usize::try_from(size).unwrap())))
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: the file is open.
    unsafe {
        let call = || (*(*real(file)).pMethods).xSync.unwrap()(real(file), flags);
        record(file, call, Disk::sync)
    }
}

macro_rules! forwarded {
    ($($function:ident $method:ident ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(unsafe extern "C" fn $function(file: *mut sqlite3_file $(, $argument: $type)*) $(-> $result)? {
            // SAFETY: the file is open, and the arguments are those of SQLite.
            unsafe { (*(*real(file)).pMethods).$method.unwrap()(real(file) $(, $argument)*) }
        })*
    };
}

forwarded! {
    read xRead(bytes: *mut c_void, count: c_int, offset: sqlite3_int64) -> c_int;
    file_size xFileSize(size: *mut sqlite3_int64) -> c_int;
    lock xLock(level: c_int) -> c_int;
    unlock xUnlock(level: c_int) -> c_int;
    check_reserved_lock xCheckReservedLock(result: *mut c_int) -> c_int;
    file_control xFileControl(operation: c_int, argument: *mut c_void) -> c_int;
    sector_size xSectorSize() -> c_int;
    device_characteristics xDeviceCharacteristics() -> c_int;
    shm_map xShmMap(page: c_int, size: c_int, extend: c_int, memory: *mut *mut c_void) -> c_int;
    shm_lock xShmLock(offset: c_int, count: c_int, flags: c_int) -> c_int;
    shm_barrier xShmBarrier();
    shm_unmap xShmUnmap(delete: c_int) -> c_int;
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // Without `xFetch`, so that files are not mapped into memory.
    iVersion: 2,
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
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};
