//! Names and texts of users: how names compare (for search, without regard to case; for order, without regard to accents
//! either), and how much of a text is shown.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::{Error, Result};

pub fn at_most(field: &str, text: &str, limit: usize) -> Result<()> {
    if text.chars().count() > limit {
        return Err(Error::invalid_body(field, format!("at most {limit} characters")));
    }
    Ok(())
}

/// How much of a user's text a message repeats.
pub const SHOWN_CHARS: usize = 100;

/// The beginning of a text, as much as a message repeats of it.
pub fn clip(text: &str) -> Cow<'_, str> {
    clip_to(text, SHOWN_CHARS)
}

/// The beginning of a text; `…` marks that there was more.
pub fn clip_to(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// What is left of a sort key of DynamoDB (1,024 bytes) once an id stands behind the name.
const SORT_KEY_BYTES: usize = 900;

/// Two names that differ only in case have one folded form (Unicode's compatibility caseless match).
pub fn folded(name: &str) -> String {
    name.nfkd().default_case_fold().nfkd().default_case_fold().nfkc().collect()
}

/// Where a name stands in a list: `Álvaro` beside `Alva`, not behind `Zoe`.
pub fn sort_key(name: &str) -> String {
    let mut key: String = name.nfkd().filter(|c| !is_combining_mark(*c)).default_case_fold().nfkc().collect();
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
    fn accents_do_not_move_a_name_in_the_order() {
        let mut names = ["Zoe", "Álvaro", "alba", "Ñandú", "oso"];
        names.sort_by_key(|name| sort_key(name));
        assert_eq!(names, ["alba", "Álvaro", "Ñandú", "oso", "Zoe"]);
    }

    #[test]
    fn a_sort_key_fits_even_for_a_name_that_expands() {
        assert!(sort_key(&"ﷺ".repeat(200)).len() <= SORT_KEY_BYTES);
    }
}
