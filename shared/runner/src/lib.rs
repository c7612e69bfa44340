//! Carries out runs of workflows: claims a run, carries it as far as it goes, and leaves it when it must wait.

mod journal;
mod memory;
mod outputs;
mod plans;
mod preview;
mod triggers;
mod worker;

pub use outputs::PreviewOutput;
pub use plans::{Plans, ReleasePlan, ReleasePlans};
pub use preview::{Preview, PreviewEnd, PreviewReport};
pub use triggers::{Trigger, Triggers, find_trigger};
pub use worker::{Performers, Worker};
