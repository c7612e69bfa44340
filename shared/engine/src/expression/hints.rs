//! Hints for syntax of other languages: how to write it in CEL or Jinja.

/// Operators of other languages, with a hint for CEL and one for Jinja. Longer ones come first.
const SIGNS: [(&str, &str, &str); 10] = [
    ("=>", "write list.map(x, …)", "write list | map('…')"),
    ("=", "write ==", "write =="),
    ("&", "write &&", "write and"),
    ("|", "write ||, or f(x) instead of x | f", "write or"),
    ("!", "write !", "write not"),
    ("??", "write has(x.y) ? x.y : z, or get(x, 'y', z)", "write x.y | default(z)"),
    ("?.", "write has(x.y) ? x.y : null", "write x.y, which may be missing"),
    ("?", "write a ? b : c", "write b if a else c"),
    ("$", "the input of a node is `input`", "the input of a node is `input`"),
    ("`", "write strings in quotes: 'a' + string(b)", "write strings in quotes: 'a' ~ b"),
];

/// Words that are operators in other languages, with a hint for CEL.
const WORDS: [(&str, &str); 7] = [
    ("and", "write &&"),
    ("or", "write ||"),
    ("not", "write !"),
    ("is", "write =="),
    ("if", "write a ? b : c"),
    ("then", "write a ? b : c"),
    ("else", "write a ? b : c"),
];

pub const BRACES: &str = "this is a CEL expression; write it without braces";

pub fn cel_sign(rest: &str) -> Option<&'static str> {
    SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(_, written, _)| *written)
}

pub fn jinja_sign(rest: &str) -> Option<&'static str> {
    SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(.., written)| *written)
}

pub fn cel_word(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, written)| *written)
}
