//! Carries out runs of workflows: claims a run, carries it as far as it goes, and leaves it when it must wait.

mod journal;
mod plans;
mod triggers;
mod worker;

pub use plans::{Plans, ReleasePlan, ReleasePlans};
pub use triggers::{Trigger, Triggers, find_trigger};
pub use worker::{Performers, Worker};
