//! Checks of the machine: open files, clock, port and optional programs.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

use domain::time::Time;
use rustix::process::{Resource, getrlimit};

use super::Finding;
use crate::{labs, open_files};

/// With fewer open files, the platform serves few connections at once.
const FEWEST_OPEN_FILES: u64 = 256;
const USUAL_OPEN_FILES: u64 = 4_096;
/// 2025-01-01. This version of the platform is younger.
const EARLIEST: i64 = 1_735_689_600;

pub fn check() -> Vec<Finding> {
    let mut findings = vec![
        check_open_files(getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)),
        check_clock(Time::now(), EARLIEST),
    ];
    findings.extend(check_programs());
    findings
}

fn check_open_files(limit: u64) -> Finding {
    let connections = open_files::max_connections();
    let state = match limit {
        u64::MAX => format!("open files: no limit, which allows {connections} connections"),
        limit => format!("open files: at most {limit}, which allows {connections} connections"),
    };
    let fix = "raise the limit with `ulimit -n 65536`, in /etc/security/limits.conf or in the options of the container";
    match limit {
        ..FEWEST_OPEN_FILES => Finding::problem(state, fix),
        FEWEST_OPEN_FILES..USUAL_OPEN_FILES => Finding::note(state, fix),
        _ => Finding::Fine(state),
    }
}

fn check_clock(now: Time, earliest: i64) -> Finding {
    match now.as_seconds() < earliest {
        true => Finding::problem(
            format!("the clock says {now}, so tokens and TLS certificates seem invalid"),
            "set the clock, for example with `timedatectl set-ntp true`",
        ),
        false => Finding::Fine(format!("clock: {now}")),
    }
}

pub fn check_port(port: u16) -> Finding {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Finding::Fine(format!("port {port} is free")),
        Err(cause) if cause.kind() == ErrorKind::PermissionDenied => Finding::problem(
            format!("port {port} may not be opened by this user"),
            "choose a port from 1024 with --port",
        ),
        Err(cause) => Finding::problem(
            format!("port {port} cannot be opened ({cause})"),
            "stop the program that listens there, or choose another port with --port",
        ),
    }
}

fn check_programs() -> [Finding; 2] {
    let is_installed =
        |command: &[&str]| labs::is_installed(&command.iter().map(|&word| word.into()).collect::<Vec<_>>());
    let check = |command: &[&str], name: &str, fix: &str| match is_installed(command) {
        true => Finding::Fine(format!("{name} is installed")),
        false => Finding::note(format!("{name} is not installed; it is optional, for workbenches"), fix),
    };
    [
        check(
            &["jupyter", "lab"],
            "JupyterLab",
            "`pip install jupyterlab`, in the environment that starts the platform",
        ),
        check(&["code-server"], "code-server", "install it as https://coder.com/docs/code-server/install says"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_limits_and_a_wrong_clock_are_reported() {
        assert!(matches!(check_open_files(64), Finding::Problem { .. }));
        assert!(matches!(check_open_files(1_024), Finding::Note { .. }));
        assert!(matches!(check_open_files(65_536), Finding::Fine(_)));
        assert!(matches!(check_clock(Time::now(), i64::MAX), Finding::Problem { .. }));
        assert!(matches!(check_clock(Time::now(), EARLIEST), Finding::Fine(_)));
    }
}
