//! Notes of the report on parts that were not translated completely.

use domain::webhook::is_kept_header;

use super::lenient::truncate;

pub type Notes = Vec<String>;

/// Why a run does not get a header of a call; none if it does.
pub fn header_problem(name: &str) -> Option<String> {
    let why = || format!("runs do not get the header `{}`, which may hold a secret", truncate(name, 40));
    (!is_kept_header(name)).then(why)
}

/// Adds a note. Repeated notes and notes beyond the limit are dropped.
pub fn note(notes: &mut Notes, text: impl Into<String>) {
    const MAX_NOTES: usize = 12;
    const MAX_CHARS: usize = 400;
    let text = truncate(&text.into(), MAX_CHARS);
    if notes.len() < MAX_NOTES && !notes.contains(&text) {
        notes.push(text);
    }
}
