//! The error for an unknown name of a model. It suggests only names that the caller may use, so models of other plans stay
//! hidden.

use super::{is_on_list, visible};
use crate::catalog::Listing;
use domain::Error;
use domain::identity::Plan;
use domain::spelling::nearest;
use domain::text::{MAX_ECHO_CHARS, shorten};
use domain::time::Time;

/// A name may differ from the suggestion in every third letter, and in at most this many.
const MAX_DISTANCE: usize = 6;
/// Shorter names are part of too many others.
const MIN_PART_CHARS: usize = 3;

pub fn unknown_model(listing: &Listing, plan: &Plan, list: Option<&[String]>, name: &str, now: Time) -> Error {
    let is_usable =
        |known: &&str| visible(listing, plan, known, now).is_some_and(|model| is_on_list(list, listing, &model.name));
    let known = || listing.models.keys().chain(listing.aliases.keys()).map(String::as_str).filter(is_usable);
    let suggestion = Some(name).filter(|name| name.len() <= MAX_ECHO_CHARS).and_then(|name| {
        let max_distance = (name.len() / 3).clamp(1, MAX_DISTANCE);
        nearest(name, known(), max_distance).or_else(|| find_part(name, known()))
    });
    Error::UnknownModel { name: shorten(name).into_owned(), suggestion: suggestion.map(str::to_owned) }
}

/// The shortest name that contains the unknown one, such as `openai/gpt-4o` for `gpt-4o`, or that is part of it.
fn find_part<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let has_part = |whole: &str, part: &str| part.len() >= MIN_PART_CHARS && whole.contains(part);
    known.filter(|known| has_part(known, name) || has_part(name, known)).min_by_key(|known| known.len())
}
