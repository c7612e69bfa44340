//! Copies of the file, also of one that another process uses.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

/// Writes all tables as they are at one moment to a new file. Another process may use `from` meanwhile.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute("VACUUM INTO ?", [to.to_string_lossy()])?;
    check(to)
}

/// Reads the whole file, and fails if it is damaged.
pub fn check(file: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(Error::Storage(found)) }
}
