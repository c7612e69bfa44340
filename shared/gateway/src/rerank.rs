//! Reranking in the form that Cohere and Jina share: the request, and the answer of a provider.

use serde_json::{Map, Value};

use crate::body::{read_parameters, require_model};
use crate::parameters::{Parameters, RERANK};
use crate::tokens;
use domain::provider::UpstreamApi;
use domain::usage::Tokens;
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 5] = ["model", "query", "documents", "top_n", "return_documents"];
pub const MAX_DOCUMENTS: usize = 1_000;
const MAX_QUERY_CHARS: usize = 32_768;
const MAX_DOCUMENT_CHARS: usize = 262_144;

/// A validated request.
#[derive(Clone, Debug)]
pub struct RerankRequest {
    /// The parameters. `documents` is null here: it only keeps its place.
    body: Map<String, Value>,
    documents: Vec<String>,
}

/// A provider's answer: the best documents, from the highest score to the lowest.
#[derive(Debug)]
pub struct RerankAnswer {
    pub ranks: Vec<(usize, f64)>,
    pub usage: Option<Tokens>,
}

impl RerankRequest {
    pub fn read(body: Value) -> Result<Self> {
        let mut body = read_parameters(body, &["top_n"])?;
        require_model(&body)?;
        let query_chars = body.get("query").and_then(Value::as_str).map_or(0, |query| query.chars().count());
        if !(1..=MAX_QUERY_CHARS).contains(&query_chars) {
            return Err(Error::invalid_body("query", "must be a text of 1 to 32,768 characters"));
        }
        let documents = read_documents(body.get_mut("documents").map(Value::take).unwrap_or_default())?;
        match body.get("top_n").map(Value::as_u64) {
            None | Some(Some(1..)) => {}
            Some(_) => return Err(Error::invalid_body("top_n", "must be an integer of at least 1")),
        }
        if !body.get("return_documents").is_none_or(Value::is_boolean) {
            return Err(Error::invalid_body("return_documents", "must be true or false"));
        }
        Ok(Self { body, documents })
    }

    /// The rules for the parameters when a provider gets the request.
    pub fn parameters<'a>(&'a self, api: impl Into<UpstreamApi>, model: &'a str) -> Parameters<'a> {
        Parameters::new(&RERANK, &VALIDATED, &self.body, api.into(), model)
    }

    /// The parameters, with null in the place of `documents`.
    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn query(&self) -> &str {
        self.body.get("query").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn documents(&self) -> &[String] {
        &self.documents
    }

    /// Whether the client wants the texts in the answer, too.
    pub fn wants_documents(&self) -> bool {
        self.body.get("return_documents").is_some_and(|wanted| wanted == true)
    }

    /// The number of documents that the answer has.
    pub fn wanted(&self) -> usize {
        let top_n = self.body.get("top_n").and_then(Value::as_u64).and_then(|top_n| usize::try_from(top_n).ok());
        top_n.unwrap_or(usize::MAX).min(self.documents.len())
    }

    /// The maximum tokens that a provider may count. A reranker reads the query again with each document.
    pub fn greatest_input(&self) -> u64 {
        let query = tokens::count(self.query());
        self.documents.iter().map(|document| query + tokens::count(document) + tokens::PER_MESSAGE).sum()
    }
}

impl RerankAnswer {
    /// Sorts the documents by their scores, and leaves out those after the wanted number. Equal scores keep the order of
    /// the request.
    pub fn new(mut ranks: Vec<(usize, f64)>, wanted: usize, usage: Option<Tokens>) -> Self {
        ranks.sort_by(|(place, score), (other_place, other)| other.total_cmp(score).then(place.cmp(other_place)));
        ranks.truncate(wanted);
        Self { ranks, usage }
    }
}

fn read_documents(documents: Value) -> Result<Vec<String>> {
    let problem = "must be a list of 1 to 1,000 documents: texts, or objects with a text";
    let Value::Array(documents) = documents else { return Err(Error::invalid_body("documents", problem)) };
    if !(1..=MAX_DOCUMENTS).contains(&documents.len()) {
        return Err(Error::invalid_body("documents", problem));
    }
    let read = |(i, document)| match document {
        Value::String(text) => check_document(i, text),
        Value::Object(mut fields) => match fields.remove("text") {
            Some(Value::String(text)) => check_document(i, text),
            _ => Err(Error::invalid_body(format!("documents[{i}].text"), "must be a text")),
        },
        _ => Err(Error::invalid_body(format!("documents[{i}]"), "must be a text, or an object with a text")),
    };
    documents.into_iter().enumerate().map(read).collect()
}

fn check_document(i: usize, text: String) -> Result<String> {
    if (1..=MAX_DOCUMENT_CHARS).contains(&text.chars().count()) {
        return Ok(text);
    }
    Err(Error::invalid_body(format!("documents[{i}]"), "must have 1 to 262,144 characters"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<RerankRequest> {
        let mut body = json!({"model": "m", "query": "fox", "documents": ["a fox", {"text": "a dog", "title": "t"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        RerankRequest::read(body)
    }

    #[test]
    fn documents_are_texts_or_objects_with_a_text() {
        let request = read(json!({"top_n": 1.0, "return_documents": null})).unwrap();
        assert_eq!((request.documents(), request.wanted()), (&["a fox".to_owned(), "a dog".to_owned()][..], 1));
        assert!(!request.wants_documents());
        assert_eq!(read(json!({"top_n": 7})).unwrap().wanted(), 2);
        // The query is counted with each document.
        let twice = read(json!({"query": "fox fox"})).unwrap();
        assert_eq!(
            twice.greatest_input() - request.greatest_input(),
            2 * (tokens::count("fox fox") - tokens::count("fox"))
        );
    }

    #[test]
    fn invalid_parameters_are_named() {
        for (name, values, field) in [
            ("model", json!([null, "", 7]), "model"),
            ("query", json!([null, "", 7, "x".repeat(32_769)]), "query"),
            ("documents", json!([null, "text", [], vec!["a"; 1_001]]), "documents"),
            ("documents", json!([["a", ""], ["a", 7], ["a", "x".repeat(262_145)]]), "documents[1]"),
            ("documents", json!([["a", {}], ["a", {"text": 7}]]), "documents[1].text"),
            ("top_n", json!([0, -1, 1.5, "1"]), "top_n"),
            ("return_documents", json!(["yes", 1]), "return_documents"),
        ] {
            for value in values.as_array().unwrap() {
                match read(json!({name: value})) {
                    Err(Error::InvalidBody { field: named, .. }) => assert_eq!(named, field),
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn ranks_are_sorted_and_limited() {
        let answer = RerankAnswer::new(vec![(0, 0.1), (2, 0.7), (1, 0.7), (3, -4.0)], 3, None);
        assert_eq!(answer.ranks, [(1, 0.7), (2, 0.7), (0, 0.1)]);
    }
}
