//! Validation of unknown parameters: their number and names must fit a response header, which lists them.

use serde_json::{Map, Value};

use super::parameters::{CHAT, EMBEDDINGS, IMAGES, RERANK};
use domain::{Error, Result};

const MAX_UNKNOWN: usize = 64;
const MAX_NAME_CHARS: usize = 100;

/// Refuses a body with too many unknown parameters, or with names that are not valid in a header.
pub fn check(body: &Map<String, Value>) -> Result<()> {
    let known = || CHAT.iter().chain(&EMBEDDINGS).chain(&IMAGES).chain(&RERANK);
    let is_known = |name: &str| known().any(|parameter| parameter.name == name);
    let unknown: Vec<&String> = body.keys().filter(|name| !is_known(name)).collect();
    if unknown.len() > MAX_UNKNOWN {
        let problem =
            format_args!("{} unknown parameters, the maximum is {MAX_UNKNOWN}; leave some out", unknown.len());
        return Err(Error::invalid_body("", problem));
    }
    let is_name = |name: &str| {
        let is_printable = name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',');
        is_printable && (1..=MAX_NAME_CHARS).contains(&name.len())
    };
    if unknown.iter().all(|name| is_name(name)) {
        return Ok(());
    }
    let problem = format_args!(
        "the name of an unknown parameter is not 1 to {MAX_NAME_CHARS} visible ASCII characters without a comma; \
         leave the parameter out"
    );
    Err(Error::invalid_body("", problem))
}
