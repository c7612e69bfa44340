//! The direction of dependencies: no crate and no layer imports what is above it, and no modules import each other.

mod circles;
mod imports;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use circles::{Circle, find_circles};
use imports::{Module, file_of, read_imports};
use tests::binaries::folder;

/// The crates of the library, lowest first. Each may depend on those before it.
const CRATES: [(&str, &[&str]); 10] = [
    ("domain", &[]),
    ("engine", &["domain"]),
    ("importers", &["domain", "engine"]),
    (".", &["domain"]),
    ("gateway", &["domain", "shared"]),
    ("messaging", &["domain", "shared"]),
    ("runner", &["domain", "engine", "shared"]),
    ("labs", &["domain", "shared"]),
    ("kubernetes", &["domain", "labs", "shared"]),
    ("effects", &["domain", "engine", "gateway", "messaging", "runner", "shared"]),
];

/// The layers of the crate `shared`, and the modules that each may import besides itself.
const LAYERS: [(&str, &[&str]); 15] = [
    ("cache", &[]),
    ("config", &[]),
    ("offload", &[]),
    ("telemetry", &[]),
    ("run_ends", &[]),
    ("aws", &[]),
    ("context", &["aws", "config", "run_ends"]),
    ("outbound", &["cache", "config"]),
    ("bucket", &["aws", "config", "context"]),
    ("queue", &["aws", "context"]),
    ("secrets", &["aws", "cache", "config", "context"]),
    ("store", &["aws", "bucket", "cache", "config", "context", "queue", "run_ends", "secrets"]),
    ("model_catalog", &["cache", "context", "store"]),
    ("auth", &["aws", "cache", "config", "context", "store"]),
    ("http", &["auth", "config", "model_catalog", "store", "telemetry"]),
];

/// The modules that may import each other in a circle: their parent, their names and the reason.
const CIRCLES: [(&str, &[&str], &str); 1] =
    [("engine::schema", &["checker", "keywords"], "a schema contains keywords, which contain schemas")];

#[test]
fn crates_depend_only_on_crates_below_them() {
    let ours: BTreeSet<&str> = CRATES.iter().map(|(name, _)| if *name == "." { "shared" } else { *name }).collect();
    for (name, allowed) in CRATES {
        let manifest = fs::read_to_string(folder("shared").join(name).join("Cargo.toml")).unwrap();
        let names = manifest.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let used: BTreeSet<&str> = names.filter(|name| ours.contains(name)).collect();
        assert_eq!(used, allowed.iter().copied().collect(), "{name} depends on other crates than it may");
    }
}

#[test]
fn layers_import_only_layers_below_them() {
    let imports = read_imports(&source_of("."));
    for (layer, allowed) in LAYERS {
        let of_layer = imports.iter().filter(|(module, _)| module.first().is_some_and(|name| name == layer));
        let imported = of_layer.flat_map(|(_, imported)| imported);
        let imported: BTreeSet<&str> = imported.filter_map(|module| module.first()).map(String::as_str).collect();
        let upward: Vec<_> = imported.iter().filter(|name| **name != layer && !allowed.contains(name)).collect();
        assert!(upward.is_empty(), "{layer} imports {upward:?}, which are not below it");
        let unused: Vec<_> = allowed.iter().filter(|name| !imported.contains(*name)).collect();
        assert!(unused.is_empty(), "{layer} no longer imports {unused:?}; remove them from the list");
    }
    let listed: BTreeSet<String> = LAYERS.iter().map(|(layer, _)| (*layer).to_owned()).collect();
    let modules = fs::read_dir(source_of(".")).unwrap().map(|entry| entry.unwrap().path());
    let modules: BTreeSet<String> =
        modules.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(modules.into_iter().filter(|name| name != "lib").collect::<BTreeSet<_>>(), listed);
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut known: BTreeMap<(String, BTreeSet<String>), &str> = CIRCLES
        .iter()
        .map(|(parent, members, reason)| {
            (((*parent).to_owned(), members.iter().map(|&member| member.to_owned()).collect()), *reason)
        })
        .collect();
    let mut problems = Vec::new();
    for (name, _) in CRATES {
        for circle in find_circles(&read_imports(&source_of(name))) {
            if known.remove(&(path(name, &circle.parent), circle.members.clone())).is_none() {
                problems.push(describe(name, &circle));
            }
        }
    }
    assert!(problems.is_empty(), "modules import each other in a circle:\n{}", problems.join("\n"));
    assert!(known.is_empty(), "these are circles no longer; remove them from the list: {known:#?}");
}

/// The source folder of a crate of the library.
fn source_of(name: &str) -> PathBuf {
    folder("shared").join(name).join("src")
}

/// The path of a module, with the name of its crate.
fn path(name: &str, module: &Module) -> String {
    let name = if name == "." { "shared" } else { name };
    [&[name.to_owned()], module.as_slice()].concat().join("::")
}

fn describe(name: &str, circle: &Circle) -> String {
    let file = |module| file_of(&source_of(name), module);
    let imports = circle.imports.iter().map(|(from, to)| format!("\n    {} imports {}", file(from), file(to)));
    format!("{} {:?}{}", path(name, &circle.parent), circle.members, imports.collect::<String>())
}
