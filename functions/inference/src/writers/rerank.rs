//! Writes rerankings in the form that Cohere's and Jina's clients read.

use domain::Result;
use gateway::Reranking;
use gateway::rerank::RerankRequest;
use serde::Serialize;

use super::to_json;
use crate::dto::UsageOut;

#[derive(Serialize)]
struct RerankingOut<'a> {
    id: String,
    object: &'static str,
    model: &'a str,
    results: Vec<RankOut<'a>>,
    usage: UsageOut,
    meta: MetaOut,
}

#[derive(Serialize)]
struct RankOut<'a> {
    index: usize,
    relevance_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentOut<'a>>,
}

#[derive(Serialize)]
struct DocumentOut<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct MetaOut {
    billed_units: BilledUnits,
}

#[derive(Serialize)]
struct BilledUnits {
    search_units: u64,
}

pub fn write_reranking(reranking: &Reranking, request: &RerankRequest) -> Result<Vec<u8>> {
    let text = |index: usize| request.documents().get(index).filter(|_| request.wants_documents());
    let results = reranking.ranks.iter().map(|rank| RankOut {
        index: rank.index,
        relevance_score: rank.score,
        document: text(rank.index).map(|text| DocumentOut { text }),
    });
    to_json(&RerankingOut {
        id: format!("rerank-{}", reranking.id.uuid().simple()),
        object: "list",
        model: &reranking.model,
        results: results.collect(),
        usage: UsageOut::of_input(&reranking.usage),
        meta: MetaOut { billed_units: BilledUnits { search_units: 1 } },
    })
}
