//! The direction of dependencies: no crate and no layer imports what is above it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tests::binaries::folder;

/// The crates of the library, lowest first. Each may depend on those before it.
const CRATES: [(&str, &[&str]); 5] = [
    ("domain", &[]),
    ("engine", &["domain"]),
    ("importers", &["domain", "engine"]),
    (".", &["domain"]),
    ("gateway", &["domain", "shared"]),
];

/// The layers of the crate `shared`, and the modules that each may import besides itself.
const LAYERS: [(&str, &[&str]); 14] = [
    ("cache", &[]),
    ("config", &[]),
    ("offload", &[]),
    ("telemetry", &[]),
    ("aws", &[]),
    ("context", &["aws", "config"]),
    ("outbound", &["cache", "config"]),
    ("bucket", &["aws", "context"]),
    ("queue", &["aws", "context"]),
    ("secrets", &["aws", "cache", "config", "context"]),
    ("store", &["aws", "bucket", "cache", "config", "context", "queue", "secrets"]),
    ("models", &["cache", "context", "store"]),
    ("auth", &["aws", "cache", "config", "context", "store"]),
    ("http", &["auth", "config", "models", "store", "telemetry"]),
];

#[test]
fn crates_depend_only_on_crates_below_them() {
    let ours: BTreeSet<&str> = ["domain", "engine", "importers", "shared", "gateway"].into();
    for (name, allowed) in CRATES {
        let manifest = fs::read_to_string(folder("shared").join(name).join("Cargo.toml")).unwrap();
        let names = manifest.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let used: BTreeSet<&str> = names.filter(|name| ours.contains(name)).collect();
        assert_eq!(used, allowed.iter().copied().collect(), "{name} depends on other crates than it may");
    }
}

#[test]
fn layers_import_only_layers_below_them() {
    for (layer, allowed) in LAYERS {
        let imported = imports(layer);
        let upward: Vec<_> =
            imported.iter().filter(|name| *name != layer && !allowed.contains(&name.as_str())).collect();
        assert!(upward.is_empty(), "{layer} imports {upward:?}, which are not below it");
        let unused: Vec<_> = allowed.iter().filter(|name| !imported.contains(**name)).collect();
        assert!(unused.is_empty(), "{layer} no longer imports {unused:?}; remove them from the list");
    }
    let listed: BTreeSet<String> = LAYERS.iter().map(|(layer, _)| (*layer).to_owned()).collect();
    let modules = fs::read_dir(folder("shared/src")).unwrap().map(|entry| entry.unwrap().path());
    let modules: BTreeSet<String> =
        modules.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(modules.into_iter().filter(|name| name != "lib").collect::<BTreeSet<_>>(), listed);
}

/// The modules of `shared` that a layer's files name as `crate::…`.
fn imports(layer: &str) -> BTreeSet<String> {
    let (directory, file) = (folder("shared/src").join(layer), folder("shared/src").join(format!("{layer}.rs")));
    let mut source = String::new();
    if directory.is_dir() {
        read_all(&directory, &mut source)
    } else {
        source = fs::read_to_string(file).unwrap()
    }
    let mut found = BTreeSet::new();
    for path in source.split("crate::").skip(1) {
        let names = match path.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap().split(',').collect(),
            None => vec![path],
        };
        for name in names {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // The types that the crate's root exports.
            found.insert(if name == "Context" { "context".to_owned() } else { name });
        }
    }
    found
}

fn read_all(directory: &Path, source: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, source);
        } else {
            source.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}
