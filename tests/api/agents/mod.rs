//! The agents API: `/builder/v1/agents…` and `/builder/v1/models`.

mod budgets;
mod create;
mod credentials;
mod delete;
mod invoke;
mod list;
mod models;
mod patch;
mod read;
