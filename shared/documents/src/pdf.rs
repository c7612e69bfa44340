//! PDF: the text of each page, in the order in which the document draws it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use domain::run::StepError;
use engine::value_size::MAX_VALUE_BYTES;
use pdf_extract::{Document, Error, PlainTextOutput, output_doc_page};
use serde_json::{Value, json};

use crate::problems::{TOO_MUCH_TEXT, encrypted, invalid, too_large, unsuitable};

/// Fonts have single characters for these letters.
const LIGATURES: [(char, &str); 7] =
    [('ﬀ', "ff"), ('ﬁ', "fi"), ('ﬂ', "fl"), ('ﬃ', "ffi"), ('ﬄ', "ffl"), ('ﬅ', "st"), ('ﬆ', "st")];
const MARK: &[u8] = b"%PDF-";
/// Some programs write something before the mark.
const MARK_WITHIN: usize = 1_024;

pub fn is_pdf(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(MARK_WITHIN)];
    start.windows(MARK.len()).any(|window| window == MARK)
}

pub fn read(bytes: &[u8], first: Option<u32>, last: Option<u32>) -> Result<Value, StepError> {
    if !is_pdf(bytes) {
        return Err(invalid("is not a PDF file"));
    }
    let mut document = Document::load_mem(bytes).map_err(|error| explain(&error))?;
    if document.is_encrypted() {
        // Many documents only forbid changes: they open without a password.
        document.decrypt("").map_err(|error| explain(&error))?;
    }
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    if numbers.is_empty() {
        return Err(damaged());
    }
    let first = first.unwrap_or(1);
    let chosen = numbers.iter().filter(|number| (first..=last.unwrap_or(u32::MAX)).contains(number));
    let mut pages = Vec::new();
    let mut bytes = 0;
    for number in chosen {
        let page = read_page(&document, *number)?;
        bytes += page.len();
        if bytes > MAX_VALUE_BYTES {
            return Err(too_large(&format!("{TOO_MUCH_TEXT}; set `firstPage` and `lastPage`")));
        }
        pages.push(page);
    }
    if pages.is_empty() {
        return Err(unsuitable("format.firstPage", &format!("the file has only {} pages", numbers.len())));
    }
    if pages.iter().all(String::is_empty) {
        let message = "config.file: the pages have no text, probably because they were scanned; show them to a model that sees images";
        return Err(StepError::new("file_without_text", message));
    }
    let text = pages.iter().filter(|page| !page.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    Ok(json!({"text": text, "pages": pages, "pageCount": numbers.len()}))
}

fn read_page(document: &Document, number: u32) -> Result<String, StepError> {
    // The library panics where a page breaks the format.
    let read = AssertUnwindSafe(|| {
        let mut text = String::new();
        output_doc_page(document, &mut PlainTextOutput::new(&mut text), number).ok().map(|()| text)
    });
    let text = catch_unwind(read).ok().flatten().ok_or_else(|| {
        invalid(&format!("page {number} cannot be read; set `firstPage` and `lastPage` to leave it out"))
    })?;
    Ok(clean(&text))
}

/// Letters instead of ligatures, and at most one empty line in a row.
fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for line in text.trim().lines().map(str::trim_end) {
        if line.is_empty() && cleaned.ends_with("\n\n") {
            continue;
        }
        for c in line.chars() {
            match LIGATURES.iter().find(|(ligature, _)| *ligature == c) {
                Some((_, letters)) => cleaned.push_str(letters),
                None => cleaned.push(c),
            }
        }
        cleaned.push('\n');
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

fn damaged() -> StepError {
    invalid("is not a valid PDF file; print it as a PDF again, then send that")
}

fn explain(error: &Error) -> StepError {
    match error {
        Error::Decryption(_) | Error::InvalidPassword => encrypted(),
        _ => damaged(),
    }
}
