//! Carries out runs of workflows: claims a run, performs the effects of its nodes, and leaves it when it must wait.

mod effects;
mod journal;
mod plans;
mod worker;

pub use effects::NodePerformers;
pub use plans::{Plans, ReleasePlans};
pub use worker::{Performers, Worker};
