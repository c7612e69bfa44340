//! What a group of processes costs, as the kernel counts it.

use std::time::Duration;
use std::{fs, io};

/// The unit of times in `/proc`, which the kernel fixes at a hundredth of a second for programs.
const TICK: Duration = Duration::from_millis(10);

/// The processor time of the whole group so far, with that of its members' children that have ended.
pub fn cpu(group: u32) -> io::Result<Duration> {
    let ticks = members(group)?.iter().map(|member| member.ticks).sum::<u32>();
    Ok(TICK * ticks)
}

/// The memory of the whole group now.
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
    /// None if the process is gone already.
    fn read(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything; the fields after it are numbered from the third.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u32>().ok();
        // utime and stime, and those of its children that have ended.
        let ticks = field(14)? + field(15)? + field(16)? + field(17)?;
        Some(Self { pid, group: field(5)?, ticks })
    }
}

fn rss_kb(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
