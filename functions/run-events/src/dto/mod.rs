//! Response bodies of the events of runs.

pub mod activity;
pub mod event;
pub mod inbox;
