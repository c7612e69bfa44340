//! Translates embeddings to Gemini's `batchEmbedContents`, with all inputs in one call.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest, Input};
use crate::failure::ProviderFailure;
use crate::providers::count;
use crate::providers::tools::unsupported_token_numbers;
use domain::provider::ProviderKind;
use domain::usage::Tokens;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerView {
    #[serde(default)]
    embeddings: Vec<Embedding>,
    usage_metadata: Option<Value>,
}

#[derive(Deserialize)]
struct Embedding {
    values: Vec<f32>,
}

pub fn body(model: &str, resource: &str, request: &EmbeddingsRequest) -> Result<Value, ProviderFailure> {
    let parameters = request.parameters(ProviderKind::Gemini, model);
    parameters.check(request.unsupported())?;
    let mut requests = Vec::new();
    for input in request.inputs() {
        let Input::Text(text) = input else {
            return Err(unsupported_token_numbers());
        };
        let mut one = parameters.forwarded_object();
        one.insert("model".to_owned(), resource.into());
        one.insert("content".to_owned(), json!({"parts": [{"text": text}]}));
        if let Some(dimensions) = request.dimensions() {
            one.insert("outputDimensionality".to_owned(), dimensions.into());
        }
        requests.push(Value::Object(one));
    }
    Ok(json!({"requests": requests}))
}

pub fn read(body: &[u8], inputs: usize) -> Result<EmbeddingsAnswer, ProviderFailure> {
    let answer: AnswerView = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if answer.embeddings.len() != inputs {
        return Err(ProviderFailure::malformed_answer("the number of vectors is not the number of inputs"));
    }
    // Not every model reports usage for embeddings.
    let input = answer.usage_metadata.as_ref().and_then(|usage| count(&usage["promptTokenCount"]));
    let vectors = answer.embeddings.into_iter().map(|embedding| embedding.values).collect();
    Ok(EmbeddingsAnswer { vectors, usage: input.map(|input| Tokens { input, ..Tokens::default() }) })
}
