//! The length limit of texts of users.

use crate::{Error, Result};

pub fn check_max_chars(field: &str, text: &str, limit: usize) -> Result<()> {
    if text.chars().count() > limit {
        return Err(Error::invalid_body(field, format!("at most {limit} characters")));
    }
    Ok(())
}
