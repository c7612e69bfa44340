//! The tokens of JavaScript. Expressions are read only as far as it is needed to change them: all operators are of the kind `Other`.

use super::literal_length;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// A text, a template or a regular expression.
    Literal,
    Open,
    Close,
    Comma,
    /// `.` or `?.`.
    Dot,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn text(self, code: &str) -> &str {
        &code[self.start..self.end]
    }
}

/// Templates in templates that are read.
const MAX_DEPTH: usize = 20;

/// None if a text, a template or a comment does not end.
pub fn read(code: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    (read_value(code, 0, 0, &mut tokens)? == code.len()).then_some(tokens)
}

/// Reads tokens to the end, or to a brace that closes what began before. Returns where it ends.
fn read_value(code: &str, mut start: usize, depth: usize, tokens: &mut Vec<Token>) -> Option<usize> {
    let mut open_braces = 0;
    while let Some(c) = code[start..].chars().next() {
        let rest = &code[start..];
        let (kind, length) = match c {
            c if c.is_whitespace() => {
                start += c.len_utf8();
                continue;
            }
            '/' if rest.starts_with("//") => {
                start += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                start += rest.find("*/")? + 2;
                continue;
            }
            '}' if open_braces == 0 => return Some(start),
            '"' | '\'' => (Kind::Literal, literal_length(rest, c)?),
            '`' => (Kind::Literal, template(rest, depth)?),
            '/' if begins_value(code, tokens.last()) => (Kind::Literal, pattern(rest)?),
            '(' | '[' | '{' => (Kind::Open, 1),
            ')' | ']' | '}' => (Kind::Close, 1),
            ',' => (Kind::Comma, 1),
            '.' if !rest.starts_with("..") => (Kind::Dot, 1),
            '?' if rest.starts_with("?.") => (Kind::Dot, 2),
            c if is_word_part(c) => (Kind::Word, rest.find(|c: char| !is_word_part(c)).unwrap_or(rest.len())),
            c => (Kind::Other, c.len_utf8()),
        };
        match c {
            '{' => open_braces += 1,
            '}' => open_braces -= 1,
            _ => {}
        }
        tokens.push(Token { kind, start, end: start + length });
        start += length;
    }
    Some(start)
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether a value follows, so that a slash begins a regular expression and is no division.
pub fn begins_value(code: &str, before: Option<&Token>) -> bool {
    const KEYWORDS: [&str; 9] = ["return", "typeof", "in", "of", "case", "await", "yield", "throw", "else"];
    before.is_none_or(|token| match token.kind {
        Kind::Word => KEYWORDS.contains(&token.text(code)),
        Kind::Literal | Kind::Close => false,
        _ => true,
    })
}

/// The length of a template.
fn template(text: &str, depth: usize) -> Option<usize> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut at = 1;
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            '`' => return Some(at + 1),
            '\\' => 1 + rest.chars().nth(1)?.len_utf8(),
            '$' if rest.starts_with("${") => read_value(rest, 2, depth + 1, &mut Vec::new())? + 1,
            c => c.len_utf8(),
        };
        if at > text.len() {
            return None;
        }
    }
}

/// The length of a regular expression, without its flags. A slash in brackets does not end it.
fn pattern(text: &str) -> Option<usize> {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}
