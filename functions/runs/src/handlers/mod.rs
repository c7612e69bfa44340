//! The handlers of the runs API.

pub mod controls;
pub mod reviews;
pub mod runs;
