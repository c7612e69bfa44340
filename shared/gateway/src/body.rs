//! What all calls require of their bodies.

use serde_json::{Map, Value};

use super::parameters::{CHAT, EMBEDDINGS, IMAGES, RERANK};
use domain::number::convert_integer_fields;
use domain::{Error, Result};

const MAX_UNKNOWN: usize = 64;
const MAX_NAME_CHARS: usize = 100;

/// Reads the parameters. `integers` are those that are whole numbers, which some clients send as `1.0`.
pub fn read_parameters(body: Value, integers: &[&str]) -> Result<Map<String, Value>> {
    let Value::Object(mut body) = body else { return Err(Error::invalid_body("", "must be an object")) };
    // OpenAI treats null like a missing parameter.
    body.retain(|_, value| !value.is_null());
    convert_integer_fields(&mut body, integers);
    check_unknown(&body)?;
    Ok(body)
}

pub fn require_model(body: &Map<String, Value>) -> Result<()> {
    match body.get("model").and_then(Value::as_str) {
        None | Some("") => Err(Error::invalid_body("model", "must be the name of a model or of an alias")),
        Some(_) => Ok(()),
    }
}

/// Refuses a body with too many unknown parameters, or with names that are not valid in a header: a response header lists
/// them.
fn check_unknown(body: &Map<String, Value>) -> Result<()> {
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
