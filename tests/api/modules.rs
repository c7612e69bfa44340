//! Sibling modules do not import each other in a circle. Between crates, the compiler refuses circles.

mod circles;
mod imports;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use circles::{Circle, find_circles};
use imports::{Module, file_of, read_imports};
use tests::binaries::folder;

/// The modules that may import each other in a circle: their parent, their names and the reason.
const CIRCLES: [(&str, &[&str], &str); 1] =
    [("engine::schema", &["checker", "keywords"], "a schema contains keywords, which contain schemas")];

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut known: BTreeMap<(String, BTreeSet<String>), &str> = CIRCLES
        .iter()
        .map(|(parent, members, reason)| {
            (((*parent).to_owned(), members.iter().map(|&member| member.to_owned()).collect()), *reason)
        })
        .collect();
    let mut problems = Vec::new();
    for name in crates() {
        for circle in find_circles(&read_imports(&source_of(&name))) {
            if known.remove(&(path(&name, &circle.parent), circle.members.clone())).is_none() {
                problems.push(describe(&name, &circle));
            }
        }
    }
    assert!(problems.is_empty(), "modules import each other in a circle:\n{}", problems.join("\n"));
    assert!(known.is_empty(), "these are circles no longer; remove them from the list: {known:#?}");
}

/// The folders of the crates of the library, and of the embedded database.
fn crates() -> Vec<String> {
    let folders = fs::read_dir(folder("shared")).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.path().join("Cargo.toml").exists());
    let names = folders.map(|entry| format!("shared/{}", entry.file_name().into_string().unwrap()));
    names.chain(["infra/database".to_owned()]).collect()
}

fn source_of(name: &str) -> PathBuf {
    folder(name).join("src")
}

/// The path of a module, with the name of its crate.
fn path(name: &str, module: &Module) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    [&[name.to_owned()], module.as_slice()].concat().join("::")
}

fn describe(name: &str, circle: &Circle) -> String {
    let file = |module| file_of(&source_of(name), module);
    let imports = circle.imports.iter().map(|(from, to)| format!("\n    {} imports {}", file(from), file(to)));
    format!("{} {:?}{}", path(name, &circle.parent), circle.members, imports.collect::<String>())
}
