//! Reads the CPU time, the writes and the memory of a process group from `/proc`, with all descendants of its members: the
//! processes of `PostgreSQL` leave the group of their parent.

use std::io::ErrorKind;
use std::ops::{AddAssign, Sub};
use std::time::Duration;
use std::{fs, io};

/// The unit of times in `/proc`: the kernel reports hundredths of a second to programs.
const TICK: Duration = Duration::from_millis(10);

/// What processes have used so far, including children that have ended.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    pub cpu: Duration,
    /// The bytes of the pages that they changed in files on a disk (`write_bytes` of the kernel). A page that is synced and
    /// changed again counts again, so this is what the disk has to write, and not what the programs wrote.
    pub written: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.written += other.written;
    }
}

impl Sub for Usage {
    type Output = Self;

    /// The difference is zero where a process that has ended takes its part along.
    fn sub(self, before: Self) -> Self {
        Self { cpu: self.cpu.saturating_sub(before.cpu), written: self.written.saturating_sub(before.written) }
    }
}

pub fn usage(group: u32) -> io::Result<Usage> {
    let mut usage = Usage::default();
    for member in members(group)? {
        usage += Usage { cpu: TICK * member.ticks, written: field(&member.file("io"), "write_bytes")? };
    }
    Ok(usage)
}

/// The memory now. A page that processes share counts once (PSS).
pub fn memory_mb(group: u32) -> io::Result<f64> {
    let mut kb = 0;
    for member in members(group)? {
        kb += field(&member.file("smaps_rollup"), "Pss")?;
    }
    Ok(kb as f64 * 1_024.0 / 1e6)
}

pub fn process_ids(group: u32) -> io::Result<Vec<u32>> {
    Ok(members(group)?.iter().map(|member| member.pid).collect())
}

struct Member {
    pid: u32,
    parent: u32,
    group: u32,
    ticks: u32,
}

fn members(group: u32) -> io::Result<Vec<Member>> {
    let names = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let all = names.filter_map(|name| Member::read(name.parse().ok()?));
    let (mut members, mut others): (Vec<_>, Vec<_>) = all.partition(|process| process.group == group);
    loop {
        let is_child = |process: &Member| members.iter().any(|member| member.pid == process.parent);
        let (children, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(is_child);
        if children.is_empty() {
            return Ok(members);
        }
        members.extend(children);
        others = rest;
    }
}

impl Member {
    /// `None` if the process has ended.
    fn read(pid: u32) -> Option<Self> {
        let stat = Stat::read(&format!("/proc/{pid}/stat"))?;
        // utime and stime of the process, and of its children that have ended.
        let ticks = stat.sum([14, 15, 16, 17])?;
        Some(Self { pid, parent: stat.sum([4])?, group: stat.sum([5])?, ticks })
    }

    fn file(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.pid)
    }
}

/// The fields of a `stat` line of the kernel, from the third on.
struct Stat(Vec<String>);

impl Stat {
    fn read(path: &str) -> Option<Self> {
        let stat = fs::read_to_string(path).ok()?;
        // The name in parentheses may contain any character.
        let (_, after) = stat.rsplit_once(')')?;
        Some(Self(after.split_whitespace().map(str::to_owned).collect()))
    }

    /// The sum of fields, by their numbers in the kernel's documentation.
    fn sum<const N: usize>(&self, numbers: [usize; N]) -> Option<u32> {
        numbers.iter().map(|number| self.0.get(number - 3)?.parse::<u32>().ok()).sum()
    }
}

/// A number from the lines `name: number` of a file. It is 0 if the process has ended.
fn field(path: &str, name: &str) -> io::Result<u64> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(io::Error::other(format!("{path}: {error}")));
        }
        read => read.unwrap_or_default(),
    };
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default())
}
