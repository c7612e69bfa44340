//! Finds what a script called, or iterated over, where the engine reports only a position: `items.map` of `items.map(…)`.
//!
//! The position of an error is that of the last name, call or function before it, so it may be in the arguments of the call. If the
//! source does not show which call has failed, there is no name.

use std::ops::Range;

use engine::script::tokens::{self, Kind, Token};

use crate::outcome::Position;

/// Longer names explain nothing.
const MAX_CHARS: usize = 100;

/// Global functions and objects of the engine. They exist, so they are not the cause if a call in their arguments fails.
const GLOBALS: [&str; 14] = [
    "Array",
    "Boolean",
    "Buffer",
    "DateTime",
    "JSON",
    "Math",
    "Number",
    "Object",
    "Promise",
    "String",
    "console",
    "encodeURIComponent",
    "parseFloat",
    "parseInt",
];

/// Keywords that can precede a parenthesis.
const KEYWORDS: [&str; 10] = ["if", "for", "while", "switch", "catch", "function", "return", "typeof", "await", "of"];

/// The called function, and whether it is called with `new`.
pub fn find_callee(source: &str, at: Position) -> Option<(String, bool)> {
    Script::read(source)?.callee(at)
}

/// The value after `of` in the head of a loop.
pub fn find_iterated(source: &str, at: Position) -> Option<String> {
    let script = Script::read(source)?;
    let last = script.token_at(at)?;
    let chain = script.chain_before(last + 1)?;
    let is_iterated = script.is(last + 1, ")") && script.is(chain.start.checked_sub(1)?, "of");
    is_iterated.then(|| script.print(chain)).filter(|name| name.chars().count() <= MAX_CHARS)
}

struct Script<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    /// The index of the other bracket of each bracket.
    partners: Vec<usize>,
}

impl<'s> Script<'s> {
    /// None if the brackets do not fit.
    fn read(source: &'s str) -> Option<Self> {
        let tokens = tokens::read(source)?;
        let (mut partners, mut open) = (vec![0; tokens.len()], Vec::new());
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Open => open.push(index),
                Kind::Close => {
                    let begin: usize = open.pop()?;
                    (partners[begin], partners[index]) = (index, begin);
                }
                _ => {}
            }
        }
        open.is_empty().then_some(Self { source, tokens, partners })
    }

    fn text(&self, index: usize) -> &'s str {
        self.tokens.get(index).map_or("", |token| token.text(self.source))
    }

    fn is(&self, index: usize, text: &str) -> bool {
        self.text(index) == text
    }

    fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    fn is_name(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Word) && !KEYWORDS.contains(&self.text(index))
    }

    fn token_at(&self, Position { line, column }: Position) -> Option<usize> {
        let before: usize = self.source.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let offset = before + self.source[before..].char_indices().nth(column as usize - 1)?.0;
        self.tokens.binary_search_by_key(&offset, |token| token.start).ok()
    }

    fn callee(&self, at: Position) -> Option<(String, bool)> {
        let token = self.token_at(at)?;
        let mut call = self.call_of(token).or_else(|| self.call_around(token))?;
        let found = call;
        // The position is also that of a call whose arguments end with this one.
        loop {
            let close = self.partners[call];
            if self.is(close + 1, "(") {
                return None;
            }
            let Some(outer) = self.call_around(call) else { break };
            if self.has_name(close + 1..self.partners[outer]) {
                break;
            }
            let root = self.chain_before(outer)?.start;
            if !GLOBALS.contains(&self.text(root)) {
                return None;
            }
            call = outer;
        }
        let chain = self.chain_before(found)?;
        let is_new = chain.start.checked_sub(1).is_some_and(|before| self.is(before, "new"));
        let name = self.print(chain);
        (name.chars().count() <= MAX_CHARS).then_some((name, is_new))
    }

    /// The parenthesis that calls the name at an index, or an element of it.
    fn call_of(&self, index: usize) -> Option<usize> {
        let mut next = index + 1;
        while self.is(next, "[") && !self.has_name(next..self.partners[next]) {
            next = self.partners[next] + 1;
        }
        if self.is(next, "?.") {
            next += 1;
        }
        (self.is_name(index) && self.is(next, "(")).then_some(next)
    }

    /// The parenthesis of the call whose arguments contain the token at an index.
    fn call_around(&self, index: usize) -> Option<usize> {
        let (mut at, mut is_other) = (index, false);
        loop {
            at = at.checked_sub(1)?;
            match self.kind(at)? {
                Kind::Close => at = self.partners[at],
                Kind::Open if self.is(at, "(") && at > 0 && (self.is_name(at - 1) || self.ends_value(at - 1)) => {
                    return Some(at);
                }
                // The body of a function is no part of the arguments.
                Kind::Open if self.is(at, "{") && !self.begins_object(at) => return None,
                Kind::Other if !is_other && self.is(at, ">") && at > 0 && self.is(at - 1, "=") => return None,
                Kind::Open => is_other = false,
                Kind::Comma => is_other = true,
                _ => {}
            }
        }
    }

    fn ends_value(&self, index: usize) -> bool {
        self.is(index, ")") || self.is(index, "]") || self.is(index, "?.")
    }

    fn begins_object(&self, open: usize) -> bool {
        open.checked_sub(1).is_some_and(|before| ["(", "[", ",", ":", "?"].contains(&self.text(before)))
    }

    fn has_name(&self, mut range: Range<usize>) -> bool {
        range.any(|index| self.is_name(index) && !self.text(index).starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The tokens of the value that ends before a token, such as `$json.a["b"]`.
    fn chain_before(&self, end: usize) -> Option<Range<usize>> {
        let end = if end > 0 && self.is(end - 1, "?.") { end - 1 } else { end };
        let mut start = end;
        loop {
            let last = start.checked_sub(1)?;
            start = match self.kind(last)? {
                Kind::Literal => last,
                Kind::Word if self.is_name(last) => last,
                Kind::Close if !self.is(last, "}") => self.partners[last],
                _ => return None,
            };
            let Some(before) = start.checked_sub(1) else { return Some(start..end) };
            match self.kind(before)? {
                Kind::Dot if before > 0 && !self.is(before - 1, ".") => start = before,
                // The brackets belong to the value before them.
                Kind::Word | Kind::Close if self.kind(start) == Some(Kind::Open) && self.is_value(before) => {}
                _ => return Some(start..end),
            }
        }
    }

    fn is_value(&self, index: usize) -> bool {
        self.is_name(index) || self.is(index, ")") || self.is(index, "]")
    }

    /// As V8 writes it: without the arguments of calls, and with quotes of one kind.
    fn print(&self, range: Range<usize>) -> String {
        let (mut printed, mut index) = (String::new(), range.start);
        while index < range.end {
            let (text, is_first) = (self.text(index), index == range.start);
            let has_space = !is_first && self.tokens[index - 1].end < self.tokens[index].start;
            let is_of_value = !is_first && self.is_value(index - 1);
            match self.kind(index) {
                Some(Kind::Open) if is_of_value && text == "(" => {
                    printed.push_str("(...)");
                    index = self.partners[index];
                }
                Some(Kind::Open) if is_of_value && self.partners[index] == index + 2 && self.is_text(index + 1) => {
                    let name = self.text(index + 1);
                    printed.push_str(&format!(".{}", &name[1..name.len() - 1]));
                    index += 2;
                }
                Some(kind) => {
                    if has_space && kind != Kind::Dot && !printed.ends_with('.') {
                        printed.push(' ');
                    }
                    match self.is_text(index) {
                        true => printed.push_str(&format!("\"{}\"", &text[1..text.len() - 1])),
                        false => printed.push_str(text),
                    }
                }
                None => return printed,
            }
            index += 1;
        }
        printed
    }

    fn is_text(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Literal) && self.text(index).starts_with(['"', '\''])
    }
}

