//! Conditions and values, in CEL.

mod lexer;
mod parser;

use serde_json::Value as Json;

use super::evaluate::Evaluation;
use super::references::{self, Reference};
use super::tree::{Expr, Kind, Literal};
use super::{Failure, Position, Problem, Scope};

pub const MAX_BYTES: usize = 4 * 1024;

/// An expression that can be evaluated.
#[derive(Debug)]
pub struct Expression(Expr);

impl Expression {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if text.len() > MAX_BYTES {
            return Err(Problem::new(Position { line: 1, column: 1 }, "an expression has at most 4096 bytes"));
        }
        parser::parse(text).map(Self)
    }

    /// What it names of what is around it.
    pub fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        references::collect(&self.0, &|_| false, &mut found);
        found
    }

    /// Fails where its value is written out, and no bool.
    pub fn check_condition(&self) -> Result<(), Problem> {
        let kind = match &self.0.kind {
            Kind::Literal(Literal::Bool(_)) => return Ok(()),
            Kind::Literal(literal) => literal.value().kind(),
            Kind::List(_) => "list",
            Kind::Map(_) => "map",
            _ => return Ok(()),
        };
        Err(Problem::new(self.0.at, format!("a condition is true or false, and this is always a {kind}")))
    }

    /// Its value as JSON, and what kind of value it is.
    pub fn evaluate(&self, scope: &Scope) -> Result<(Json, &'static str), Failure> {
        let mut evaluation = Evaluation::new(scope);
        let value = evaluation.defined(&self.0)?;
        let json = value.output(&mut evaluation.budget).map_err(|why| Failure::new(why, &self.0))?;
        Ok((json, value.kind()))
    }

    /// Whether it holds; a value that is no bool is an error.
    pub fn holds(&self, scope: &Scope) -> Result<bool, Failure> {
        Evaluation::new(scope).boolean(&self.0)
    }
}
