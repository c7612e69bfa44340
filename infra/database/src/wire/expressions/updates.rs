//! Update expressions: all that a list of [`Change`]s can say.

use aws_sdk_dynamodb::types::AttributeValue;
use tables::write::Change;

use super::aliases::Aliases;
use super::parser::Parser;
use super::paths::require_apart;
use crate::wire::refusal::{Refusal, Result};

/// How a clause begins, and the parser of one of its changes.
type Clause<'t, 'a> = (&'static str, fn(&mut Parser<'t, 'a>) -> Result<Change>);

pub fn parse_update(text: &str, aliases: &mut Aliases) -> Result<Vec<Change>> {
    let mut parser = Parser::new(text, aliases)?;
    let mut clauses: Vec<Clause<'_, '_>> = vec![("SET", parse_set), ("ADD", parse_add), ("REMOVE", parse_remove)];
    let mut changes = Vec::new();
    while parser.peek().is_some() || changes.is_empty() {
        // Each clause may come once, in any order.
        let Some(position) = clauses.iter().position(|(keyword, _)| parser.skip_keyword(keyword)) else {
            if parser.skip_keyword("DELETE") {
                return Err(Refusal::unsupported("DELETE in an update"));
            }
            return Err(parser.unexpected("SET, ADD or REMOVE"));
        };
        let (_, change) = clauses.remove(position);
        changes.push(change(&mut parser)?);
        while parser.skip_symbol(",") {
            changes.push(change(&mut parser)?);
        }
    }
    require_apart(&changes.iter().map(Change::path).collect::<Vec<_>>())?;
    Ok(changes)
}

fn parse_set(parser: &mut Parser<'_, '_>) -> Result<Change> {
    let path = parser.parse_path()?;
    parser.require_symbol("=")?;
    if let Some(function) = parser.peek_function() {
        return Err(Refusal::unsupported(format_args!("the function {function} in an update")));
    }
    if parser.is_at_value() {
        let change = Change::Set(path, parser.parse_value()?);
        return if parser.is_at_sum() {
            Err(Refusal::unsupported("a sum that begins with a value"))
        } else {
            Ok(change)
        };
    }
    let added_to = parser.parse_path()?;
    if added_to != path || !parser.skip_symbol("+") {
        return Err(Refusal::unsupported("SET with another path, other than `path = path + :value`"));
    }
    Ok(Change::Increase(path, require_number(parser.parse_value()?)?))
}

fn parse_add(parser: &mut Parser<'_, '_>) -> Result<Change> {
    let path = parser.parse_path()?;
    if !path.fields.is_empty() {
        return Err(Refusal::invalid(format_args!("ADD changes only top-level attributes, and {path} is none")));
    }
    Ok(Change::Add(path, require_number(parser.parse_value()?)?))
}

fn parse_remove(parser: &mut Parser<'_, '_>) -> Result<Change> {
    Ok(Change::Remove(parser.parse_path()?))
}

fn require_number(value: AttributeValue) -> Result<AttributeValue> {
    match value {
        AttributeValue::N(_) => Ok(value),
        _ => Err(Refusal::unsupported("adding a value that is no number")),
    }
}
