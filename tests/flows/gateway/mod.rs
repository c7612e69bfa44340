//! The gateway's billing under concurrency and crashes: nothing is overdrawn and nothing is lost.

mod budgets;
mod edge;
mod environments;
mod figures;
mod idempotency;
mod killed;
mod logs;
