//! The limit of open files (`ulimit -n`), and the number of connections that it allows.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many open files each connection to the platform is given. A call uses four: its own connection, one to another
/// system, and both ends of one to an embedded service. The other four are for files and idle connections.
const FILES_PER_CONNECTION: u64 = 8;
const MIN_CONNECTIONS: u64 = 16;
const MAX_CONNECTIONS: u64 = 8192;

/// Raises the soft limit, which is 1,024 on most systems, to the hard limit.
pub fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    if let Err(cause) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%cause, "the limit of open files cannot be raised; raise it with `ulimit -n`");
    }
}

/// The number of connections that the limit of open files allows.
pub fn max_connections() -> usize {
    connections_within(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
}

fn connections_within(open_files: u64) -> usize {
    usize::try_from((open_files / FILES_PER_CONNECTION).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_their_calls_fit_into_the_open_files() {
        assert_eq!(connections_within(1_024), 128);
        assert_eq!(connections_within(u64::MAX), 8_192);
        for open_files in [256, 1_024, 4_096, 65_536] {
            let connections = connections_within(open_files) as u64;
            assert!(4 * connections <= open_files / 2, "{open_files}");
        }
    }
}
