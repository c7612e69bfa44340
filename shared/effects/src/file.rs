//! The nodes `read_file` and `write_file`. They call no other system: their work is too heavy, and its input too hostile, to
//! be computed again after each restart.

use documents::ReadError;
use domain::Error;
use engine::drive::{EffectError, EffectResult, RetryHint};
use engine::nodes::OUT;
use engine::nodes::read_file::ReadFileNode;
use engine::nodes::write_file::WriteFileNode;
use engine::run::StepOutcome;
use platform::offload::offload;
use serde_json::Value;

use crate::errors::{permanent, to_effect_error};

pub async fn read(node: &ReadFileNode<Value, String>) -> EffectResult {
    let node = node.clone();
    perform(move || {
        documents::read(&node).map_err(|error| match error {
            ReadError::Refused(error) => permanent(error),
            ReadError::Unavailable(error) => EffectError { error, retry: RetryHint::After(Default::default()) },
        })
    })
    .await
}

pub async fn write(node: &WriteFileNode<Value, String>) -> EffectResult {
    let node = node.clone();
    perform(move || documents::write(&node).map_err(permanent)).await
}

async fn perform(work: impl FnOnce() -> Result<Value, EffectError> + Send + 'static) -> EffectResult {
    let result = offload(|| Ok::<_, Error>(work())).await.map_err(to_effect_error)?;
    result.map(|value| StepOutcome::new(OUT, value))
}
