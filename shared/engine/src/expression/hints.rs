//! Hints for syntax of other languages: how to write it in CEL or Jinja.

use domain::language::Translated;

macro_rules! write_instead {
    ($code:literal) => {
        Translated::new(concat!("write ", $code), concat!("escriba ", $code))
    };
}

pub(super) use write_instead;

/// How to write a value with a default in CEL.
pub const DEFAULT: Translated =
    Translated::new("write has(x.y) ? x.y : z, or get(x, 'y', z)", "escriba has(x.y) ? x.y : z, o get(x, 'y', z)");
const INPUT: Translated = Translated::new("the input of a node is `input`", "la entrada de un nodo es `input`");

/// Operators of other languages, with a hint for CEL and one for Jinja. Longer ones come first.
const SIGNS: [(&str, Translated, Translated); 10] = [
    ("=>", write_instead!("list.map(x, …)"), write_instead!("list | map('…')")),
    ("=", write_instead!("=="), write_instead!("==")),
    ("&", write_instead!("&&"), write_instead!("and")),
    (
        "|",
        Translated::new("write ||, or f(x) instead of x | f", "escriba ||, o f(x) en lugar de x | f"),
        write_instead!("or"),
    ),
    ("!", write_instead!("!"), write_instead!("not")),
    ("??", DEFAULT, write_instead!("x.y | default(z)")),
    (
        "?.",
        write_instead!("has(x.y) ? x.y : null"),
        Translated::new("write x.y, which may be missing", "escriba x.y, que puede faltar"),
    ),
    ("?", write_instead!("a ? b : c"), write_instead!("b if a else c")),
    ("$", INPUT, INPUT),
    (
        "`",
        Translated::new(
            "write strings in quotes: 'a' + string(b)",
            "escriba las cadenas entre comillas: 'a' + string(b)",
        ),
        Translated::new("write strings in quotes: 'a' ~ b", "escriba las cadenas entre comillas: 'a' ~ b"),
    ),
];

/// Words that are operators in other languages, with a hint for CEL.
const WORDS: [(&str, Translated); 7] = [
    ("and", write_instead!("&&")),
    ("or", write_instead!("||")),
    ("not", write_instead!("!")),
    ("is", write_instead!("==")),
    ("if", write_instead!("a ? b : c")),
    ("then", write_instead!("a ? b : c")),
    ("else", write_instead!("a ? b : c")),
];

pub const BRACES: Translated = Translated::new(
    "this is a CEL expression; write it without braces",
    "esto es una expresión CEL; escríbala sin llaves",
);

/// Returns a hint such as `; write ==`, or an empty text.
pub fn cel_sign(rest: &str) -> Translated<String> {
    append(SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(_, hint, _)| hint))
}

pub fn jinja_sign(rest: &str) -> Translated<String> {
    append(SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)).map(|(.., hint)| hint))
}

pub fn cel_word(word: &str) -> Translated<String> {
    append(WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, hint)| hint))
}

/// The hint as the end of a message.
pub fn append(hint: Option<&Translated>) -> Translated<String> {
    hint.map(|hint| hint.map(|hint| format!("; {hint}"))).unwrap_or_default()
}
