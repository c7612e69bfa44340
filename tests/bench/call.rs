//! The call of a load, and what its answer must contain.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{flow, openai};

/// What a subject serves.
#[derive(Clone, Serialize, Deserialize)]
pub enum Service {
    /// Chat completions of a model. With `guard`, Atelier evaluates them after the answer.
    Chat { model: String, guard: bool },
    /// Runs of the workflow behind a webhook.
    Workflow,
    /// Runs of the workflow that makes an HTTP call.
    WorkflowWithCall,
}

/// The texts that an answer must contain.
pub struct Expected {
    pub in_order: Vec<String>,
    pub anywhere: Option<&'static str>,
}

impl Service {
    /// The body of a call.
    pub fn request(&self, stream: bool) -> Bytes {
        match self {
            Self::Chat { model, guard } => openai::request(model, stream, *guard),
            Self::Workflow | Self::WorkflowWithCall => flow::request(),
        }
    }

    pub fn expected(&self, stream: bool) -> Expected {
        match self {
            Self::Chat { .. } => openai::expected(stream),
            Self::Workflow => flow::expected(),
            Self::WorkflowWithCall => flow::expected_after_call(),
        }
    }
}

impl Expected {
    pub fn is(&self, body: &[u8]) -> bool {
        let Ok(body) = str::from_utf8(body) else { return false };
        let after = |rest, text: &String| str::split_once(rest, text).map(|(_, after)| after);
        let has_all = self.in_order.iter().try_fold(body, after).is_some();
        has_all && self.anywhere.is_none_or(|text| body.contains(text))
    }
}
