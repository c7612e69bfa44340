//! Embeddings in OpenAI's format: the request, and the answer of a provider.

use serde_json::{Map, Value};

use crate::body::{read_parameters, require_model};
use crate::parameters::{EMBEDDINGS, Parameters};
use crate::tokens;
use domain::catalog::Unsupported;
use domain::provider::UpstreamApi;
use domain::usage::Tokens;
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
        let body = read_parameters(body, &["dimensions"])?;
        Self { body, unsupported: Unsupported::Drop }.checked()
    }

    /// The request for texts of the platform itself: a text, or a list of texts.
    pub fn new(model: &str, input: Value, dimensions: Option<u32>) -> Result<Self> {
        let mut body = Map::from_iter([("model".to_owned(), model.into()), ("input".to_owned(), input)]);
        if let Some(dimensions) = dimensions {
            body.insert("dimensions".to_owned(), dimensions.into());
        }
        Self { body, unsupported: Unsupported::Drop }.checked()
    }

    /// Requests the vectors as base64, which is the shorter form.
    #[must_use]
    pub fn as_base64(mut self) -> Self {
        self.body.insert("encoding_format".to_owned(), "base64".into());
        self
    }

    fn checked(self) -> Result<Self> {
        let request = self;
        require_model(&request.body)?;
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

    /// The rules for the parameters when `model` of a provider gets the request.
    pub fn parameters<'a>(&'a self, api: impl Into<UpstreamApi>, model: &'a str) -> Parameters<'a> {
        Parameters::new(&EMBEDDINGS, &VALIDATED, &self.body, api.into(), model)
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

    pub fn set_unsupported(&mut self, unsupported: Unsupported) {
        self.unsupported = unsupported;
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
