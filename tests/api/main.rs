//! Every route, through the real routers, the real SDK clients and the embedded services.

mod agents;
mod authentication;
mod extractors;
mod openapi;
mod reference;
mod services;
