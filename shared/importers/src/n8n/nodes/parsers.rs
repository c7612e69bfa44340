//! The parsers of the answers of models.

use crate::n8n::context::Context;

pub const PARSER: &str = "ai_outputParser";

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
