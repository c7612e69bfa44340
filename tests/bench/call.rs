//! The call of a load, and what its answer must contain.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::flow::{self, Flow};
use crate::{openai, toolboxes};

/// What a subject serves.
#[derive(Clone, Serialize, Deserialize)]
pub enum Service {
    /// Chat completions of a model. With `guard`, Atelier evaluates them after the answer.
    Chat { model: String, guard: bool },
    /// Runs of a workflow, each with its result.
    Runs(Flow),
    /// Starts of runs, which are answered at once.
    Starts { body: String },
    /// Calls of a tool by the Model Context Protocol.
    Tool { name: String },
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
            Self::Runs(_) => flow::request(),
            Self::Starts { body } => body.clone().into(),
            Self::Tool { name } => toolboxes::message(name).to_string().into(),
        }
    }

    pub fn expected(&self, stream: bool) -> Expected {
        match self {
            Self::Chat { .. } => openai::expected(stream),
            Self::Runs(flow) => Expected { in_order: vec![flow.answer().to_owned()], anywhere: None },
            Self::Starts { .. } => Expected { in_order: Vec::new(), anywhere: None },
            Self::Tool { .. } => Expected { in_order: vec![Flow::Pure.answer().to_owned()], anywhere: None },
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
