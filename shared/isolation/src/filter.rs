//! The filter of system calls (seccomp) of a process that carries out a task: it may compute, allocate, answer and end. A
//! task that is taken over finds no files, no network, no other processes and no signals.

#[cfg(target_os = "linux")]
pub fn install() -> std::io::Result<()> {
    use std::collections::BTreeMap;
    use std::io::Error;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

    const ALLOWED: [libc::c_long; 24] = [
        libc::SYS_brk,
        libc::SYS_clock_getres,
        libc::SYS_clock_gettime,
        libc::SYS_close,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_gettimeofday,
        libc::SYS_madvise,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_read,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sched_yield,
        libc::SYS_sendto,
        libc::SYS_write,
    ];
    let architecture = std::env::consts::ARCH.try_into().map_err(Error::other)?;
    let rules = ALLOWED.into_iter().map(|call| (call, Vec::new())).collect::<BTreeMap<_, _>>();
    let filter = SeccompFilter::new(rules, SeccompAction::Trap, SeccompAction::Allow, architecture);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(Error::other)?;
    seccompiler::apply_filter(&program).map_err(Error::other)
}

/// Other systems are for development: they have only the limits of memory and time.
#[cfg(not(target_os = "linux"))]
pub fn install() -> std::io::Result<()> {
    Ok(())
}
