//! Apps of Dify.

use serde_json::Value;

use super::Imported;
use crate::{Error, Result};

pub fn read(_document: &Value) -> Result<Imported> {
    Err(Error::invalid_body("", "Dify"))
}
