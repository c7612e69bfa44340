//! How something is written here that somebody wrote as other languages do.

/// Signs, and the words that stand for them in CEL and in Jinja. Longer ones first.
const SIGNS: [(&str, &str, &str); 10] = [
    ("=>", "write list.map(x, …)", "write list | map('…')"),
    ("=", "write ==", "write =="),
    ("&", "write &&", "write and"),
    ("|", "write ||, and f(x) in place of x | f", "write or"),
    ("!", "write !", "write not"),
    ("??", "write has(x.y) ? x.y : z, or get(x, 'y', z)", "write x.y | default(z)"),
    ("?.", "write has(x.y) ? x.y : null", "write x.y, which may be missing"),
    ("?", "write a ? b : c", "write b if a else c"),
    ("$", "what came in is `input`", "what came in is `input`"),
    ("`", "strings stand in quotes: 'a' + string(b)", "strings stand in quotes: 'a' ~ b"),
];

/// Words that CEL has signs for.
const WORDS: [(&str, &str); 7] = [
    ("and", "write &&"),
    ("or", "write ||"),
    ("not", "write !"),
    ("is", "write =="),
    ("if", "write a ? b : c"),
    ("then", "write a ? b : c"),
    ("else", "write a ? b : c"),
];

pub const BRACES: &str = "this is CEL: write it without braces";

pub fn cel_sign(rest: &str) -> Option<&'static str> {
    SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(_, written, _)| *written)
}

pub fn jinja_sign(rest: &str) -> Option<&'static str> {
    SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(.., written)| *written)
}

pub fn cel_word(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, written)| *written)
}
