//! What the family takes and answers.

pub mod audit;
pub mod billing;
pub mod meters;
pub mod models;
pub mod people;
pub mod plans;
pub mod provider_test;
pub mod providers;

use domain::{Error, Result};

const MAX_NAME_CHARS: usize = 200;

/// What can be a name at all: nothing that a path, a header or a log line could not hold. A path with a segment `..`
/// leads elsewhere: clients and proxies resolve it before it is sent on.
fn check_name(field: &str, name: &str, also: &str) -> Result<()> {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c) || also.contains(c);
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..");
    if name.len() <= MAX_NAME_CHARS && name.chars().all(is_taken) && name.split('/').all(is_segment) {
        return Ok(());
    }
    let problem = format!(
        "a name has 1 to {MAX_NAME_CHARS} letters, digits and `._-{also}`, and none of its segments is empty, `.` or `..`"
    );
    Err(Error::invalid_body(field, problem))
}

/// The same for names of models and aliases.
pub fn check_model_name(field: &str, name: &str) -> Result<()> {
    // It is a route of its own.
    if name == "aliases" {
        return Err(Error::invalid_body(field, "this name is reserved"));
    }
    check_name(field, name, ":/@+")
}

pub fn check_plain_name(field: &str, name: &str) -> Result<()> {
    check_name(field, name, "")
}

/// A text for people.
fn check_text(field: &str, text: &str, most: usize) -> Result<()> {
    let is_fine = !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control);
    if is_fine { Ok(()) } else { Err(Error::invalid_body(field, format_args!("1 to {most} characters in one line"))) }
}
