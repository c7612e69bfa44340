//! The values of steps that a response shows: a limited size is kept. In a preview, all steps are observed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::compile::ExecutionPlan;
use engine::drive::{Effect, EffectError, EffectOutcome, Effects};
use engine::run::StepEvent;
use engine::script::ConsoleLine;
use engine::value_size::measure;
use serde_json::Value;

/// The maximum size of a value that a response shows.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// The maximum size of all values of a response. A response of Lambda has at most 6 MB, and escaping may double it.
pub const MAX_OUTPUTS_BYTES: usize = 2 * 1024 * 1024;

/// A value, if it is small enough for a response.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptValue {
    Value(Arc<Value>),
    /// The size of a value that is not kept.
    Omitted {
        bytes: usize,
    },
}

impl KeptValue {
    /// Keeps a value that fits in `left`, and subtracts its size.
    pub fn new(value: &Arc<Value>, left: &mut usize) -> Self {
        let bytes = measure(value).unwrap_or_default();
        match left.checked_sub(bytes).filter(|_| bytes <= MAX_OUTPUT_BYTES) {
            Some(rest) => {
                *left = rest;
                Self::Value(value.clone())
            }
            None => Self::Omitted { bytes },
        }
    }

    /// The value of a response, and its size if it is too large and therefore null.
    pub fn into_response(self) -> (Value, Option<usize>) {
        match self {
            Self::Value(value) => (Arc::unwrap_or_clone(value), None),
            Self::Omitted { bytes } => (Value::Null, Some(bytes)),
        }
    }
}

/// The room that a response has left for values.
pub struct ValueRoom(usize);

impl ValueRoom {
    /// The values as the response shows them, and the names of those that are too large and therefore null.
    pub fn show<const N: usize>(
        &mut self,
        values: [(&'static str, Option<Arc<Value>>); N],
    ) -> ([Value; N], Vec<&'static str>) {
        let mut omitted = Vec::new();
        let shown = values.map(|(name, value)| {
            let kept = value.map(|value| KeptValue::new(&value, &mut self.0).into_response());
            let (value, omitted_bytes) = kept.unwrap_or_default();
            omitted.extend(omitted_bytes.map(|_| name));
            value
        });
        (shown, omitted)
    }
}

impl Default for ValueRoom {
    fn default() -> Self {
        Self(MAX_OUTPUTS_BYTES)
    }
}

/// The outputs so far. They can be read while the preview goes on.
#[derive(Clone)]
pub struct OutputLog(Arc<Mutex<KeptOutputs>>);

/// What steps returned, by their paths.
#[derive(Default)]
pub struct StepOutputs {
    pub values: HashMap<String, KeptValue>,
    /// What their scripts wrote.
    pub consoles: HashMap<String, Vec<ConsoleLine>>,
}

struct KeptOutputs {
    outputs: StepOutputs,
    /// The size that may still be kept.
    left: usize,
}

impl OutputLog {
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(KeptOutputs { outputs: StepOutputs::default(), left: MAX_OUTPUTS_BYTES })))
    }

    pub fn take(&self) -> StepOutputs {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).outputs)
    }
}

/// Effects whose steps are observed.
pub struct ObservedEffects<E> {
    pub effects: E,
    pub log: OutputLog,
}

impl<E: Effects> Effects for ObservedEffects<E> {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        self.effects.perform(effect).await
    }

    fn observe(&self, plan: &ExecutionPlan, events: &[StepEvent]) {
        let mut kept = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            match event {
                StepEvent::Completed { path, outcome } => {
                    let output = KeptValue::new(&outcome.value, &mut kept.left);
                    kept.outputs.values.insert(path.display(plan), output);
                }
                StepEvent::Printed { path, lines } => {
                    let console = kept.outputs.consoles.entry(path.display(plan)).or_default();
                    console.extend_from_slice(lines);
                }
                _ => {}
            }
        }
    }
}
