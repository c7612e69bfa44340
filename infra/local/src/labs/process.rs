//! The process that serves a lab, with its limits.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::time::Time;
use domain::workbench::{Resources, Usage, Workbench};
use domain::{Error, Result};
use labs::{PREPARE_PYTHON, jupyter_path};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::files::LabFolder;
use super::lock;
use super::process_table::{self, MARKER, ProcessSample};
use super::program::{Address, Program};

/// The variables of the platform's environment that a lab gets. The others may hold secrets.
/// `VIRTUAL_ENV` is missing, because tools such as `uv` would install the packages of a lab there.
const INHERITED: [&str; 8] = ["PATH", "LANG", "LC_ALL", "TZ", "USER", "TERM", "CONDA_PREFIX", "PYENV_ROOT"];
/// A program with less CPU than this on average is idle: waiting programs wake up now and then.
const BUSY_MILLICORES: u64 = 50;
/// The time over which the use of the CPU is averaged.
const AVERAGED_OVER: Duration = Duration::from_secs(10);

pub struct LabProcess {
    pub address: Address,
    /// The proxy sends it with each request.
    pub token: String,
    pub is_jupyter: bool,
    memory_limit: u64,
    child: Mutex<Child>,
    measured: Mutex<Measured>,
}

/// The last measurement.
struct Measured {
    memory_bytes: u64,
    /// The CPU time of all processes at a time.
    cpu_ticks: u64,
    at: Time,
    millicores: Option<u64>,
    /// When the processes last used the CPU.
    busy_at: Option<Time>,
}

impl Measured {
    fn new(now: Time) -> Self {
        Self { memory_bytes: 0, cpu_ticks: 0, at: now, millicores: None, busy_at: None }
    }

    fn note(&mut self, memory_bytes: u64, cpu_ticks: u64, now: Time) {
        self.memory_bytes = memory_bytes;
        let elapsed = self.at.until(now);
        if elapsed < AVERAGED_OVER {
            return;
        }
        // The time of an ended process is missing, unless another one has waited for it.
        let used_ticks = cpu_ticks.saturating_sub(self.cpu_ticks) as f64;
        let used_s = used_ticks / rustix::param::clock_ticks_per_second() as f64;
        let millicores = (used_s / elapsed.as_secs_f64() * 1_000.0) as u64;
        if millicores >= BUSY_MILLICORES {
            self.busy_at = Some(now);
        }
        (self.cpu_ticks, self.at, self.millicores) = (cpu_ticks, now, Some(millicores));
    }
}

impl LabProcess {
    /// Starts a program in the folder of a workbench, with the variables of its users.
    pub async fn start(
        program: &Program,
        folder: &LabFolder,
        workbench: &Workbench,
        variables: &BTreeMap<String, String>,
        now: Time,
    ) -> Result<Self> {
        let failed = |what: &'static str| move |cause: std::io::Error| Error::internal(format!("{what}: {cause}"));
        let address = match program.has_socket() {
            true => Address::Socket(folder.socket.clone()),
            false => Address::Port(free_port().map_err(failed("a lab gets no port"))?),
        };
        let token = random_token()?;
        let log = folder.open_log().map_err(failed("the log of a lab cannot be created"))?;
        let resources = &workbench.spec.resources;
        let cores = resources.cpu.div_ceil(1_000).to_string();
        let mut command = Command::new("/bin/sh");
        let keeps_packages = workbench.image.keeps_python_packages();
        let prepare = if keeps_packages { PREPARE_PYTHON } else { "" };
        // The shell waits for a line, so that the program starts with its limits.
        command.args(["-c", &format!("read -r _ || exit\n{prepare}\nexec \"$@\""), "lab"]).arg(&program.file);
        command.args(program.arguments(&address, &folder.home));
        command.env_clear().envs(INHERITED.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.envs(variables);
        command.env(MARKER, &folder.root).env("HOME", &folder.home).env("ATELIER_TOKEN", &token);
        // Numeric libraries start as many threads as the machine has cores.
        command.env("OMP_NUM_THREADS", &cores).env("OPENBLAS_NUM_THREADS", &cores);
        if keeps_packages {
            command.env("JUPYTER_PATH", jupyter_path(&folder.home.display().to_string()));
        }
        command.current_dir(&folder.home).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(log.try_clone().map_err(failed("the log of a lab"))?).stderr(log);
        let mut child = command.spawn().map_err(failed("the program of a lab cannot be started"))?;
        limit(&child, resources)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(b"\n").await.map_err(failed("the program of a lab cannot be started"))?;
        }
        Ok(Self {
            address,
            token,
            is_jupyter: program.is_jupyter,
            memory_limit: resources.memory,
            child: Mutex::new(child),
            measured: Mutex::new(Measured::new(now)),
        })
    }

