//! Handlers, by what they serve.

pub mod members;
pub mod organization;
pub mod owners;
pub mod people;
