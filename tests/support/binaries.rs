//! Builds the functions' binaries with cargo, for the tests that run them as Lambda does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder of the repository.
pub fn folder(name: &str) -> PathBuf {
    // Read at run time: the checkout may have moved since this crate was compiled.
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    Path::new(&crate_folder).parent().unwrap().join(name)
}

/// A program of this package. Cargo builds it before the tests, whose programs are in a folder beside it.
pub fn find(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("cargo has not built the program {name}"))
}

/// The names of all functions. A function's folder, package and binary have the same name.
pub fn functions() -> Vec<String> {
    let entries = std::fs::read_dir(folder("functions")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A cargo command without the variables that an outer cargo set for this program. They describe another package, and
/// some build scripts would run again because of them.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder(""));
    for (name, _) in std::env::vars_os() {
        let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];
        if prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Builds functions and returns the path of each binary.
///
/// The package `beside` is built in the same command. The dependencies then have the same features as in the build of
/// this crate, and are not compiled again.
pub fn build(functions: &[String], profile: &str, beside: Option<&str>) -> BTreeMap<String, PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--message-format=json-render-diagnostics", "--profile", profile]);
    if profile == "lambda" {
        // With an explicit target, cargo does not write to target/lambda, which is the folder of the zip files.
        cargo.args(["--target", &host()]);
    }
    for package in functions.iter().map(String::as_str).chain(beside) {
        // A dependency may have the name of a function.
        cargo.args(["-p", &format!("{package}@{}", env!("CARGO_PKG_VERSION"))]);
    }
    for binary in functions {
        cargo.args(["--bin", binary]);
    }
    let built = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output().unwrap();
    assert!(built.status.success(), "cargo could not build the functions");
    let messages = String::from_utf8(built.stdout).unwrap();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let binaries = messages.filter_map(|message| {
        let executable = message["executable"].as_str()?;
        Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(executable)))
    });
    let binaries: BTreeMap<_, _> = binaries.collect();
    let missing: Vec<_> = functions.iter().filter(|function| !binaries.contains_key(*function)).collect();
    assert!(missing.is_empty(), "no binary has the name of these functions: {missing:?}");
    binaries
}

/// The target triple of this machine.
fn host() -> String {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}