#[cfg(test)]
mod tests {
    use super::{find_callee, find_iterated};
    use crate::outcome::Position;

    /// The mark `^` is before the token of the position.
    fn read(marked: &str) -> (String, Position) {
        let (before, _) = marked.split_once('^').unwrap();
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() as u32 + 1;
        (marked.replacen('^', "", 1), Position { line, column })
    }

    #[test]
    fn calls_have_the_names_of_v8() {
        for (marked, name) in [
            ("const a = {};\n^f()", Some("f")),
            ("a.b\n  .^map('x', 1)", Some("a.b.map")),
            ("a.map(^x => x.y)", Some("a.map")),
            ("a.map(^(x, y) => x.y).length", Some("a.map")),
            ("a.b(c, ^d)", Some("a.b")),
            ("a.b({ c: ^d })", Some("a.b")),
            ("a?.^b()", Some("a?.b")),
            ("^a['b'](1)", Some("a.b")),
            ("a[0].^join(',')", Some("a[0].join")),
            ("$('A').first().json.^split('T')", Some("$(...).first(...).json.split")),
            ("(a.b || '').^trim()", Some("(a.b || \"\").trim")),
            ("return JSON.stringify(a.map(^x => x))", Some("a.map")),
            ("const s = String(a.^trim())", Some("a.trim")),
            ("[1].forEach((y) => { a.b(^y); })", Some("a.b")),
            ("all.filter((a) => a.b?.some(^c => c))", Some("a.b?.some")),
            ("a.b(c => c, ^d)", Some("a.b")),
            ("`${a}`; 'a(' + /[(]/.source; // a(\nb.^c()", Some("b.c")),
            // Both calls may have failed.
            ("a.b(c.^d())", None),
            ("a.b(c(^d))", None),
            ("a.^b()()", None),
            ("for (const x of ^y) {}", None),
            ("const a = ^b;", None),
        ] {
            let (source, at) = read(marked);
            assert_eq!(find_callee(&source, at).map(|(name, _)| name).as_deref(), name, "{marked}");
        }
        let (source, at) = read("x = new a.^B(1)");
        assert_eq!(find_callee(&source, at), Some(("a.B".to_owned(), true)));
    }

    #[test]
    fn loops_have_the_names_of_their_values() {
        for (marked, name) in [
            ("for (const x of a.^items) {}", Some("a.items")),
            ("for (const x of ^items) { f(x); }", Some("items")),
            ("[...^items]", None),
            ("f(^items)", None),
        ] {
            let (source, at) = read(marked);
            assert_eq!(find_iterated(&source, at).as_deref(), name, "{marked}");
        }
    }
}
