//! The size of the slow properties. They use fewer cases by default, so that the suite is fast enough to run often.
//! `FULL_TESTS=1 cargo test --workspace` runs them at full size.

/// The number of cases to run.
pub fn full_or(full: usize, usual: usize) -> usize {
    if std::env::var_os("FULL_TESTS").is_some() { full } else { usual }
}
