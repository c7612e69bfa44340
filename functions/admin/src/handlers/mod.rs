//! HTTP handlers, grouped by resource: one function for each route.

pub mod aliases;
pub mod audit;
pub mod billing;
pub mod calls;
pub mod caps;
pub mod guard;
pub mod keys;
pub mod limits;
pub mod maintenance;
pub mod mcp_servers;
pub mod model_facts;
pub mod model_imports;
pub mod models;
pub mod orgs;
pub mod plans;
pub mod provider_checks;
pub mod provider_offers;
pub mod providers;
pub mod receipt_keys;
pub mod setup;
pub mod users;
pub mod workbench_cluster;
