//! The parser of expressions: paths, values and conditions. It reads all that a [`Condition`] can say.

use std::borrow::Cow;

use aws_sdk_dynamodb::types::AttributeValue;
use tables::condition::{Comparison, Condition, Path};

use super::aliases::Aliases;
use super::lexer::{Token, tokenize};
use crate::wire::refusal::{Refusal, Result};

/// The most levels of parentheses.
const MAX_DEPTH: usize = 32;
/// Words that are no plain names.
const KEYWORDS: [&str; 9] = ["AND", "OR", "NOT", "BETWEEN", "IN", "SET", "ADD", "REMOVE", "DELETE"];

pub struct Parser<'t, 'a> {
    tokens: Vec<Token<'t>>,
    /// The index of the next token.
    next: usize,
    /// The number of open parentheses.
    depth: usize,
    aliases: &'a mut Aliases,
}

/// Parses a whole condition or filter.
pub fn parse_condition(text: &str, aliases: &mut Aliases) -> Result<Condition> {
    let mut parser = Parser::new(text, aliases)?;
    let condition = parser.parse_or()?;
    parser.require_end()?;
    Ok(condition)
}

impl<'t, 'a> Parser<'t, 'a> {
    pub fn new(text: &'t str, aliases: &'a mut Aliases) -> Result<Self> {
        Ok(Self { tokens: tokenize(text)?, next: 0, depth: 0, aliases })
    }

    pub fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// Skips the next token if it is this symbol.
    pub fn skip_symbol(&mut self, symbol: &'static str) -> bool {
        let is_next = self.peek() == Some(Token::Symbol(symbol));
        self.next += usize::from(is_next);
        is_next
    }

    /// Skips the next token if it is this keyword, in upper or lower case.
    pub fn skip_keyword(&mut self, keyword: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.next += usize::from(is_next);
        is_next
    }

    pub fn require_symbol(&mut self, symbol: &'static str) -> Result<()> {
        if self.skip_symbol(symbol) { Ok(()) } else { Err(self.unexpected(symbol)) }
    }

