//! The gateway's money: nothing overdrawn, nothing lost, whatever happens at once.

mod budgets;
mod edge;
mod environments;
mod figures;
mod idempotency;
mod killed;
mod logs;
