//! What a process that holds a run learns from its writes.

/// Whether the process still holds the run after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a process that lost the run must leave it"]
pub enum Hold {
    Held,
    /// Another process has the run, or the run was stopped. The last transaction was refused; earlier ones may be stored.
    Lost,
}

/// What became of the wish to leave a run until later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parking {
    Parked,
    /// A review was answered since the holder last read the answers. The run goes on.
    Woken,
    /// Another process has the run, or the run was stopped.
    Lost,
}
