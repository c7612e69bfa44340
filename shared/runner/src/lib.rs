//! Carries out runs of workflows: claims a run, carries it as far as it goes, and leaves it when it must wait. Previews and
//! agents that are called directly are carried out within a request.

mod admission;
mod answerers;
mod arrivals;
mod dry;
mod erasure;
mod hint;
mod invocation;
mod invocation_trace;
mod journal;
mod memory;
mod outputs;
mod plans;
mod preview;
mod threads;
mod trace;
mod triggers;
mod waiting;
mod worker;

pub use admission::{Admission, RunAdmission};
pub use answerers::{ActiveReleases, Answerer, Answerers, AnsweringRelease};
pub use arrivals::{Arrivals, Arrived, ArrivingRun};
pub use dry::{ExampleEffects, pin_people};
pub use erasure::Erasures;
pub use hint::{Hint, HintHandler};
pub use invocation::{Invocation, InvocationEvent, InvocationEvents};
pub use invocation_trace::InvocationTrace;
pub use outputs::{KeptValue, MAX_OUTPUTS_BYTES, StepOutputs, ValueRoom};
pub use plans::{Plans, ReleasePlan, ReleasePlans, compile_draft, find_trigger_step};
pub use preview::{Preview, PreviewEnd, PreviewReport};
pub use threads::ThreadRuns;
pub use trace::RunTrace;
pub use triggers::{Trigger, Triggers, find_trigger};
pub use waiting::{look_until, wait_for_end};
pub use worker::{Performers, Worker};
