//! Translates embeddings to the request formats of Titan and Cohere, the embedding models of Bedrock.

use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::primitives::Blob;
use futures::{StreamExt, TryStreamExt};
use serde_json::{Map, Value, json};

use super::failure;
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest, Input};
use crate::failure::ProviderFailure;
use crate::providers::count;
use crate::providers::tools::unsupported_token_numbers;
use domain::provider::ProviderKind;
use domain::usage::Tokens;

/// Maximum concurrent calls to Titan, which accepts one text per call.
const CONCURRENCY: usize = 8;

pub async fn embed(
    client: &Client,
    model: &str,
    request: &EmbeddingsRequest,
) -> Result<EmbeddingsAnswer, ProviderFailure> {
    let parameters = request.parameters(ProviderKind::Bedrock, model);
    parameters.check(request.unsupported())?;
    let mut texts = Vec::new();
    for input in request.inputs() {
        let Input::Text(text) = input else {
            return Err(unsupported_token_numbers());
        };
        texts.push(text);
    }
    let others = parameters.forwarded_object();
    if model.contains("titan-embed") {
        embed_with_titan(client, model, &texts, request.dimensions(), others).await
    } else if model.contains("cohere.embed") {
        embed_with_cohere(client, model, &texts, request.dimensions(), others).await
    } else {
        Err(ProviderFailure::unsupported(
            "model",
            "only Titan and Cohere models of Bedrock make embeddings; choose one of them",
        ))
    }
}

async fn invoke(client: &Client, model: &str, body: Map<String, Value>) -> Result<Value, ProviderFailure> {
    let body = Blob::new(Value::Object(body).to_string());
    let call = client.invoke_model().model_id(model).content_type("application/json").accept("application/json");
    let answer = call.body(body).send().await.map_err(failure::call_failure)?;
    serde_json::from_slice(answer.body.as_ref()).map_err(ProviderFailure::malformed_answer)
}

async fn embed_with_titan(
    client: &Client,
    model: &str,
    texts: &[&str],
    dimensions: Option<u64>,
    others: Map<String, Value>,
) -> Result<EmbeddingsAnswer, ProviderFailure> {
    let body = |text: &&str| {
        let mut body = others.clone();
        body.insert("inputText".to_owned(), (*text).into());
        if let Some(dimensions) = dimensions {
            body.insert("dimensions".to_owned(), dimensions.into());
        }
        body
    };
    let bodies: Vec<_> = texts.iter().map(body).collect();
    let calls = bodies.into_iter().map(|body| invoke(client, model, body));
    let answers: Vec<_> = futures::stream::iter(calls).buffered(CONCURRENCY).try_collect().await?;
    let input: Option<u64> = answers.iter().map(|answer| count(&answer["inputTextTokenCount"])).sum();
    let vectors = answers.iter().map(|answer| parse_vector(&answer["embedding"])).collect::<Result<_, _>>()?;
    Ok(EmbeddingsAnswer { vectors, usage: input.map(|input| Tokens { input, ..Tokens::default() }) })
}

async fn embed_with_cohere(
    client: &Client,
    model: &str,
    texts: &[&str],
    dimensions: Option<u64>,
    mut body: Map<String, Value>,
) -> Result<EmbeddingsAnswer, ProviderFailure> {
    body.insert("texts".to_owned(), texts.into());
    body.entry("input_type").or_insert_with(|| "search_document".into());
    if let Some(dimensions) = dimensions {
        body.insert("output_dimension".to_owned(), dimensions.into());
    }
    body.insert("embedding_types".to_owned(), json!(["float"]));
    let answer = invoke(client, model, body).await?;
    let rows =
        answer["embeddings"]["float"].as_array().ok_or_else(|| ProviderFailure::malformed_answer("no embeddings"))?;
    if rows.len() != texts.len() {
        return Err(ProviderFailure::malformed_answer("the number of vectors is not the number of inputs"));
    }
    // Cohere reports usage only in a response header, which the SDK does not expose.
    Ok(EmbeddingsAnswer { vectors: rows.iter().map(parse_vector).collect::<Result<_, _>>()?, usage: None })
}

fn parse_vector(numbers: &Value) -> Result<Vec<f32>, ProviderFailure> {
    let numbers = numbers.as_array().ok_or_else(|| ProviderFailure::malformed_answer("a vector is not a list"))?;
    let number = |number: &Value| number.as_f64().map(|number| number as f32);
    numbers
        .iter()
        .map(number)
        .collect::<Option<_>>()
        .ok_or_else(|| ProviderFailure::malformed_answer("a vector has an item that is not a number"))
}
