//! The schemas of embeddings.

#![expect(dead_code, reason = "the types are used only for the OpenAPI document")]

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::UsageOut;

#[derive(Serialize, ToSchema)]
pub struct EmbeddingsIn {
    #[schema(example = "dev-embed")]
    model: String,
    #[schema(schema_with = input_schema)]
    input: Value,
    #[schema(minimum = 1, maximum = 65536)]
    dimensions: Option<u32>,
    encoding_format: Option<EncodingIn>,
}

fn input_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
    let number = || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    let numbers = || ArrayBuilder::new().items(number()).min_items(Some(1));
    let many = || ArrayBuilder::new().min_items(Some(1)).max_items(Some(2_048));
    let forms = OneOfBuilder::new()
        .description(Some("A string, a list of strings, a list of token numbers, or a list of such lists"))
        .item(text())
        .item(many().items(text()))
        .item(numbers())
        .item(many().items(numbers()))
        .build();
    Schema::OneOf(forms)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EncodingIn {
    Float,
    Base64,
}

/// A vector for each input.
#[derive(Serialize, ToSchema)]
pub struct EmbeddingsOut {
    #[schema(example = "list")]
    object: String,
    data: Vec<EmbeddingOut>,
    model: String,
    usage: UsageOut,
}

#[derive(Serialize, ToSchema)]
struct EmbeddingOut {
    #[schema(example = "embedding")]
    object: String,
    index: u32,
    /// A list of numbers; with `encoding_format: base64`, the little-endian bytes of 32-bit floats as base64
    #[schema(value_type = Value)]
    embedding: Value,
}
