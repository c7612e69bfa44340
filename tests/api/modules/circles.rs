//! Sibling modules that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::Module;

/// Modules of one parent of which each imports all others, directly or indirectly. Imports of their submodules count.
pub struct Circle {
    pub parent: Module,
    pub members: BTreeSet<String>,
    /// The imports between the members, as modules.
    pub imports: Vec<(Module, Module)>,
}

type Imports = BTreeMap<Module, BTreeSet<Module>>;

pub fn find_circles(imports: &Imports) -> Vec<Circle> {
    let parents: BTreeSet<&[String]> = imports.keys().filter_map(|module| Some(module.split_last()?.1)).collect();
    parents.into_iter().flat_map(|parent| find_circles_in(parent, imports)).collect()
}

fn find_circles_in(parent: &[String], imports: &Imports) -> Vec<Circle> {
    let member = |module: &Module| module.strip_prefix(parent)?.first().cloned();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut between = Vec::new();
    for (importer, imported) in imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
        if let (Some(from), Some(to)) = (member(importer), member(imported))
            && from != to
        {
            between.push((from.clone(), to.clone(), (importer.clone(), imported.clone())));
            graph.entry(from).or_default().insert(to);
        }
    }
    let reachable: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|module| (module, reachable(&graph, module))).collect();
    let circle_of = |module: &String| -> BTreeSet<String> {
        let others = reachable[module].iter().filter(|other| reachable.get(*other).is_some_and(|r| r.contains(module)));
        others.map(|other| (*other).clone()).collect()
    };
    let circles: BTreeSet<BTreeSet<String>> =
        graph.keys().map(circle_of).filter(|members| !members.is_empty()).collect();
    let circle = |members: BTreeSet<String>| {
        let inside = between.iter().filter(|(from, to, _)| members.contains(from) && members.contains(to));
        let imports = inside.map(|(_, _, import)| import.clone()).collect();
        Circle { parent: parent.to_vec(), members, imports }
    };
    circles.into_iter().map(circle).collect()
}

fn reachable<'a>(graph: &'a BTreeMap<String, BTreeSet<String>>, start: &String) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}
