//! Request and response bodies of the runs API.

pub mod analytics;
pub mod event;
pub mod list;
pub mod review;
pub mod run;
pub mod trace;
pub mod usage;
