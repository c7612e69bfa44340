//! The gateway's money: nothing overdrawn, nothing lost, whatever happens at once.

mod budgets;
mod edge;
mod environments;
mod killed;