    /// How the process has ended, if it has.
    pub fn exit(&self) -> Option<String> {
        match lock(&self.child).try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => Some(status.to_string()),
            Err(cause) => Some(cause.to_string()),
        }
    }

    /// Compares the memory of the lab's processes with the limit. If they exceed it, the largest one is killed, like the
    /// kernel's OOM killer would do. Returns a message if one was killed.
    pub fn measure(&self, processes: &[&ProcessSample], now: Time) -> Option<String> {
        let mut memory_bytes = processes.iter().map(|process| process.memory_bytes).sum();
        if memory_bytes > self.memory_limit {
            // Forked processes share memory. Only this slower figure counts it once.
            let proportional = |process: &&ProcessSample| process.proportional_memory_bytes().unwrap_or_default();
            memory_bytes = processes.iter().map(proportional).sum();
        }
        let cpu_ticks = processes.iter().map(|process| process.cpu_ticks).sum();
        lock(&self.measured).note(memory_bytes, cpu_ticks, now);
        let largest = processes.iter().max_by_key(|process| process.memory_bytes)?;
        if memory_bytes <= self.memory_limit {
            return None;
        }
        process_table::kill(&[largest]);
        let mib = |bytes: u64| bytes >> 20;
        let (used, limit, name) = (mib(memory_bytes), mib(self.memory_limit), &largest.name);
        Some(format!("the workbench used {used} MiB of memory and may use {limit} MiB: {name} was killed at {now}"))
    }

    pub fn usage(&self) -> Usage {
        let last = lock(&self.measured);
        Usage { cpu: last.millicores, memory: Some(last.memory_bytes), gpumem: None, storage: None }
    }

    pub fn busy_at(&self) -> Option<Time> {
        lock(&self.measured).busy_at
    }
}

/// The limits of each process. That of memory is only the last resort: `measure` limits the sum of all processes earlier.
#[cfg(target_os = "linux")]
fn limit(child: &Child, resources: &Resources) -> Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let Some(pid) = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())) else { return Ok(()) };
    for (resource, max) in [(Resource::Data, resources.memory.saturating_mul(2)), (Resource::Core, 0)] {
        // A user cannot raise the limit of this process.
        let max = getrlimit(resource).maximum.map_or(max, |own| own.min(max));
        let limit = Rlimit { current: Some(max), maximum: Some(max) };
        prlimit(Some(pid), resource, limit)
            .map_err(|cause| Error::internal(format!("the limits of a lab: {cause}")))?;
    }
    Ok(())
}

/// Labs have processes only on Linux.
#[cfg(not(target_os = "linux"))]
fn limit(_: &Child, _: &Resources) -> Result<()> {
    Ok(())
}

/// A free port of this machine. If another program takes it before the lab does, the lab's program ends and is started
/// again.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

pub fn random_token() -> Result<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::internal("the random number generator failed"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_uses_the_cpu_is_busy() {
        let second = rustix::param::clock_ticks_per_second();
        let start = Time::now();
        let after = |seconds| start.plus(Duration::from_secs(seconds));
        let mut measured = Measured::new(start);
        measured.note(1, second, after(9));
        assert_eq!((measured.memory_bytes, measured.millicores), (1, None), "too early for an average");
        measured.note(2, 2 * second, after(20));
        assert_eq!((measured.millicores, measured.busy_at), (Some(100), Some(after(20))));
        // It only wakes up now and then.
        measured.note(2, 2 * second + second / 10, after(40));
        assert_eq!((measured.millicores, measured.busy_at), (Some(5), Some(after(20))));
        // One of its processes has ended, with the time that it had used.
        measured.note(2, second, after(60));
        assert_eq!((measured.millicores, measured.busy_at), (Some(0), Some(after(20))));
    }
}
