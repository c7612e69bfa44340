//! Every route, through the real routers, the real SDK clients and the embedded services.
#![expect(clippy::unwrap_used, reason = "in a test, what should not fail says so by failing")]

mod agents;
mod authentication;
mod bodies;
mod connections;
mod echoes;
mod extractors;
mod gateway;
mod inference;
mod openapi;
mod permissions;
mod reference;
mod services;
mod signatures;
mod workflows;
