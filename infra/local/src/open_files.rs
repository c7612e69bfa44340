//! How many files this process may have open: every connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Of the files, what connections to the front may take. A call holds one, one to another system, and both ends of one
/// to a service, which is in this process; the rest is for files and for connections that wait for their next use.
const SHARE: u64 = 8;
const FEWEST: u64 = 16;
const MOST: u64 = 8192;

/// Raises the soft limit, which is 1,024 on most systems, as far as the user may.
pub fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    if let Err(cause) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%cause, "the number of open files stays limited; see ulimit -n");
    }
}

/// How many connections this process has room for.
pub fn max_connections() -> usize {
    connections_within(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
}

fn connections_within(open_files: u64) -> usize {
    usize::try_from((open_files / SHARE).clamp(FEWEST, MOST)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_what_each_needs_fit_into_the_open_files() {
        assert_eq!(connections_within(1_024), 128);
        assert_eq!(connections_within(u64::MAX), 8_192);
        for open_files in [256, 1_024, 4_096, 65_536] {
            let connections = connections_within(open_files) as u64;
            assert!(4 * connections <= open_files / 2, "{open_files}");
        }
    }
}
