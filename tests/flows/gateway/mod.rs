//! The gateway's billing under concurrency and crashes: nothing is overdrawn and nothing is lost.

mod budgets;
mod crash_recovery;
mod environments;
mod exact_limits;
mod figures;
mod idempotency;
mod mixed;
