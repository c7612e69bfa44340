//! Request and response bodies of the runs API.

pub mod review;
pub mod run;
pub mod usage;
