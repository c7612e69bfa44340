//! Embeddings: what is asked and answered, in OpenAI's form.

use serde_json::{Map, Value};

use crate::domain::usage::Tokens;
use crate::gateway::tokens;
use crate::{Error, Result};

const KNOWN: [&str; 4] = ["model", "input", "dimensions", "encoding_format"];
const MAX_INPUTS: usize = 2_048;

/// A request that was read and found sound.
#[derive(Clone, Debug)]
pub struct EmbeddingsRequest {
    body: Map<String, Value>,
}

/// One text, or one list of token numbers.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Text(&'a str),
    Tokens(&'a [Value]),
}

/// A provider's answer: a vector an input, in the order of the inputs.
#[derive(Debug)]
pub struct EmbeddingsAnswer {
    pub vectors: Vec<Vec<f32>>,
    pub usage: Option<Tokens>,
}

impl EmbeddingsRequest {
    pub fn read(body: Value) -> Result<Self> {
        let Value::Object(mut body) = body else { return Err(Error::invalid_body("", "must be an object")) };
        body.retain(|_, value| !value.is_null());
        let request = Self { body };
        if request.model().is_empty() {
            return Err(Error::invalid_body("model", "the name of a model or of an alias"));
        }
        let inputs = request.inputs();
        if inputs.is_empty() || inputs.len() > MAX_INPUTS || inputs.iter().any(Input::is_empty) {
            let problem = "a string, a list of at most 2,048 strings, or lists of token numbers; none of them empty";
            return Err(Error::invalid_body("input", problem));
        }
        match request.body.get("encoding_format").map(Value::as_str) {
            None | Some(Some("float" | "base64")) => {}
            Some(_) => return Err(Error::invalid_body("encoding_format", "float or base64")),
        }
        match request.body.get("dimensions").map(Value::as_u64) {
            None | Some(Some(1..=65_536)) => Ok(request),
            Some(_) => Err(Error::invalid_body("dimensions", "a whole number from 1 to 65536")),
        }
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    /// What is to be embedded; nothing where `input` is no such thing.
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

    pub fn passthrough(&self) -> impl Iterator<Item = (&str, &Value)> {
        let others = self.body.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
        others.map(|(name, value)| (name.as_str(), value))
    }

    /// The most tokens it can be.
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
