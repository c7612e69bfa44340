//! Splits the text of an expression into tokens.

use crate::wire::refusal::{Refusal, Result};

/// The most bytes of an expression, as in DynamoDB.
const MAX_BYTES: usize = 4096;
/// Longer symbols come before their beginnings.
const SYMBOLS: [&str; 14] = ["<>", "<=", ">=", "<", ">", "=", "(", ")", ",", ".", "+", "-", "[", "]"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A keyword, a function or a plain name.
    Word(&'t str),
    /// An alias of a name, with its `#`.
    Alias(&'t str),
    /// A placeholder of a value, with its `:`.
    Placeholder(&'t str),
    Symbol(&'static str),
}

pub fn tokenize(expression: &str) -> Result<Vec<Token<'_>>> {
    if expression.len() > MAX_BYTES {
        return Err(Refusal::invalid(format_args!("an expression has at most {MAX_BYTES} bytes")));
    }
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            (Token::Symbol(symbol), &rest[symbol.len()..])
        } else {
            let prefix = usize::from(matches!(first, '#' | ':'));
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = prefix + rest.bytes().skip(prefix).take_while(is_part).count();
            if length == prefix {
                return Err(Refusal::invalid(format_args!("an expression has an unexpected {first:?}")));
            }
            let (text, after) = rest.split_at(length);
            let token = match first {
                '#' => Token::Alias(text),
                ':' => Token::Placeholder(text),
                _ => Token::Word(text),
            };
            (token, after)
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}
