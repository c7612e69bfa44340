//! The messages of `QUEUE_RUNS`: what may need a worker.

use serde::Deserialize;
use shared::store::runs::RunHint;
use shared::store::threads::{ErasureHint, ThreadHint};

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum Hint {
    Run(RunHint),
    Thread(ThreadHint),
    Erasure(ErasureHint),
}
