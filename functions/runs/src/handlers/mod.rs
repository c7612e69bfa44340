//! The handlers of the runs API.

pub mod analytics;
pub mod controls;
pub mod history;
pub mod reviews;
pub mod runs;
