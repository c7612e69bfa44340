//! Records the permissions that the tests use, for the program `permissions`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The environment variable with the folder of the records. Each process has a file of its own in it.
pub const FOLDER: &str = "USED_PERMISSIONS";

static RECORDED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

pub fn record(used: BTreeSet<String>) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    let new: String = used.difference(&recorded).map(|permission| format!("{permission}\n")).collect();
    let file = PathBuf::from(folder).join(std::process::id().to_string());
    let written =
        File::options().create(true).append(true).open(file).and_then(|mut file| file.write_all(new.as_bytes()));
    assert!(written.is_ok(), "{FOLDER} is not a folder that can be written: {written:?}");
    recorded.extend(used);
}
