//! What the transaction of a charge also writes: the answer of a call with an idempotency key, the end of a job, or the event
//! of an evaluation.

use crate::claims::{Claim, Claims, StoredAnswer};
use crate::guard_events::event_write;
use crate::image_job_item::end_write;
use crate::table::Table;
use crate::write::Write;
use domain::guard::GuardEvent;
use domain::image::{GeneratedImages, ImageJob, ImageJobEnd};
use domain::ledger::Charge;

/// The label of these writes.
pub(super) const END: &str = "end";

/// What the transaction of a charge also writes, on condition that this process still owns the call.
#[derive(Clone, Copy)]
pub enum CallEnd<'a> {
    /// The answer of a call with an idempotency key.
    Answer(&'a Claim, &'a StoredAnswer),
    /// The result of a job.
    Images(&'a ImageJob, &'a GeneratedImages),
    /// The event of an evaluation, and the answer if its request has an idempotency key.
    Evaluation(&'a GuardEvent, Option<(&'a Claim, &'a StoredAnswer)>),
}

impl CallEnd<'_> {
    pub(super) fn writes(self, counters: &Table, journal: &Table, charge: &Charge) -> Vec<Write> {
        let answer_write = |(claim, answer)| Claims::answer_write(counters, claim, answer);
        let writes = match self {
            Self::Answer(claim, answer) => vec![answer_write((claim, answer))],
            Self::Images(job, images) => {
                vec![end_write(counters, job, &ImageJobEnd::Succeeded(images.clone()), charge.created_at)]
            }
            Self::Evaluation(event, answer) => {
                answer.map(answer_write).into_iter().chain([event_write(journal, event)]).collect()
            }
        };
        writes.into_iter().map(|write| write.labeled(END)).collect()
    }
}
