//! Notes of the report on parts that were not translated completely.

use super::lenient::truncate;

pub type Notes = Vec<String>;

/// Adds a note. Repeated notes and notes beyond the limit are dropped.
pub fn note(notes: &mut Notes, text: impl Into<String>) {
    const MAX_NOTES: usize = 12;
    const MAX_CHARS: usize = 400;
    let text = truncate(&text.into(), MAX_CHARS);
    if notes.len() < MAX_NOTES && !notes.contains(&text) {
        notes.push(text);
    }
}
