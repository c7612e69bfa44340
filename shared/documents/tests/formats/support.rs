//! Reads files as a node does, in processes of their own.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use documents::{ReadError, use_program};
use domain::run::StepError;
use engine::nodes::read_file::ReadFileNode;
use serde_json::{Value, json};

/// The content of a file in the folder `files`.
pub fn load(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn read_bytes(bytes: &[u8], format: Value) -> Result<Value, StepError> {
    read(json!({"base64": BASE64_STANDARD.encode(bytes)}), format)
}

/// Reads a file value. Without a format, it is recognized.
pub fn read(file: Value, format: Value) -> Result<Value, StepError> {
    use_program(env!("CARGO_BIN_EXE_documents").into());
    let format = if format.is_null() { None } else { Some(serde_json::from_value(format).unwrap()) };
    documents::read(&ReadFileNode { file, format }).map_err(|error| match error {
        ReadError::Refused(error) => error,
        ReadError::Unavailable(error) => panic!("{error}"),
    })
}
