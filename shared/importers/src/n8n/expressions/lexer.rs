//! Tokens of JavaScript.

use super::MAX_BYTES;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Number(String),
    Text(String),
    /// The literal parts and the expressions of a template, alternating.
    Template(Vec<String>),
    Word(String),
    Sign(&'static str),
}

/// Longer signs come first, so that they match first.
const SIGNS: [&str; 36] = [
    "===", "!==", "...", "**", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "(", ")",
    "[", "]", "{", "}", ".", ",", ";", "?", ":", "+", "-", "*", "/", "%", "<", ">", "!",
];

/// A chain of operators becomes a tree as deep as the chain is long, so the count bounds the depth.
const MAX_TOKENS: usize = 600;

pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '0'..='9' => number(rest)?,
            '\'' | '"' => quoted(rest, first)?,
            '`' => template(rest)?,
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c) && !c.is_numeric()).unwrap_or(rest.len());
                (Token::Word(rest[..end].to_owned()), &rest[end..])
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), &rest[sign.len()..]),
                None => return Err(format!("unexpected character `{first}`")),
            },
        };
        // Where a value is expected, `/` starts a regular expression.
        let begins_value = !matches!(
            tokens.last(),
            Some(
                Token::Number(_) | Token::Text(_) | Token::Template(_) | Token::Word(_) | Token::Sign(")" | "]" | "}")
            )
        );
        if token == Token::Sign("/") && begins_value {
            return Err("regular expressions are not supported".to_owned());
        }
        tokens.push(token);
        if tokens.len() > MAX_TOKENS {
            return Err(format!("it has more than {MAX_TOKENS} tokens"));
        }
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(text.len());
    let digits = text[..end].replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok().map(|number| number.to_string()),
        None if digits.bytes().all(|c| c.is_ascii_digit()) => {
            digits.parse::<i64>().ok().map(|number| number.to_string())
        }
        None => digits.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| format!("{number:?}")),
    };
    let number = number.ok_or_else(|| format!("`{digits}` is not a supported number"))?;
    Ok((Token::Number(number), &text[end..]))
}

fn quoted(text: &str, quote: char) -> Result<(Token, &str), String> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.push(escaped(chars.next().map(|(_, c)| c))?),
            c if c == quote => return Ok((Token::Text(value), &text[at + 1..])),
            c => value.push(c),
        }
    }
    Err("a string is not closed".to_owned())
}

fn escaped(c: Option<char>) -> Result<char, String> {
    match c {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some(c) if !c.is_alphanumeric() => Ok(c),
        _ => Err("an escape sequence in a string is not supported".to_owned()),
    }
}

fn template(text: &str) -> Result<(Token, &str), String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let Some(part) = parts.last_mut() else { break };
        match (c, depth) {
            ('\\', 0) => part.push(escaped(chars.next().map(|(_, c)| c))?),
            ('`', 0) => return Ok((Token::Template(parts), &text[at + 1..])),
            ('$', 0) if chars.peek().is_some_and(|(_, c)| *c == '{') => {
                chars.next();
                depth = 1;
                parts.push(String::new());
            }
            ('}', 1) => {
                depth = 0;
                parts.push(String::new());
            }
            ('`', _) => return Err("nested template literals are not supported".to_owned()),
            (c, _) => {
                depth = match c {
                    '{' if depth > 0 => depth + 1,
                    '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                part.push(c);
            }
        }
    }
    Err("a string is not closed".to_owned())
}
