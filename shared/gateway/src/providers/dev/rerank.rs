//! The scores of the development model: how many words a document and the query have in common.

use std::collections::BTreeSet;

use crate::rerank::{RerankAnswer, RerankRequest};
use domain::usage::Tokens;

pub fn rerank(request: &RerankRequest) -> RerankAnswer {
    let query = words(request.query());
    let ranks = request.documents().iter().map(|document| overlap(&query, &words(document))).enumerate().collect();
    let usage = Tokens { input: request.greatest_input(), ..Tokens::default() };
    RerankAnswer::new(ranks, request.wanted(), Some(usage))
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The Dice coefficient of two sets of words: 1 if they are the same, and 0 if they have none in common.
fn overlap(query: &BTreeSet<String>, document: &BTreeSet<String>) -> f64 {
    let shared = query.intersection(document).count();
    let all = query.len() + document.len();
    // Sets of words are far smaller than what a float counts exactly.
    if all == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_with_more_words_of_the_query_come_first() {
        let request = RerankRequest::read(json!({
            "model": "dev-rerank", "query": "What is a lease?",
            "documents": ["The weather is fine.", "A lease reserves money.", "What is a LEASE", "!?"],
        }));
        let answer = rerank(&request.unwrap());
        assert_eq!(answer.ranks.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [2, 1, 0, 3]);
        assert_eq!((answer.ranks[0].1, answer.ranks[3].1), (1.0, 0.0));
    }
}
