//! Request and response bodies.

pub mod aliases;
pub mod audit;
pub mod billing;
mod deployments;
pub mod guard;
pub mod meters;
pub mod model_kind;
mod model_options;
pub mod models;
pub mod people;
pub mod plans;
pub mod provider_checks;
pub mod provider_presets;
pub mod providers;
pub mod setup;
pub mod workbench_cluster;
mod workbenches;

use domain::{Error, Result};

const MAX_NAME_CHARS: usize = 200;

/// Validates a name: paths, headers and log lines must be able to contain it. Empty, `.` and `..` segments are refused,
/// because clients and proxies resolve them and would call another path.
fn check_name(field: &str, name: &str, also: &str) -> Result<()> {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c) || also.contains(c);
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..");
    if name.len() <= MAX_NAME_CHARS && name.chars().all(is_taken) && name.split('/').all(is_segment) {
        return Ok(());
    }
    let problem = format!(
        "invalid name; use 1 to {MAX_NAME_CHARS} letters, digits and `._-{also}`, without empty, `.` or `..` segments"
    );
    Err(Error::invalid_body(field, problem))
}

/// Validates the name of a model or an alias, which may also contain `:/@+`.
pub fn check_model_name(field: &str, name: &str) -> Result<()> {
    // `/gateway/v1/models/aliases` is a route of its own.
    if name == "aliases" {
        return Err(Error::invalid_body(field, "this name is reserved; choose another name"));
    }
    check_name(field, name, ":/@+")
}

/// Validates the name of a provider or a region, or the id of a plan.
pub fn check_plain_name(field: &str, name: &str) -> Result<()> {
    check_name(field, name, "")
}

/// Validates a display text: one line, not blank, at most `most` characters.
fn check_text(field: &str, text: &str, most: usize) -> Result<()> {
    let is_fine = !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control);
    if is_fine { Ok(()) } else { Err(Error::invalid_body(field, format_args!("1 to {most} characters on one line"))) }
}
