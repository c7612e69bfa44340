//! The imports between the modules of a crate, read from its source files. Code of tests is ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::tokens::tokens;

/// The path of a module in its crate. The root of the crate is empty.
pub type Module = Vec<String>;

/// An import, and the name under which it is exported again.
struct Import {
    path: Vec<String>,
    exported_as: Option<String>,
}

/// The modules of a crate, and the modules that each imports.
pub fn read_imports(source: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut modules = BTreeMap::new();
    read_module(source, Module::new(), &mut modules);
    let imported = |(module, imports): (&Module, &Vec<Import>)| {
        let found = imports.iter().filter_map(|import| resolve(&modules, module, &import.path));
        (module.clone(), found.filter(|found| found != module).collect())
    };
    modules.iter().map(imported).collect()
}

/// Reads a module and the modules that it declares.
fn read_module(source: &Path, module: Module, modules: &mut BTreeMap<Module, Vec<Import>>) {
    let text = fs::read_to_string(source.join(file_of(source, &module))).unwrap();
    let tokens = without_tests(tokens(&text));
    for declaration in tokens.windows(3) {
        if let ["mod", name, ";"] = declaration {
            read_module(source, child(&module, name), modules);
        }
    }
    modules.insert(module, parse(&tokens));
}

/// The file of a module, relative to the source folder of its crate.
pub fn file_of(source: &Path, module: &Module) -> String {
    if module.is_empty() {
        return "lib.rs".to_owned();
    }
    let file = format!("{}.rs", module.join("/"));
    if source.join(&file).exists() { file } else { format!("{}/mod.rs", module.join("/")) }
}

/// Leaves out every item with the attribute `#[cfg(test)]`.
fn without_tests(tokens: Vec<&str>) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, others)) = rest.split_first() {
        if let Some(item) = rest.strip_prefix(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            rest = &item[item_length(item)..];
        } else {
            kept.push(*first);
            rest = others;
        }
    }
    kept
}

/// The number of tokens up to the `;` or the closing brace of an item.
fn item_length(item: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in item.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            ";" => {}
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    item.len()
}

/// The imports of a file: its `use` declarations, and the paths in its code that begin at a module.
fn parse(tokens: &[&str]) -> Vec<Import> {
    let mut imports = Vec::new();
    let (mut at, mut is_public) = (0, false);
    while let Some(token) = tokens.get(at) {
        match *token {
            "use" => {
                let end = at + tokens[at..].iter().position(|token| *token == ";").unwrap();
                expand(&[], &tokens[at + 1..end], is_public, &mut imports);
                at = end;
            }
            "crate" | "self" | "super" if tokens.get(at + 1) == Some(&"::") => {
                let end = at + path_length(&tokens[at..]);
                expand(&[], &tokens[at..end], false, &mut imports);
                at = end - 1;
            }
            _ => {}
        }
        // `pub`, or `pub(super)` and the like.
        is_public = matches!(tokens[at], "pub" | "(" | ")" | "crate" | "super") && (is_public || tokens[at] == "pub");
        at += 1;
    }
    imports
}

fn path_length(tokens: &[&str]) -> usize {
    let mut length = 1;
    while tokens.get(length) == Some(&"::") && tokens.get(length + 1).is_some_and(|token| is_name(token)) {
        length += 2;
    }
    length
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Adds the imports of a `use` tree, such as `super::{keys, table::{self, Table as T}}`.
fn expand(prefix: &[String], tree: &[&str], is_public: bool, imports: &mut Vec<Import>) {
    if let Some(open) = tree.iter().position(|token| *token == "{") {
        let prefix = [prefix, &names(&tree[..open])].concat();
        for branch in branches(&tree[open + 1..tree.len() - 1]) {
            expand(&prefix, branch, is_public, imports);
        }
        return;
    }
    let (path, alias) = match tree.iter().position(|token| *token == "as") {
        Some(at) => (&tree[..at], tree.last()),
        None => (tree, None),
    };
    let mut path = [prefix, &names(path)].concat();
    if path.len() > 1 {
        path.pop_if(|last| last == "self");
    }
    let exported_as = alias.map(|alias| (*alias).to_owned()).or_else(|| path.last().cloned());
    imports.push(Import { path, exported_as: exported_as.filter(|_| is_public) });
}

fn names(path: &[&str]) -> Vec<String> {
    path.iter().filter(|token| is_name(token)).map(|token| (*token).to_owned()).collect()
}

/// Splits a list at the commas that are not in braces.
fn branches<'a, 'b>(list: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let mut depth = 0;
    let branches = list.split(|token| {
        depth += match *token {
            "{" => 1,
            "}" => -1,
            _ => 0,
        };
        depth == 0 && *token == ","
    });
    branches.filter(|branch| !branch.is_empty()).collect()
}

/// The module that a path leads to, through exports of other modules. `None` for a path into another crate.
fn resolve(modules: &BTreeMap<Module, Vec<Import>>, from: &Module, path: &[String]) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let (mut module, rest) = match first.as_str() {
        "crate" => (Module::new(), rest),
        "self" => (from.clone(), rest),
        "super" => (from.split_last()?.1.to_vec(), rest),
        name if modules.contains_key(&child(from, name)) => (from.clone(), path),
        _ => return None,
    };
    for name in rest {
        if name == "super" {
            module.pop();
        } else if modules.contains_key(&child(&module, name)) {
            module = child(&module, name);
        } else {
            let export = modules[&module].iter().find(|import| import.exported_as.as_ref() == Some(name));
            let exported = export.and_then(|export| resolve(modules, &module, &export.path));
            return Some(exported.unwrap_or(module));
        }
    }
    Some(module)
}

fn child(module: &Module, name: &str) -> Module {
    [module.as_slice(), &[name.to_owned()]].concat()
}

#[test]
fn imports_of_a_file_are_read() {
    let source = r#####"
        //! use crate::comment;
        use super::{keys, table::{self, Table as T}};
        pub(super) use self::item::Item;
        #[cfg(test)]
        mod checks { use crate::test; const BRACE: &str = "}"; }
        fn name<'a>(quote: char) -> crate::Result<&'a str> {
            let text = ("use crate::text;", r#"use crate::"raw";"#, '"', '\'', "\"");
            self.work(super::lists::<u8>::new())
        }
    "#####;
    let imports = parse(&without_tests(tokens(source)));
    let paths: Vec<String> = imports.iter().map(|import| import.path.join("::")).collect();
    let expected =
        ["super::keys", "super::table", "super::table::Table", "self::item::Item", "crate::Result", "super::lists"];
    assert_eq!(paths, expected);
    let exports: Vec<_> = imports.iter().filter_map(|import| import.exported_as.as_deref()).collect();
    assert_eq!(exports, ["Item"]);
}
