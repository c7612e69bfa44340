//! The settings of the README.

use std::fs;
use std::path::Path;

use tests::binaries::folder;

const README: &str = include_str!("../../README.md");
/// Those of AWS resources, which every test uses, and the address of files, which `local` sets.
const EVERYWHERE: [&str; 5] = ["TABLE_", "QUEUE_", "BUCKET_", "KMS_KEY", "FILES_URL"];

/// All sources of tests under a folder.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = entries.map(|path| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|extension| extension == "rs") => fs::read_to_string(path).unwrap(),
        false => String::new(),
    });
    text.collect()
}

/// A new setting is refused here until a test sets it.
#[test]
fn a_test_sets_every_setting() {
    let (_, table) = README.split_once("## Settings").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let columns = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    let names: Vec<_> = columns.flat_map(|names| names.split('`')).filter(|name| name.len() > 3).collect();
    assert!(names.len() > 30, "{names:?}");
    let tests = sources(&folder("tests")) + &sources(&folder("infra/local/tests"));
    for name in names {
        let is_set = [format!("\"{name}\""), format!("config::{name}"), format!("\"{name}=")];
        let has_test = is_set.iter().any(|text| tests.contains(text.as_str()));
        assert!(has_test || EVERYWHERE.iter().any(|start| name.starts_with(start)), "no test sets {name}");
    }
}

/// The description of an alarm names its section, so the person on call finds it.
#[test]
fn every_alarm_has_a_section_of_the_runbook() {
    let (template, runbook) = (include_str!("../../infra/template.yaml"), include_str!("../../infra/README.md"));
    let sections: Vec<_> =
        runbook.lines().filter_map(|line| line.strip_prefix("### ")).flat_map(|line| line.split(", ")).collect();
    let names = template.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let alarms: Vec<_> = names.filter(|name| !name.starts_with(' ') && name.ends_with("Alarm")).collect();
    assert!(alarms.len() > 5, "{alarms:?}");
    for alarm in alarms {
        assert!(sections.contains(&alarm), "{alarm} has no section in infra/README.md");
    }
}
