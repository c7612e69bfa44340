//! The handlers of the runs API.

pub mod activity;
pub mod analytics;
pub mod console;
pub mod controls;
pub mod form_pages;
pub mod replays;
pub mod retries;
pub mod reviews;
pub mod runs;
pub mod tables;
pub mod trace;
