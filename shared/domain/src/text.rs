//! Text of users: shortening, hashes, hexadecimal digits, case folding for search, and sort keys that ignore case and accents.

use std::borrow::Cow;
use std::fmt::Write;

use caseless::Caseless;
use ring::digest::{SHA256, digest};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The maximum number of characters of user input that a message repeats.
pub const MAX_ECHO_CHARS: usize = 100;

/// Shortens a text for a message.
pub fn shorten(text: &str) -> Cow<'_, str> {
    shorten_to(text, MAX_ECHO_CHARS)
}

/// Shortens a text to `chars` characters. `…` marks a shortened text.
pub fn shorten_to(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    hex(digest(&SHA256, text.as_bytes()).as_ref())
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of hexadecimal digits, of either case.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|c| c.is_ascii_hexdigit());
    is_hex.then(|| (0..text.len()).step_by(2).filter_map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect())
}

/// The maximum of a name in a DynamoDB sort key (1,024 bytes), in which the id follows the name.
const SORT_KEY_BYTES: usize = 900;

/// Case folding (Unicode compatibility caseless match): names that differ only in case have the same result.
pub fn folded(name: &str) -> String {
    name.nfkd().default_case_fold().nfkd().default_case_fold().nfkc().collect()
}

/// The text without case and accents.
pub fn fold_case_and_accents(text: &str) -> String {
    text.nfkd().filter(|c| !is_combining_mark(*c)).default_case_fold().nfkc().collect()
}

/// The sort key of a name. It ignores case and accents: `Álvaro` sorts next to `Alva`, not after `Zoe`.
pub fn sort_key(name: &str) -> String {
    let mut key = fold_case_and_accents(name);
    key.truncate(key.floor_char_boundary(SORT_KEY_BYTES));
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_in_every_script() {
        for (one, other) in [("STRASSE", "straße"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ÉCOLE", "école"), ("ﬁn", "FIN")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("jose"), folded("josé"), "search ignores case, not accents");
    }

    #[test]
    fn accents_do_not_change_the_order() {
        let mut names = ["Zoe", "Álvaro", "alba", "Ñandú", "oso"];
        names.sort_by_key(|name| sort_key(name));
        assert_eq!(names, ["alba", "Álvaro", "Ñandú", "oso", "Zoe"]);
    }

    #[test]
    fn sort_keys_of_names_that_expand_are_truncated() {
        assert!(sort_key(&"ﷺ".repeat(200)).len() <= SORT_KEY_BYTES);
    }
}
