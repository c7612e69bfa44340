//! HTTP handlers, grouped by resource: one function for each route.

pub mod connections;
pub mod consents;
pub mod credentials;
pub mod events;
pub mod teams;
pub mod test_call;
pub mod tool_credentials;
pub mod webhooks;
