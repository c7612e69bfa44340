//! Which sub-nodes become a part of the node that they belong to.

use super::super::chains;
use super::tools;
use crate::n8n::context::Context;

const PARSER: &str = "ai_outputParser";

/// The parser of the answers of a node. A parser that asks a model to correct answers has one of its own.
pub fn parser<'w, 'd>(node: Context<'w, 'd>) -> Option<Context<'w, 'd>> {
    let parser = node.parts(PARSER).next()?;
    let inner = parser.parts(PARSER).next().filter(|_| fixes_answers(parser));
    Some(inner.unwrap_or(parser))
}

/// Whether a sub-node asks a model to correct answers that another parser does not accept.
pub fn fixes_answers(part: Context) -> bool {
    part.source().kind == "outputParserAutofixing"
}

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
