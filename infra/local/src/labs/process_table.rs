//! The processes of labs, found in `/proc` by a variable of their environment. Process groups do not suffice: Jupyter
//! starts each kernel in a session of its own. The variable also finds the processes that a killed platform has left.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use domain::id::WorkbenchId;
use rustix::process::{Pid, Signal, test_kill_process};

/// The variable that names the folder of the workbench. Two platforms on one machine have different folders.
pub const MARKER: &str = "ATELIER_WORKBENCH";

/// How many scans read the environment of a process that is in no lab. It changes only when a program is started in the
/// process, soon after its creation.
const ENVIRONMENT_READS: u8 = 4;

/// What one scan has seen of a process.
#[derive(Clone, Debug)]
pub struct ProcessSample {
    pub pid: Pid,
    pub lab: WorkbenchId,
    pub name: String,
    pub memory_bytes: u64,
    /// The CPU time that it and its ended children have used.
    pub cpu_ticks: u64,
    started_at: u64,
}

impl ProcessSample {
    /// The memory without the share of other processes in it. None if it has ended.
    pub fn proportional_memory_bytes(&self) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid.as_raw_nonzero())).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
    }
}

/// The processes of one platform's labs.
pub struct ProcessTable {
    /// The value of the variable begins with the folder of all labs.
    prefix: String,
    /// By process id and start time, because ids are used again.
    known: HashMap<(i32, u64), Known>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    lab: Option<WorkbenchId>,
    environment_reads: u8,
}

impl ProcessTable {
    /// `folder` holds the folders of all labs.
    pub fn new(folder: &Path) -> Self {
        Self { prefix: format!("{}/", folder.display()), known: HashMap::new() }
    }

    /// Finds the processes of all labs. Without `/proc`, it finds nothing.
    pub fn scan(&mut self) -> Vec<ProcessSample> {
        let with_known = |stat: Stat| {
            let known = self.known(&stat);
            (stat, known)
        };
        let mut all: Vec<_> = read_stats().map(with_known).collect();
        adopt_descendants(&mut all);
        self.known = all.iter().map(|(stat, known)| ((stat.pid, stat.started_at), *known)).collect();
        let page_bytes = rustix::param::page_size() as u64;
        let sample = |(stat, known): (Stat, Known)| {
            Some(ProcessSample {
                pid: Pid::from_raw(stat.pid)?,
                lab: known.lab?,
                name: stat.name,
                memory_bytes: stat.resident_pages * page_bytes,
                cpu_ticks: stat.cpu_ticks,
                started_at: stat.started_at,
            })
        };
        all.into_iter().filter_map(sample).collect()
    }

    fn known(&self, stat: &Stat) -> Known {
        let known = self.known.get(&(stat.pid, stat.started_at)).copied().unwrap_or_default();
        if known.lab.is_some() || known.environment_reads == ENVIRONMENT_READS {
            return known;
        }
        let environment = fs::read(format!("/proc/{}/environ", stat.pid)).unwrap_or_default();
        Known { lab: self.lab_of(&environment), environment_reads: known.environment_reads + 1 }
    }

    fn lab_of(&self, environment: &[u8]) -> Option<WorkbenchId> {
        let variables = environment.split(|byte| *byte == 0).filter_map(|variable| std::str::from_utf8(variable).ok());
        let (_, folder) =
            variables.filter_map(|variable| variable.split_once('=')).find(|(name, _)| *name == MARKER)?;
        folder.strip_prefix(&self.prefix)?.parse().ok()
    }
}

fn read_stats() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Stat::parse(pid, &String::from_utf8_lossy(&fs::read(entry.path().join("stat")).ok()?))
    })
}

/// A process belongs to the lab of its parent or of its session's leader, also if its program has overwritten its
/// environment.
fn adopt_descendants(all: &mut [(Stat, Known)]) {
    let mut labs: HashMap<i32, WorkbenchId> =
        all.iter().filter_map(|(stat, known)| Some((stat.pid, known.lab?))).collect();
    loop {
        let before = labs.len();
        for (stat, known) in all.iter_mut().filter(|(_, known)| known.lab.is_none()) {
            let Some(lab) = labs.get(&stat.parent).or_else(|| labs.get(&stat.session)).copied() else { continue };
            // A process of another user would be reported for ever: it cannot be ended.
            if Pid::from_raw(stat.pid).is_some_and(|pid| test_kill_process(pid).is_ok()) {
                known.lab = Some(lab);
                labs.insert(stat.pid, lab);
            }
        }
        if labs.len() == before {
            return;
        }
    }
}

