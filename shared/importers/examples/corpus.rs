//! Imports all files of a folder, and prints how many can be published as they are, and what keeps the others from it:
//! `cargo run -p importers --example corpus -- <folder> [<file for the scripts, one JSON line each>]`.

#![expect(clippy::print_stdout, reason = "it prints a report")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::compile::{Severity, compile};
use engine::schema::check_config;
use importers::{Imported, Status, read};
use serde_json::{Value, json};

/// The most fixes of a file that is nearly ready.
const FEW: usize = 4;
const MOST_SHOWN: usize = 100;

#[derive(Default)]
struct Totals {
    by_fixes: BTreeMap<&'static str, usize>,
    /// The files with each code of a problem.
    files: BTreeMap<String, (usize, String)>,
    problems: BTreeMap<String, (usize, String)>,
    notes: BTreeMap<String, (usize, String)>,
    times: Vec<Duration>,
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder is missing"));
    let mut scripts = arguments.next().map(fs::File::create).transpose()?;
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut totals = Totals::default();
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(file)?;
        let start = Instant::now();
        let imported = read(&text);
        totals.times.push(start.elapsed());
        match imported {
            Ok(imported) => {
                if let Some(scripts) = &mut scripts {
                    write_scripts(scripts, &name, &imported)?;
                }
                totals.add(&name, &imported);
            }
            Err(error) => {
                *totals.by_fixes.entry("refused").or_default() += 1;
                count(&mut totals.problems, &format!("refused: {error}"), &name);
            }
        }
    }
    totals.print();
    Ok(())
}

impl Totals {
    fn add(&mut self, name: &str, imported: &Imported) {
        let (mut fixes, mut codes) = (0, BTreeSet::new());
        let placeholders = imported.graph.nodes.iter().filter(|node| node.r#type == "placeholder").count();
        for problem in compile(&imported.graph).finish().1 {
            // The node in place of a placeholder may be an output.
            let is_open = problem.code == "missing_output" && placeholders > 0;
            if problem.severity == Severity::Error && !is_open {
                fixes += 1;
                codes.insert(problem.code);
                count(&mut self.problems, &format!("{}: {}", problem.code, generalize(&problem.message.en)), name);
            }
        }
        codes.into_iter().for_each(|code| count(&mut self.files, code, name));
        for node in &imported.report.nodes {
            match node.status {
                Status::Unsupported => {
                    count(&mut self.problems, &format!("placeholder: {}", generalize_type(&node.why)), name)
                }
                Status::Partial => {
                    node.why.split("; ").for_each(|note| count(&mut self.notes, &generalize(note), name))
                }
                Status::Mapped => {}
            }
        }
        if fixes == 0 && placeholders > 0 {
            *self.by_fixes.entry("(ready but for their placeholders)").or_default() += 1;
        }
        fixes += placeholders;
        let kind = match fixes {
            0 => "ready",
            _ if placeholders * 2 > imported.graph.nodes.len() => "hopeless",
            fixes if fixes <= FEW => "1 to 4 fixes",
            _ => "more fixes",
        };
        *self.by_fixes.entry(kind).or_default() += 1;
    }

    fn print(mut self) {
        let files = self.times.len();
        for (kind, count) in &self.by_fixes {
            println!("{count:6} {:5.1} % {kind}", 100.0 * *count as f64 / files as f64);
        }
        self.times.sort();
        let at = |part: f64| self.times[((files - 1) as f64 * part) as usize];
        println!("\ntime: p50 {:?}, p99 {:?}, most {:?}", at(0.5), at(0.99), at(1.0));
        for (title, counted) in [("files with", self.files), ("problems", self.problems), ("notes", self.notes)] {
            println!("\n{title}");
            let mut counted: Vec<_> = counted.into_iter().collect();
            counted.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (text, (count, example)) in counted.into_iter().take(MOST_SHOWN) {
                println!("{count:6} {text}   [{example}]");
            }
        }
    }
}

fn count(counted: &mut BTreeMap<String, (usize, String)>, text: &str, name: &str) {
    let entry = counted.entry(text.chars().take(140).collect()).or_insert_with(|| (0, name.to_owned()));
    entry.0 += 1;
}

/// A message without its names.
fn generalize(message: &str) -> String {
    let parts = message.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { "…" } else { part }).collect::<Vec<_>>().join("`")
}

/// A message with the type that it names.
fn generalize_type(message: &str) -> String {
    if ["the type", "the trigger", "the operation"].iter().any(|start| message.starts_with(start)) {
        message.to_owned()
    } else {
        generalize(message)
    }
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
