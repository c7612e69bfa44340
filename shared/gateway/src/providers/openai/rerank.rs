//! Reranking. OpenAI has no such API, but servers with OpenAI's API have one: vLLM, Infinity and llama.cpp, and vendors such as
//! Jina and Cohere. TEI has its own names in the request and in the answer.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::failure::{FailureKind, ProviderFailure};
use crate::providers::count;
use crate::providers::status::{NO_REASON, failure_in_answer};
use crate::rerank::{RerankAnswer, RerankRequest};
use domain::usage::Tokens;

/// The names of the list of texts: the common one, and the one of TEI.
pub const DOCUMENTS: &str = "documents";
pub const TEXTS: &str = "texts";

pub struct Rerank<'a> {
    pub model: &'a str,
    pub request: &'a RerankRequest,
    /// The name of the list of texts.
    pub list: &'static str,
}

impl Serialize for Rerank<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in self.request.body() {
            match name.as_str() {
                // The gateway returns the texts itself. Cohere refuses the parameter.
                "model" | "return_documents" => {}
                DOCUMENTS => map.serialize_entry(self.list, self.request.documents())?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// Whether a server may be TEI: it refuses a request without `texts`, with a reason that is no JSON.
pub fn may_be_tei(failure: &ProviderFailure) -> bool {
    failure.kind == FailureKind::Request && failure.code == "provider_refused" && failure.message == NO_REASON
}

/// Parses the scores: a list of them, as TEI sends it, or an object with `results`.
pub fn read(body: &[u8], request: &RerankRequest) -> Result<RerankAnswer, ProviderFailure> {
    let answer: Value = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(failure_in_answer(error));
    }
    let rows = answer.as_array().or_else(|| answer["results"].as_array());
    let rows = rows.ok_or_else(|| ProviderFailure::malformed_answer("a reranking without results"))?;
    let mut scores = vec![None; request.documents().len()];
    for row in rows {
        let index = row["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let slot = index.and_then(|index| scores.get_mut(index)).filter(|slot| slot.is_none());
        let score = row["relevance_score"].as_f64().or_else(|| row["score"].as_f64());
        match (slot, score) {
            (Some(slot), Some(score)) => *slot = Some(score),
            (None, _) => {
                return Err(ProviderFailure::malformed_answer("a document whose index is unknown or repeated"));
            }
            (_, None) => return Err(ProviderFailure::malformed_answer("a document without a score")),
        }
    }
    if rows.len() < request.wanted() {
        return Err(ProviderFailure::malformed_answer("fewer documents than requested"));
    }
    let ranks = scores.into_iter().enumerate().filter_map(|(index, score)| Some((index, score?)));
    Ok(RerankAnswer::new(ranks.collect(), request.wanted(), read_usage(&answer)))
}

/// Jina and older versions of vLLM report only the total, and Cohere has its own place for the count.
fn read_usage(answer: &Value) -> Option<Tokens> {
    let (usage, tokens) = (&answer["usage"], &answer["meta"]["tokens"]);
    let counts = [&usage["prompt_tokens"], &usage["total_tokens"], &tokens["input_tokens"]];
    counts.into_iter().find_map(count).map(|input| Tokens { input, ..Tokens::default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(top_n: Option<u64>) -> RerankRequest {
        RerankRequest::read(json!({"model": "m", "query": "q", "documents": ["a", "b"], "top_n": top_n})).unwrap()
    }

    #[test]
    fn the_answers_of_all_servers_are_read() {
        for (answer, input) in [
            // vLLM
            (
                json!({"id": "rerank-1", "model": "m", "usage": {"prompt_tokens": 9, "total_tokens": 9}, "results": [
                    {"index": 1, "document": {"text": "b"}, "relevance_score": 0.5},
                    {"index": 0, "document": {"text": "a"}, "relevance_score": -1},
                ]}),
                Some(9),
            ),
            // Jina
            (
                json!({"model": "m", "usage": {"total_tokens": 8}, "results": [
                    {"index": 0, "relevance_score": -1}, {"index": 1, "relevance_score": 0.5},
                ]}),
                Some(8),
            ),
            // Cohere
            (
                json!({"id": "1", "meta": {"billed_units": {"search_units": 1}, "tokens": {"input_tokens": 7}},
                    "results": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": -1}]}),
                Some(7),
            ),
            // TEI
            (json!([{"index": 0, "score": -1}, {"index": 1, "score": 0.5}]), None),
        ] {
            let read = read(answer.to_string().as_bytes(), &request(None)).unwrap();
            assert_eq!(
                (read.ranks, read.usage.map(|usage| usage.input)),
                (vec![(1, 0.5), (0, -1.0)], input),
                "{answer}"
            );
            let first = super::read(answer.to_string().as_bytes(), &request(Some(1))).unwrap();
            assert_eq!(first.ranks, [(1, 0.5)], "{answer}");
        }
    }

    #[test]
    fn incomplete_and_malformed_answers_are_garbled() {
        for answer in [
            json!({}),
            json!([]),
            json!([{"index": 0, "score": 1}]),
            json!([{"index": 0, "score": 1}, {"index": 0, "score": 1}]),
            json!([{"index": 0, "score": 1}, {"index": 2, "score": 1}]),
            json!([{"index": 0, "score": 1}, {"index": 1, "score": null}]),
            json!([{"index": 0, "score": 1}, {"score": 1}]),
        ] {
            let failure = read(answer.to_string().as_bytes(), &request(None)).unwrap_err();
            assert_eq!(failure.code, "provider_answer_garbled", "{answer}");
        }
        let refused = read(br#"{"error": {"message": "too long", "type": "invalid_request_error"}}"#, &request(None));
        assert_eq!(refused.unwrap_err().message, "too long");
    }
}
