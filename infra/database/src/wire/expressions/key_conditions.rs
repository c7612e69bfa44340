//! Key conditions: one partition, and bounds of the sort key.

use aws_sdk_dynamodb::types::AttributeValue;
use tables::condition::{Comparison, Condition, Path};

use super::aliases::Aliases;
use super::lexer::Token;
use super::parser::Parser;
use crate::reads::SortBound;
use crate::wire::refusal::{Refusal, Result};

/// The partition of a query, and the bounds of its sort key.
pub struct KeyCondition {
    pub partition: String,
    pub bounds: Vec<SortBound>,
}

/// What a key condition says about one attribute.
type Term = (Path, Vec<SortBound>);

impl KeyCondition {
    /// Parses a condition for a table or index with these attributes as its key.
    pub fn parse(text: &str, aliases: &mut Aliases, partition: &str, sort: &str) -> Result<Self> {
        let mut parser = Parser::new(text, aliases)?;
        let mut terms = Vec::new();
        parse_terms(&mut parser, &mut terms)?;
        parser.require_end()?;
        let (mut found, mut bounds) = (None, None);
        for (path, values) in terms {
            let is_new = match path.attribute.as_ref() {
                _ if !path.fields.is_empty() => false,
                name if name == partition => found.replace(read_partition(values)?).is_none(),
                name if name == sort => bounds.replace(values).is_none(),
                _ => false,
            };
            if !is_new {
                return Err(Refusal::invalid(format_args!(
                    "a key condition names {partition} and {sort}, each at most once, and not {path}"
                )));
            }
        }
        let missing = || Refusal::invalid(format_args!("the key condition misses {partition}"));
        Ok(Self { partition: found.ok_or_else(missing)?, bounds: bounds.unwrap_or_default() })
    }
}

fn read_partition(bounds: Vec<SortBound>) -> Result<String> {
    match <[SortBound; 1]>::try_from(bounds) {
        Ok([(Comparison::Equal, AttributeValue::S(text))]) if !text.is_empty() => Ok(text),
        _ => Err(Refusal::invalid("the partition of a query is equal to a text")),
    }
}

fn parse_terms(parser: &mut Parser<'_, '_>, terms: &mut Vec<Term>) -> Result<()> {
    loop {
        match parser.peek() {
            Some(Token::Symbol("(")) => parser.parse_nested(|parser| parse_terms(parser, terms))?,
            _ => terms.push(parse_term(parser)?),
        }
        if !parser.skip_keyword("AND") {
            return Ok(());
        }
    }
}

fn parse_term(parser: &mut Parser<'_, '_>) -> Result<Term> {
    match parser.peek_function() {
        Some("begins_with") => {
            parser.skip();
            parser.parse_nested(parse_prefix)
        }
        Some(other) => Err(Refusal::unsupported(format_args!("the function {other} in a key condition"))),
        None => match parser.parse_comparison()? {
            Condition::Compare(path, comparison, value) => Ok((path, vec![(comparison, value)])),
            Condition::Between(path, from, to) => {
                Ok((path, vec![(Comparison::GreaterOrEqual, from), (Comparison::LessOrEqual, to)]))
            }
            _ => Err(Refusal::invalid("a key condition has no IN")),
        },
    }
}

/// The arguments of `begins_with`.
fn parse_prefix(parser: &mut Parser<'_, '_>) -> Result<Term> {
    let path = parser.parse_path()?;
    parser.require_symbol(",")?;
    let AttributeValue::S(prefix) = parser.parse_value()? else {
        return Err(Refusal::unsupported("begins_with with a value that is no text"));
    };
    // No character is greater than the last one.
    let last = AttributeValue::S(format!("{prefix}\u{10ffff}"));
    Ok((path, vec![(Comparison::GreaterOrEqual, AttributeValue::S(prefix)), (Comparison::LessOrEqual, last)]))
}
