//! The schemas of reranking. `gateway` reads the requests, and `writers/rerank.rs` writes the answers.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::UsageOut;

#[derive(Serialize, ToSchema)]
pub struct RerankIn {
    /// The name of a model with the capability `rerank`, or a public alias
    #[schema(example = "dev-rerank")]
    model: String,
    #[schema(min_length = 1, max_length = 32768)]
    query: String,
    #[schema(schema_with = documents_schema)]
    documents: Value,
    /// The number of documents in the answer; all of them by default
    #[schema(minimum = 1)]
    top_n: Option<u32>,
    /// Whether the answer has the texts, too
    #[schema(default = false)]
    return_documents: Option<bool>,
}

fn documents_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(262_144));
    let object = ObjectBuilder::new().property("text", text()).required("text");
    let document = OneOfBuilder::new().item(text()).item(object);
    let documents = ArrayBuilder::new()
        .description(Some("Texts, or objects with a text"))
        .items(document)
        .min_items(Some(1))
        .max_items(Some(1_000))
        .build();
    Schema::Array(documents)
}

/// The documents, from the most relevant one to the least.
#[derive(Serialize, ToSchema)]
#[schema(as = Reranking)]
pub struct RerankOut {
    #[schema(example = "rerank-019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    #[schema(example = "list")]
    object: String,
    model: String,
    results: Vec<RankOut>,
    usage: UsageOut,
    meta: MetaOut,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RerankedDocument)]
struct RankOut {
    /// The place of the document in the request, from 0
    index: usize,
    /// Scores of different models cannot be compared. Those of some models are negative.
    relevance_score: f64,
    /// Only with `return_documents: true`
    #[schema(nullable = false)]
    document: Option<DocumentOut>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RerankedText)]
struct DocumentOut {
    text: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RerankMeta)]
struct MetaOut {
    billed_units: BilledUnitsOut,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RerankBilledUnits)]
struct BilledUnitsOut {
    /// Always 1, for Cohere's clients. The charge is `usage.cost`.
    search_units: u64,
}
