//! One function a route, by what the routes are about.

pub mod connections;
pub mod credentials;
pub mod events;
pub mod test_call;
pub mod webhooks;
