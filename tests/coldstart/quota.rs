//! Limits a process to a fraction of a core with a cgroup, as Lambda limits a function by its memory size.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, thread};

/// The CPU share of 256 MB: Lambda gives a function of 1,769 MB one core.
pub const CORES_OF_256_MB: f64 = 0.145;
/// The period of the quota. With the kernel's default of 100 ms, a short call would end before it is throttled.
const PERIOD_US: f64 = 20_000.0;
const ROOT: &str = "/sys/fs/cgroup";

/// A cgroup with a CPU quota. Creating one requires root.
pub struct Quota {
    folder: PathBuf,
}

impl Quota {
    pub fn new(cores: f64) -> io::Result<Self> {
        let (quota_us, version_1) = (cores * PERIOD_US, Path::new(ROOT).join("cpu"));
        let is_version_1 = version_1.is_dir();
        let parent = if is_version_1 { version_1 } else { PathBuf::from(ROOT) };
        if !is_version_1 {
            fs::write(parent.join("cgroup.subtree_control"), "+cpu")?;
        }
        let quota = Self { folder: parent.join(format!("coldstart-{}", std::process::id())) };
        fs::create_dir(&quota.folder)?;
        if is_version_1 {
            quota.write("cpu.cfs_period_us", format!("{PERIOD_US}"))?;
            quota.write("cpu.cfs_quota_us", format!("{quota_us}"))?;
        } else {
            quota.write("cpu.max", format!("{quota_us} {PERIOD_US}"))?;
        }
        Ok(quota)
    }

    /// Moves a process with all its threads into the cgroup.
    pub fn add_process(&self, pid: u32) -> io::Result<()> {
        self.write("cgroup.procs", pid.to_string())
    }

    fn write(&self, file: &str, content: String) -> io::Result<()> {
        fs::write(self.folder.join(file), content)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // The last process may take a moment to exit.
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
