//! Embeddings: the request and the response in OpenAI's format, and the billed call.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};

use super::chat::UsageOut;
use super::providers::Parameters;
use super::routing::Routed;
use super::{CallReport, Gateway, GatewayCaller, ParameterNotes, tokens, unknown_parameters};
use domain::catalog::{Purpose, Unsupported};
use domain::lease::CallLimits;
use domain::number::convert_integer_fields;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 4] = ["model", "input", "dimensions", "encoding_format"];
const MAX_INPUTS: usize = 2_048;

/// A validated request.
#[derive(Clone, Debug)]
pub struct EmbeddingsRequest {
    body: Map<String, Value>,
    unsupported: Unsupported,
}

/// One input: a text, or a list of token numbers.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Text(&'a str),
    Tokens(&'a [Value]),
}

/// A provider's answer: one vector for each input, in the order of the inputs.
#[derive(Debug)]
pub struct EmbeddingsAnswer {
    pub vectors: Vec<Vec<f32>>,
    pub usage: Option<Tokens>,
}

impl EmbeddingsRequest {
    pub fn read(body: Value) -> Result<Self> {
        let Value::Object(mut body) = body else { return Err(Error::invalid_body("", "must be an object")) };
        body.retain(|_, value| !value.is_null());
        convert_integer_fields(&mut body, &["dimensions"]);
        unknown_parameters::check(&body)?;
        let request = Self { body, unsupported: Unsupported::Drop };
        if request.model().is_empty() {
            return Err(Error::invalid_body("model", "must be the name of a model or of an alias"));
        }
        let inputs = request.inputs();
        if inputs.is_empty() || inputs.len() > MAX_INPUTS || inputs.iter().any(Input::is_empty) {
            let problem =
                "must be a string, a list of at most 2,048 strings, or lists of token numbers; none may be empty";
            return Err(Error::invalid_body("input", problem));
        }
        match request.body.get("encoding_format").map(Value::as_str) {
            None | Some(Some("float" | "base64")) => {}
            Some(_) => return Err(Error::invalid_body("encoding_format", "must be float or base64")),
        }
        match request.body.get("dimensions").map(Value::as_u64) {
            None | Some(Some(1..=65_536)) => Ok(request),
            Some(_) => Err(Error::invalid_body("dimensions", "must be an integer from 1 to 65536")),
        }
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    /// The inputs to embed. Empty when `input` has no valid form.
    pub fn inputs(&self) -> Vec<Input<'_>> {
        let is_tokens = |list: &[Value]| !list.is_empty() && list.iter().all(Value::is_u64);
        match self.body.get("input") {
            Some(Value::String(text)) => vec![Input::Text(text)],
            Some(Value::Array(list)) if is_tokens(list) => vec![Input::Tokens(list)],
            Some(Value::Array(list)) => {
                let inputs = list.iter().map(|input| match input {
                    Value::String(text) => Some(Input::Text(text)),
                    Value::Array(list) if is_tokens(list) => Some(Input::Tokens(list)),
                    _ => None,
                });
                inputs.collect::<Option<_>>().unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    pub fn dimensions(&self) -> Option<u64> {
        self.body.get("dimensions").and_then(Value::as_u64)
    }

    pub fn wants_base64(&self) -> bool {
        self.body.get("encoding_format").is_some_and(|format| format == "base64")
    }

    pub fn unsupported(&self) -> Unsupported {
        self.unsupported
    }

    /// The maximum tokens that a provider may count for the inputs.
    pub fn greatest_input(&self) -> u64 {
        self.inputs().iter().map(Input::greatest_tokens).sum()
    }
}

impl Input<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Text(""))
    }

    fn greatest_tokens(&self) -> u64 {
        match self {
            Self::Text(text) => tokens::count(text) + tokens::PER_MESSAGE,
            Self::Tokens(list) => list.len() as u64,
        }
    }
}

/// The response body, as OpenAI defines it.
#[derive(Serialize)]
struct EmbeddingsOut<'a> {
    object: &'static str,
    data: Vec<EmbeddingOut>,
    model: &'a str,
    usage: UsageOut,
}

#[derive(Serialize)]
struct EmbeddingOut {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Vector {
    Floats(Vec<f32>),
    /// Little-endian 32-bit floats, encoded as base64.
    Base64(String),
}

impl Vector {
    fn encode(vector: Vec<f32>, as_base64: bool) -> Self {
        if !as_base64 {
            return Self::Floats(vector);
        }
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        Self::Base64(STANDARD.encode(bytes))
    }
}

impl Gateway {
    /// Makes the call, and returns the response body as JSON.
    pub async fn embed(&self, caller: GatewayCaller, request: EmbeddingsRequest) -> Result<(Vec<u8>, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        self.run_to_completion(claim, async move { gateway.run_embeddings(&caller, request).await }).await
    }

    async fn run_embeddings(
        &self,
        caller: &GatewayCaller,
        mut request: EmbeddingsRequest,
    ) -> Result<(Vec<u8>, CallReport)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        if !chosen.model.does(Purpose::Embeddings) {
            let problem = "this model does not make embeddings; choose a model of type Embeddings from /v1/models";
            return Err(Error::invalid_body("model", problem));
        }
        let input = request.greatest_input();
        let need = CallLimits { money: chosen.model.pricing.greatest_cost(input, 0), tokens: input, images: 0 };
        let mut slot = self.take_slot(caller, &chosen, need).await?;
        request.unsupported = chosen.model.unsupported;
        let request = Arc::new(request);
        let routed = self.send_call(&mut slot, &chosen, |provider, model| {
            let request = request.clone();
            async move { provider.embed(&model, &request).await }
        });
        let Routed { answer, provider, kind, model } = routed.await?;
        let parameters = Parameters::for_embeddings(&request, kind, &model).report();
        let (tokens, source) = match answer.usage {
            Some(usage) => (usage, UsageSource::Provider),
            None => (Tokens { input: tokens::likely(input), ..Tokens::default() }, UsageSource::Counted),
        };
        let charge = self.compute_charge(&slot, caller, provider, tokens, source).await;
        let as_base64 = request.wants_base64();
        let data = answer.vectors.into_iter().enumerate().map(|(index, vector)| EmbeddingOut {
            object: "embedding",
            index,
            embedding: Vector::encode(vector, as_base64),
        });
        let out = EmbeddingsOut {
            object: "list",
            data: data.collect(),
            model: &chosen.model.name,
            usage: UsageOut::from_input(&tokens, charge.cost),
        };
        let body = serde_json::to_vec(&out).map_err(Error::internal)?;
        let quota_left = self.settle(slot, caller, &charge, &body).await?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        Ok((body, CallReport { chosen, notes, quota_left, cost: Some(charge.cost) }))
    }
}
