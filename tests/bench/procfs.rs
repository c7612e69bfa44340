//! Reads the CPU time and the memory of a process group from `/proc`.

use std::time::Duration;
use std::{fs, io};

/// The unit of times in `/proc`: the kernel reports hundredths of a second to programs.
const TICK: Duration = Duration::from_millis(10);

/// The CPU time of the whole group so far, including children of its members that have ended.
pub fn cpu(group: u32) -> io::Result<Duration> {
    let ticks = members(group)?.iter().map(|member| member.ticks).sum::<u32>();
    Ok(TICK * ticks)
}

/// The resident memory of the whole group now.
pub fn rss_mb(group: u32) -> io::Result<f64> {
    let kb = members(group)?.iter().map(|member| rss_kb(member.pid)).sum::<f64>();
    Ok(kb * 1_024.0 / 1e6)
}

struct Member {
    pid: u32,
    group: u32,
    ticks: u32,
}

fn members(group: u32) -> io::Result<Vec<Member>> {
    let names = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let members = names.filter_map(|name| Member::read(name.parse().ok()?));
    Ok(members.filter(|member| member.group == group).collect())
}

impl Member {
    /// `None` if the process has ended.
    fn read(pid: u32) -> Option<Self> {
        let stat = Stat::read(&format!("/proc/{pid}/stat"))?;
        // utime and stime of the process, and of its children that have ended.
        let ticks = stat.sum([14, 15, 16, 17])?;
        Some(Self { pid, group: stat.sum([5])?, ticks })
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

fn rss_kb(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