/// The fields of `/proc/<pid>/stat` that are used.
#[derive(Debug, PartialEq)]
struct Stat {
    pid: i32,
    name: String,
    parent: i32,
    session: i32,
    cpu_ticks: u64,
    started_at: u64,
    resident_pages: u64,
}

impl Stat {
    /// The name is in parentheses and may have any characters. A process that has ended counts as none.
    fn parse(pid: i32, text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let fields: Vec<&str> = after.split_whitespace().collect();
        // The state is field 3 of the manual page, and the first one here.
        let field = |number: usize| fields.get(number - 3);
        let number = |number: usize| field(number)?.parse::<u64>().ok();
        let is_alive = !matches!(*field(3)?, "Z" | "X");
        is_alive.then_some(())?;
        Some(Self {
            pid,
            name: before.split_once('(')?.1.to_owned(),
            parent: field(4)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            cpu_ticks: number(14)? + number(15)? + number(16)? + number(17)?,
            started_at: number(22)?,
            resident_pages: number(24)?,
        })
    }
}

/// Asks processes to exit.
pub fn terminate(processes: &[&ProcessSample]) {
    signal(processes, Signal::TERM);
}

pub fn kill(processes: &[&ProcessSample]) {
    signal(processes, Signal::KILL);
}

/// A process that has ended meanwhile is no failure.
fn signal(processes: &[&ProcessSample], signal: Signal) {
    for process in processes {
        let _ = send(process, signal);
    }
}

/// The descriptor stays that of the process, and its start time tells whether it is the process that was scanned.
#[cfg(target_os = "linux")]
fn send(process: &ProcessSample, signal: Signal) -> rustix::io::Result<()> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let descriptor = pidfd_open(process.pid, PidfdFlags::empty())?;
    let pid = process.pid.as_raw_nonzero().get();
    let text = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    match Stat::parse(pid, &String::from_utf8_lossy(&text)) {
        Some(stat) if stat.started_at == process.started_at => pidfd_send_signal(&descriptor, signal),
        _ => Ok(()),
    }
}

/// Labs have processes only on Linux.
#[cfg(not(target_os = "linux"))]
fn send(process: &ProcessSample, signal: Signal) -> rustix::io::Result<()> {
    rustix::process::kill_process(process.pid, signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: i32, parent: i32, session: i32) -> Stat {
        Stat { pid, name: "a".to_owned(), parent, session, cpu_ticks: 0, started_at: 1, resident_pages: 0 }
    }

    #[test]
    fn reads_a_process_whose_name_has_parentheses() {
        let text = "42 (a) (b) S 1 42 40 0 -1 4194560 10 0 0 0 7 5 2 1 20 0 1 0 900 10000 250 18446744073709551615 1 1";
        let name = "a) (b".to_owned();
        let expected = Stat { name, cpu_ticks: 15, started_at: 900, resident_pages: 250, ..stat(42, 1, 40) };
        assert_eq!(Stat::parse(42, text), Some(expected));
        assert_eq!(Stat::parse(42, &text.replace(" S ", " Z ")), None);
        assert_eq!(Stat::parse(42, "42"), None);
    }

    #[test]
    fn finds_the_workbench_in_an_environment() {
        let id = WorkbenchId::new();
        let table = ProcessTable::new(Path::new("/data/workbenches"));
        assert_eq!(table.lab_of(format!("PATH=/bin\0{MARKER}=/data/workbenches/{id}\0").as_bytes()), Some(id));
        assert_eq!(table.lab_of(format!("X{MARKER}=/data/workbenches/{id}\0").as_bytes()), None);
        assert_eq!(table.lab_of(format!("{MARKER}=/other/workbenches/{id}\0").as_bytes()), None);
        assert_eq!(table.lab_of(&[0xff, 0]), None);
    }

    #[test]
    fn descendants_belong_to_the_lab() {
        let lab = WorkbenchId::new();
        let of_lab = Known { lab: Some(lab), environment_reads: 1 };
        // The process of this test stands for the descendants, because they must be ones that it may end.
        let own = std::process::id().cast_signed();
        let mut all = vec![(stat(10, 1, 10), of_lab), (stat(own, 10, own), Known::default())];
        adopt_descendants(&mut all);
        assert_eq!(all[1].1.lab, Some(lab));
        let mut of_session = vec![(stat(10, 1, 10), of_lab), (stat(own, 1, 10), Known::default())];
        adopt_descendants(&mut of_session);
        assert_eq!(of_session[1].1.lab, Some(lab));
        let mut stranger = vec![(stat(10, 1, 10), of_lab), (stat(own, 1, own), Known::default())];
        adopt_descendants(&mut stranger);
        assert_eq!(stranger[1].1.lab, None);
    }
}