    pub fn require_end(&self) -> Result<()> {
        if self.next == self.tokens.len() { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    pub fn unexpected(&self, expected: &str) -> Refusal {
        match self.peek() {
            None => Refusal::invalid(format_args!("an expression ends where {expected} is expected")),
            Some(Token::Symbol(found) | Token::Word(found) | Token::Alias(found) | Token::Placeholder(found)) => {
                Refusal::invalid(format_args!("an expression has {found} where {expected} is expected"))
            }
        }
    }

    /// The function that is called next, if one is.
    pub fn peek_function(&self) -> Option<&'t str> {
        match (self.peek(), self.tokens.get(self.next + 1)) {
            (Some(Token::Word(word)), Some(Token::Symbol("("))) if !is_keyword(word) => Some(word),
            _ => None,
        }
    }

    /// Parses what is in parentheses.
    pub fn parse_nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.require_symbol("(")?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refusal::invalid(format_args!("an expression has at most {MAX_DEPTH} levels of parentheses")));
        }
        let parsed = parse(self)?;
        self.depth -= 1;
        self.require_symbol(")")?;
        Ok(parsed)
    }

    pub fn parse_path(&mut self) -> Result<Path> {
        let attribute = self.parse_name()?;
        let mut fields = Vec::new();
        while self.skip_symbol(".") {
            fields.push(Cow::Owned(self.parse_name()?));
        }
        if self.peek() == Some(Token::Symbol("[")) {
            return Err(Refusal::unsupported("paths to the elements of lists"));
        }
        Ok(Path { attribute: Cow::Owned(attribute), fields })
    }

    fn parse_name(&mut self) -> Result<String> {
        let name = match self.peek() {
            Some(Token::Alias(alias)) => self.aliases.find_name(alias)?,
            Some(Token::Word(word)) if !is_keyword(word) && !word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.to_owned()
            }
            _ => return Err(self.unexpected("a name")),
        };
        self.skip();
        Ok(name)
    }

    /// Whether a value follows, and not a path.
    pub fn is_at_value(&self) -> bool {
        matches!(self.peek(), Some(Token::Placeholder(_)))
    }

    /// Whether something is added or subtracted.
    pub fn is_at_sum(&self) -> bool {
        matches!(self.peek(), Some(Token::Symbol("+" | "-")))
    }

    pub fn parse_value(&mut self) -> Result<AttributeValue> {
        let Some(Token::Placeholder(placeholder)) = self.peek() else {
            return Err(self.unexpected("a placeholder of a value"));
        };
        self.skip();
        self.aliases.find_value(placeholder)
    }

    fn parse_or(&mut self) -> Result<Condition> {
        let mut conditions = vec![self.parse_and()?];
        while self.skip_keyword("OR") {
            conditions.push(self.parse_and()?);
        }
        Ok(combine(conditions, Condition::Or))
    }

    fn parse_and(&mut self) -> Result<Condition> {
        let mut conditions = vec![self.parse_term()?];
        while self.skip_keyword("AND") {
            conditions.push(self.parse_term()?);
        }
        Ok(combine(conditions, Condition::And))
    }

    fn parse_term(&mut self) -> Result<Condition> {
        if self.peek() == Some(Token::Symbol("(")) {
            return self.parse_nested(Self::parse_or);
        }
        if self.skip_keyword("NOT") {
            return Err(Refusal::unsupported("NOT"));
        }
        let Some(function) = self.peek_function() else { return self.parse_comparison() };
        self.skip();
        self.parse_nested(|parser| match function {
            "attribute_exists" => Ok(Condition::Exists(parser.parse_path()?)),
            "attribute_not_exists" => Ok(Condition::Missing(parser.parse_path()?)),
            "contains" => {
                let path = parser.parse_path()?;
                parser.require_symbol(",")?;
                match parser.parse_value()? {
                    AttributeValue::S(part) => Ok(Condition::Contains(path, part)),
                    _ => Err(Refusal::unsupported("contains with a value that is no text")),
                }
            }
            other => Err(Refusal::unsupported(format_args!("the function {other} here"))),
        })
    }

    /// A comparison of the value at a path with other values.
    pub fn parse_comparison(&mut self) -> Result<Condition> {
        let path = self.parse_path()?;
        if self.skip_keyword("BETWEEN") {
            let from = self.parse_value()?;
            if !self.skip_keyword("AND") {
                return Err(self.unexpected("AND"));
            }
            return Ok(Condition::Between(path, from, self.parse_value()?));
        }
        if self.skip_keyword("IN") {
            let values = self.parse_nested(|parser| {
                let mut values = vec![parser.parse_value()?];
                while parser.skip_symbol(",") {
                    values.push(parser.parse_value()?);
                }
                Ok(values)
            })?;
            return Ok(Condition::OneOf(path, values));
        }
        if self.skip_symbol("<>") {
            return Err(Refusal::unsupported("<>"));
        }
        let comparison = match self.peek() {
            Some(Token::Symbol("=")) => Comparison::Equal,
            Some(Token::Symbol("<")) => Comparison::Less,
            Some(Token::Symbol("<=")) => Comparison::LessOrEqual,
            Some(Token::Symbol(">")) => Comparison::Greater,
            Some(Token::Symbol(">=")) => Comparison::GreaterOrEqual,
            _ => return Err(self.unexpected("a comparison")),
        };
        self.skip();
        Ok(Condition::Compare(path, comparison, self.parse_value()?))
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The only condition, or all of them combined.
fn combine(mut conditions: Vec<Condition>, combined: fn(Vec<Condition>) -> Condition) -> Condition {
    match conditions.len() {
        1 => conditions.remove(0),
        _ => combined(conditions),
    }
}
