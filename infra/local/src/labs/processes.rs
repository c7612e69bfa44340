//! The processes of labs, found in `/proc` by a variable of their environment. Process groups do not suffice: Jupyter
//! starts each kernel in a session of its own. The variable also finds the processes that a killed platform has left.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use domain::id::WorkbenchId;
use rustix::process::{Pid, Signal, getuid, kill_process};

/// The variable that names the workbench of a process.
pub const MARKER: &str = "ATELIER_WORKBENCH";

/// A process of a lab.
#[derive(Clone, Debug)]
pub struct Found {
    pub pid: Pid,
    pub lab: WorkbenchId,
    pub name: String,
    pub memory_bytes: u64,
    /// The CPU time that it has used.
    pub cpu_ticks: u64,
}

/// What is known about the processes of this user. The environment of each one is read once.
#[derive(Default)]
pub struct ProcessTable {
    /// By process id and start time, because ids are used again.
    labs: HashMap<(i32, u64), Option<WorkbenchId>>,
}

impl ProcessTable {
    /// Finds the processes of all labs. Without `/proc`, nothing is found.
    pub fn scan(&mut self) -> Vec<Found> {
        let mut seen = HashMap::new();
        let mut found = Vec::new();
        let uid = getuid().as_raw();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if entry.metadata().map_or(true, |metadata| metadata.uid() != uid) {
                continue;
            }
            let Some(stat) = fs::read_to_string(entry.path().join("stat")).ok().and_then(|text| Stat::parse(&text))
            else {
                continue;
            };
            let identity = (pid, stat.started_at);
            let lab = self
                .labs
                .get(&identity)
                .copied()
                .flatten()
                .or_else(|| lab_of(&fs::read(entry.path().join("environ")).unwrap_or_default()));
            seen.insert(identity, lab);
            if let (Some(lab), Some(pid)) = (lab, Pid::from_raw(pid)) {
                let memory_bytes = stat.resident_pages * rustix::param::page_size() as u64;
                found.push(Found { pid, lab, name: stat.name, memory_bytes, cpu_ticks: stat.cpu_ticks });
            }
        }
        self.labs = seen;
        found
    }
}

fn lab_of(environment: &[u8]) -> Option<WorkbenchId> {
    let variables = environment.split(|byte| *byte == 0).filter_map(|variable| std::str::from_utf8(variable).ok());
    variables.filter_map(|variable| variable.split_once('=')).find(|(name, _)| *name == MARKER)?.1.parse().ok()
}

/// The fields of `/proc/<pid>/stat` that are used.
#[derive(Debug, PartialEq)]
struct Stat {
    name: String,
    cpu_ticks: u64,
    started_at: u64,
    resident_pages: u64,
}

impl Stat {
    /// The name is in parentheses and may have any characters. A process that has ended counts as none.
    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let fields: Vec<&str> = after.split_whitespace().collect();
        // The state is field 3 of the manual page, and the first one here.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let is_alive = !matches!(*fields.first()?, "Z" | "X");
        is_alive.then_some(())?;
        Some(Self {
            name: before.split_once('(')?.1.to_owned(),
            cpu_ticks: number(14)? + number(15)?,
            started_at: number(22)?,
            resident_pages: number(24)?,
        })
    }
}

/// Asks processes to end.
pub fn end(pids: &[Pid]) {
    signal(pids, Signal::TERM);
}

pub fn kill(pids: &[Pid]) {
    signal(pids, Signal::KILL);
}

/// A process that has ended meanwhile is no failure.
fn signal(pids: &[Pid], signal: Signal) {
    for pid in pids {
        let _ = kill_process(*pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_process_whose_name_has_parentheses() {
        let text = "42 (a) (b) S 1 42 42 0 -1 4194560 10 0 0 0 7 5 0 0 20 0 1 0 900 10000 250 18446744073709551615 1 1";
        let stat = Stat { name: "a) (b".to_owned(), cpu_ticks: 12, started_at: 900, resident_pages: 250 };
        assert_eq!(Stat::parse(text), Some(stat));
        assert_eq!(Stat::parse(&text.replace(" S ", " Z ")), None);
        assert_eq!(Stat::parse("42"), None);
    }

    #[test]
    fn finds_the_workbench_in_an_environment() {
        let id = WorkbenchId::new();
        assert_eq!(lab_of(format!("PATH=/bin\0{MARKER}={id}\0").as_bytes()), Some(id));
        assert_eq!(lab_of(format!("X{MARKER}={id}\0").as_bytes()), None);
        assert_eq!(lab_of(&[0xff, 0]), None);
    }
}
