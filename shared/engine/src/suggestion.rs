//! Suggestions for misspelled names, as the end of a message.

use domain::language::Translated;
use domain::{spelling, translated};

/// Longer names are not compared.
const MAX_BYTES: usize = 24;

/// Returns `; did you mean `name`?` for the most similar known name. Names may differ in two letters, short ones in one.
pub fn suggest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<Translated<String>> {
    nearest(name, known).map(did_you_mean)
}

/// Returns the most similar known name.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = Some(name).filter(|name| name.len() <= MAX_BYTES)?;
    spelling::nearest(name, known, if name.len() < 5 { 1 } else { 2 })
}

pub fn did_you_mean(suggested: &str) -> Translated<String> {
    translated!("; did you mean `{suggested}`?", "; ¿quiso decir `{suggested}`?")
}
