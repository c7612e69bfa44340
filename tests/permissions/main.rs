//! Lists the permissions of the template that no test has used, and fails if one of them is not in `untested.txt`.
//!
//! ```sh
//! USED_PERMISSIONS=<folder> cargo test --workspace
//! USED_PERMISSIONS=<folder> cargo run --bin permissions
//! ```
#![expect(clippy::print_stdout, reason = "this program prints its results")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use local::template::{GrantedResource, SamTemplate};
use tests::permissions::FOLDER;

fn main() -> ExitCode {
    let Some(folder) = env::var_os(FOLDER) else {
        eprintln!("permissions: set {FOLDER} to the folder that the tests have written");
        return ExitCode::from(2);
    };
    let used = match read(&PathBuf::from(folder)) {
        Ok(used) if !used.is_empty() => used,
        Ok(_) => {
            eprintln!("permissions: the folder has no records; run all tests with the same {FOLDER} first");
            return ExitCode::from(2);
        }
        Err(cause) => {
            eprintln!("permissions: the folder cannot be read ({cause})");
            return ExitCode::from(2);
        }
    };
    let (given, untested) = (given(), untested());
    let unused: BTreeSet<_> = given.difference(&used).cloned().collect();
    println!("{} permissions are given, {} of them are used by tests", given.len(), given.len() - unused.len());
    for permission in unused.difference(&untested) {
        println!("{permission}, but no test needs it; remove it from infra/template.yaml, or test what needs it");
    }
    // Some calls happen only when others are at work at the same time, so this is no failure.
    for permission in untested.difference(&unused) {
        println!("{permission}: remove this line from tests/permissions/untested.txt, unless it is used by chance");
    }
    if unused.is_subset(&untested) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The permissions that code needs and no test uses. The list must become shorter.
fn untested() -> BTreeSet<String> {
    let lines = include_str!("untested.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn read(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut used = BTreeSet::new();
    for file in fs::read_dir(folder)? {
        used.extend(fs::read_to_string(file?.path())?.lines().map(str::to_owned));
    }
    Ok(used)
}

/// All permissions of the template, as they are recorded. The calls of services that are not embedded do not pass the recorder.
fn given() -> BTreeSet<String> {
    let mut given = BTreeSet::new();
    for (function, properties) in SamTemplate::read().functions {
        for grant in &properties.grants {
            let conditions = grant.conditions_text();
            let embedded = grant.permissions().filter(|(_, on)| !matches!(on, GrantedResource::OfService(_)));
            given.extend(embedded.map(|(action, on)| format!("{function} may call {action} on {on}{conditions}")));
        }
    }
    given
}
