//! Parses the texts of Python, and the values in f-strings.

use super::lexer::{Token, read, unescape};
use super::parser::{Parsed, Parser};
use super::tree::{Expr, Part};

impl Parser {
    /// Texts that follow each other are one text.
    pub fn texts(&mut self, first: Token) -> Parsed<Expr> {
        let mut parts = Vec::new();
        self.add_text(first, &mut parts)?;
        while matches!(self.peek(), Token::Text(_) | Token::Format(..)) {
            let token = self.next();
            self.add_text(token, &mut parts)?;
        }
        if parts.iter().all(|part| matches!(part, Part::Text(_))) {
            let texts = parts.into_iter().map(|part| match part {
                Part::Text(text) => text,
                Part::Value(..) => String::new(),
            });
            return Ok(Expr::Text(texts.collect()));
        }
        Ok(Expr::Format(parts))
    }

    fn add_text(&mut self, token: Token, parts: &mut Vec<Part>) -> Parsed<()> {
        match token {
            Token::Text(text) => parts.push(Part::Text(text)),
            Token::Format(source, is_raw) => self.format(&source, is_raw, parts)?,
            _ => {}
        }
        Ok(())
    }

    fn format(&mut self, source: &str, is_raw: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        if self.formats >= 3 {
            return self.fail("nested f-strings");
        }
        let mut rest = source;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                parts.push(Part::Text(rest[..1].to_owned()));
                rest = after;
            } else if rest.starts_with('}') {
                return self.fail("`}` in an f-string");
            } else if let Some(after) = rest.strip_prefix('{') {
                let Some(end) = value_end(after) else { return self.fail("`{` in an f-string") };
                parts.push(self.format_value(&after[..end])?);
                rest = &after[end + 1..];
            } else {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                let literal = &rest[..end];
                parts.push(Part::Text(if is_raw { literal.to_owned() } else { unescape(literal)? }));
                rest = &rest[end..];
            }
        }
        Ok(())
    }

    /// `value!r:format`
    fn format_value(&mut self, source: &str) -> Parsed<Part> {
        let tokens = read(&format!("({})", split_format(source).0))?;
        let mut inner = Self { tokens, at: 0, depth: self.depth, formats: self.formats + 1, links: self.links };
        let value = inner.expression()?;
        if !matches!(inner.peek(), Token::Newline) {
            return self.fail("an unknown f-string");
        }
        let (_, conversion, format) = split_format(source);
        if format.contains(['{', '}']) {
            return self.fail("a computed format");
        }
        Ok(Part::Value(value, conversion, format.to_owned()))
    }
}

/// The end of a value in an f-string: the brace that closes it.
fn value_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The value, its conversion and its format.
fn split_format(source: &str) -> (&str, Option<char>, &str) {
    let (mut depth, mut quote, mut end) = (0usize, None, source.len());
    for (at, c) in source.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ':') if depth == 0 => {
                end = at;
                break;
            }
            (None, '!') if depth == 0 && !source[at..].starts_with("!=") => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let rest = &source[end..];
    let conversion = rest.strip_prefix('!').and_then(|rest| rest.chars().next());
    let format = rest.split_once(':').map_or("", |(_, format)| format);
    (&source[..end], conversion, format)
}
