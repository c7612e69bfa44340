//! Which sub-nodes become a part of the node that they belong to.

use super::super::chains;
use super::super::parsers::{PARSER, fixes_answers, parser};
use super::tools;
use crate::n8n::context::Context;

/// Whether a sub-node becomes a part of the node `of`.
pub fn is_part(of: Context, part: Context) -> bool {
    let kind = part.source().kind;
    let is_of_parser =
        !belongs_to(part, of) && of.parts(PARSER).any(|parser| fixes_answers(parser) && belongs_to(part, parser));
    let (is_model, is_parser) = (kind.starts_with("lm"), kind.starts_with("outputParser"));
    match of.source().kind {
        "agent" if is_of_parser => is_parser,
        "agent" => is_model || is_parser || kind.starts_with("memory") || tools::tool(part).is_some(),
        "chainLlm" if is_parser => parser(of).is_some_and(|parser| chains::schema(parser).is_some()),
        "chainLlm" => is_model && !is_of_parser,
        "textClassifier" | "sentimentAnalysis" | "informationExtractor" | "chainSummarization" => is_model,
        _ => false,
    }
}

fn belongs_to(part: Context, of: Context) -> bool {
    [PARSER, "ai_languageModel"].iter().any(|kind| of.parts(kind).any(|one| one.node == part.node))
}
