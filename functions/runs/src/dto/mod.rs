//! Request and response bodies of the runs API.

pub mod activity;
pub mod analytics;
pub mod compared;
pub mod form_page;
pub mod list;
pub mod replay;
pub mod review;
pub mod run;
pub mod table;
pub mod trace;
