//! Imports all files of a folder, and prints how many can be published as they are, and what keeps the others from it:
//!
//! ```sh
//! cargo run --release -p importers --example corpus -- FOLDER [--files] [--scripts FILE]
//! ```
//!
//! A file is ready if its graph compiles without errors, has no placeholder and no code that a person must write. Its
//! models, agents, credentials and channels are still to be chosen. Each other node counts as a fix. A file is hopeless
//! if it is refused, or if at least half of its nodes are fixes. `--files` lists the fixes of each file, and `--scripts`
//! writes all scripts to a file, one JSON line each.

#![expect(clippy::print_stdout, reason = "it is a command")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::compile::{Severity, compile};
use engine::schema::check_config;
use importers::{Imported, Status, read};
use serde_json::{Value, json};

const KINDS: [&str; 4] = ["ready", "one to four fixes", "more fixes", "hopeless"];
const HOPELESS: usize = 3;
const MOST_SHOWN: usize = 100;
const MOST_CHARS: usize = 140;

/// What was found in several files.
#[derive(Default)]
struct Found {
    files: usize,
    /// The files with nothing else to fix.
    alone: usize,
    example: String,
}

#[derive(Default)]
struct Totals {
    kinds: [usize; 4],
    without_nodes: usize,
    /// The ready files that call tools of servers, which must be chosen.
    on_servers: usize,
    fixes: BTreeMap<String, Found>,
    notes: BTreeMap<String, Found>,
    times: Vec<Duration>,
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("the folder is missing");
    let (mut lists_files, mut scripts) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--files" => lists_files = true,
            "--scripts" => scripts = Some(fs::File::create(arguments.next().expect("the file for the scripts"))?),
            other => panic!("unknown argument {other}"),
        }
    }
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut totals = Totals::default();
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Ok(text) = fs::read_to_string(file) else { continue };
        let start = Instant::now();
        let imported = read(&text);
        totals.times.push(start.elapsed());
        let (kind, fixes) = match &imported {
            Err(error) => (HOPELESS, BTreeMap::from([(String::new(), format!("refused: {error}"))])),
            Ok(imported) if imported.graph.nodes.is_empty() => {
                totals.without_nodes += 1;
                continue;
            }
            Ok(imported) => {
                if let Some(scripts) = &mut scripts {
                    write_scripts(scripts, &name, imported)?;
                }
                totals.add_notes(&name, imported);
                let fixes = find_fixes(imported);
                let is_on_server = fixes.is_empty() && imported.graph.nodes.iter().any(|node| node.r#type == "mcp");
                totals.on_servers += usize::from(is_on_server);
                let kind = match fixes.len() {
                    0 => 0,
                    count if count * 2 >= imported.graph.nodes.len() => HOPELESS,
                    1..=4 => 1,
                    _ => 2,
                };
                (kind, fixes)
            }
        };
        if lists_files {
            println!("{name}: {} ({} fixes)", KINDS[kind], fixes.len());
            fixes.iter().for_each(|(node, why)| println!("    {node}: {why}"));
        }
        totals.add(&name, kind, &fixes);
    }
    totals.print();
    Ok(())
}

/// What must be fixed by hand: the id of each node, with the reason.
fn find_fixes(imported: &Imported) -> BTreeMap<String, String> {
    let unsupported = imported.report.nodes.iter().filter(|node| node.status == Status::Unsupported);
    let mut fixes: BTreeMap<String, String> = unsupported.map(|node| (node.id.clone(), node.why.clone())).collect();
    let has_unsupported = !fixes.is_empty();
    for problem in compile(&imported.graph).finish().1 {
        // The node in place of one that is not supported may be an output.
        let is_open = problem.code == "missing_output" && has_unsupported;
        if problem.severity == Severity::Error && !is_open {
            let node = problem.node_id.unwrap_or_default();
            fixes.entry(node).or_insert_with(|| format!("{}: {}", problem.code, problem.message.en));
        }
    }
    fixes
}

impl Totals {
    fn add(&mut self, name: &str, kind: usize, fixes: &BTreeMap<String, String>) {
        self.kinds[kind] += 1;
        for why in fixes.values().map(|why| generalize(why)).collect::<BTreeSet<_>>() {
            count(&mut self.fixes, why, name).alone += usize::from(fixes.len() == 1);
        }
    }

    fn add_notes(&mut self, name: &str, imported: &Imported) {
        let partial = imported.report.nodes.iter().filter(|node| node.status == Status::Partial);
        let notes = partial.flat_map(|node| node.why.split("; ")).map(generalize);
        for note in notes.collect::<BTreeSet<_>>() {
            count(&mut self.notes, note, name);
        }
    }

    fn print(mut self) {
        let files: usize = self.kinds.iter().sum();
        println!("{files} files, and {} without a node", self.without_nodes);
        for (kind, count) in KINDS.iter().zip(self.kinds) {
            println!("{count:6} {:5.1} % {kind}", 100.0 * count as f64 / files.max(1) as f64);
        }
        println!("of the ready files, {} call tools of servers, which must be chosen", self.on_servers);
        self.times.sort();
        let at = |percent: usize| {
            self.times.get(self.times.len() * percent / 100).or(self.times.last()).copied().unwrap_or_default()
        };
        println!("time of an import: p50 {:?}, p99 {:?}, most {:?}", at(50), at(99), at(100));
        for (title, found) in [("fixes", self.fixes), ("notes", self.notes)] {
            println!("\n{title}");
            let mut found: Vec<_> = found.into_iter().collect();
            found.sort_by_key(|(_, found)| std::cmp::Reverse(found.files));
            for (text, Found { files, alone, example }) in found.into_iter().take(MOST_SHOWN) {
                let alone = if alone > 0 { format!(" ({alone} with no other fix)") } else { String::new() };
                println!("{files:6} {text}{alone}   [{example}]");
            }
        }
    }
}

fn count<'f>(found: &'f mut BTreeMap<String, Found>, text: String, name: &str) -> &'f mut Found {
    let found = found.entry(text).or_insert_with(|| Found { example: name.to_owned(), ..Found::default() });
    found.files += 1;
    found
}

/// A message without its names, except that of a type.
fn generalize(message: &str) -> String {
    let names_type = ["the type", "the trigger", "the operation"].iter().any(|start| message.starts_with(start));
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 && !names_type { "…" } else { part });
    parts.collect::<Vec<_>>().join("`").chars().take(MOST_CHARS).collect()
}

fn write_scripts(scripts: &mut fs::File, name: &str, imported: &Imported) -> io::Result<()> {
    for node in &imported.graph.nodes {
        let Some(kind) = engine::nodes::find(&node.r#type) else { continue };
        for (field, language, source) in
            check_config(&kind.schema, &Value::Object(node.config.clone()), "config").expressions
        {
            if language.is_javascript() {
                let line = json!({"file": name, "node": node.id, "field": field, "language": language.as_str(), "source": source});
                writeln!(scripts, "{line}")?;
            }
        }
    }
    Ok(())
}
