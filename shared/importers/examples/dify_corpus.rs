//! Measures how many Dify files of a folder come over ready to run, and what keeps the others from it:
//!
//! ```sh
//! cargo run --release -p importers --example dify_corpus -- FOLDER [--files]
//! ```
//!
//! A file is ready if its graph compiles without errors, has no placeholder and no code that a person must write. Its
//! models, agents, credentials and channels are still to be chosen. Each other node counts as a fix. A file is hopeless
//! if it is refused, or if at least half of its nodes are fixes.

#![expect(clippy::print_stdout, reason = "it is a command")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engine::compile::{Severity, compile};
use importers::{Imported, Status};

/// What must be fixed by hand: the id of each node, with the reason.
fn fixes(imported: &Imported) -> BTreeMap<String, String> {
    let unsupported = imported.report.nodes.iter().filter(|node| node.status == Status::Unsupported);
    let mut fixes: BTreeMap<String, String> = unsupported.map(|node| (node.id.clone(), node.why.clone())).collect();
    for problem in compile(&imported.graph).finish().1 {
        if problem.severity == Severity::Error {
            let node = problem.node_id.unwrap_or_default();
            fixes.entry(node).or_insert_with(|| format!("{}: {}", problem.code, problem.message.en));
        }
    }
    fixes
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("the folder with the files");
    let lists_files = arguments.next().is_some();
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let paths: BTreeSet<_> = paths.filter(|path| path.is_file()).collect();
    let (mut groups, mut reasons, mut notes) = ([0; 4], BTreeMap::new(), BTreeMap::<String, usize>::new());
    let (mut times, mut skipped, mut on_servers) = (Vec::new(), 0, 0);
    for path in &paths {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let start = Instant::now();
        let read = importers::read(&text);
        times.push(start.elapsed());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (group, fixes, count) = match &read {
            Err(error) => (3, BTreeMap::from([(String::new(), format!("refused: {error}"))]), 0),
            Ok(imported) if imported.graph.nodes.is_empty() => {
                skipped += 1;
                continue;
            }
            Ok(imported) => {
                let (fixes, count) = (fixes(imported), imported.graph.nodes.len());
                let group = match fixes.len() {
                    0 => {
                        on_servers += usize::from(imported.graph.nodes.iter().any(|node| &*node.r#type == "mcp"));
                        0
                    }
                    fixes if fixes * 2 >= count => 3,
                    1..=4 => 1,
                    _ => 2,
                };
                (group, fixes, count)
            }
        };
        groups[group] += 1;
        let kinds = ["ready", "few", "more", "hopeless"];
        if lists_files {
            println!(
                "{} {name}: {} of {count} ({:?})",
                kinds[group],
                fixes.len(),
                times.last().unwrap_or(&Duration::ZERO)
            );
            fixes.iter().for_each(|(node, why)| println!("    {node}: {why}"));
        }
        for why in fixes.values().collect::<BTreeSet<_>>() {
            reasons.entry(why.clone()).or_insert_with(Vec::new).push(fixes.len());
        }
        let whys = read.iter().flat_map(|imported| &imported.report.nodes);
        let whys = whys.filter(|node| node.status == Status::Partial).flat_map(|node| node.why.split("; "));
        whys.collect::<BTreeSet<_>>().into_iter().for_each(|why| *notes.entry(why.to_owned()).or_default() += 1);
    }
    times.sort();
    let whole = groups.iter().sum::<usize>();
    let percentile = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or(Duration::ZERO);
    let share = |count: usize| format!("{count} ({:.1} %)", 100.0 * count as f64 / whole.max(1) as f64);
    println!("files {whole}, and {skipped} without a node");
    println!(
        "ready {}, one to four fixes {}, more {}, hopeless {}",
        share(groups[0]),
        share(groups[1]),
        share(groups[2]),
        share(groups[3])
    );
    println!("of the ready files, {on_servers} call tools of plugins, whose MCP servers must be chosen");
    println!("time of an import: p50 {:?}, p99 {:?}, most {:?}", percentile(50), percentile(99), times.last());
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    for (why, files) in reasons.iter().take(60) {
        let alone = files.iter().filter(|fixes| **fixes == 1).count();
        println!("{:4} files, {alone:3} with no other fix: {why}", files.len());
    }
    let mut notes: Vec<_> = notes.into_iter().collect();
    notes.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    notes.iter().take(60).for_each(|(why, files)| println!("{files:4} files with the note: {why}"));
}
