//! Carries out runs of workflows: claims a run, carries it as far as it goes, and leaves it when it must wait.

mod journal;
mod plans;
mod worker;

pub use plans::{Plans, ReleasePlan, ReleasePlans};
pub use worker::{Performers, Worker};
