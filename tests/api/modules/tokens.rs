//! Splits Rust source into tokens, without comments, string and character literals.

/// The tokens of a source file: names, `::` and single characters.
pub fn tokens(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = next(rest, first);
        if is_token {
            found.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

/// The length of what the source begins with, and whether it is a token.
fn next(source: &str, first: char) -> (usize, bool) {
    let until = |end: &str| source.find(end).map_or(source.len(), |at| at + end.len());
    if source.starts_with("//") {
        (until("\n"), false)
    } else if source.starts_with("/*") {
        (until("*/"), false)
    } else if let Some(end) = raw_string_end(source) {
        (until(&end), false)
    } else if source.starts_with("::") {
        (2, true)
    } else if first == '"' {
        (literal_length(source, '"'), false)
    } else if first == '\'' {
        (character_length(source), false)
    } else if is_of_name(first) {
        (source.find(|c| !is_of_name(c)).unwrap_or(source.len()), true)
    } else {
        (first.len_utf8(), !first.is_whitespace())
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The end of the raw string that the source begins with: a quote and as many `#` as at its beginning.
fn raw_string_end(source: &str) -> Option<String> {
    let hashes = source.strip_prefix("br").or_else(|| source.strip_prefix('r'))?;
    let text = hashes.trim_start_matches('#');
    text.starts_with('"').then(|| format!("\"{}", &hashes[..hashes.len() - text.len()]))
}

/// The length of a literal between quotes. A backslash escapes the next character.
fn literal_length(source: &str, quote: char) -> usize {
    let mut chars = source.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return at + 1;
        }
        if c == '\\' {
            chars.next();
        }
    }
    source.len()
}

/// The length of a character literal, or of the quote of a lifetime.
fn character_length(source: &str) -> usize {
    let mut chars = source.chars().skip(1);
    let is_literal = matches!((chars.next(), chars.next()), (Some('\\'), _) | (_, Some('\'')));
    if is_literal { literal_length(source, '\'') } else { 1 }
}
