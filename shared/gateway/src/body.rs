//! What all calls require of their bodies.

use serde_json::{Map, Value};

use super::parameters::{CHAT, EMBEDDINGS, IMAGES, RERANK, SPEECH, TRANSCRIPTIONS};
use domain::number::convert_integer_fields;
use domain::{Error, ProviderTrouble, Result};

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

/// A parameter that is a text, if it is sent.
pub fn check_text(body: &Map<String, Value>, name: &str, most: usize) -> Result<()> {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| text.chars().count() <= most);
    match body.get(name).is_none_or(is_text) {
        true => Ok(()),
        false => Err(Error::invalid_body(name, format_args!("must be a text of at most {most} characters"))),
    }
}

/// The error for a parameter that no model of this kind supports.
pub fn refuse_parameter(name: &str, problem: &str) -> Error {
    Error::Provider {
        trouble: ProviderTrouble::Unsupported,
        code: "parameter_not_supported".to_owned(),
        message: format!("{name}: {problem}"),
        param: Some(name.to_owned()),
        retry_after_s: None,
    }
}

/// Reads the texts of a form as parameters, in their order. `numbers` are those that are numbers. Several texts of one name, or
/// a name that ends with `[]`, are a list.
pub fn read_form_texts(texts: Vec<(String, String)>, numbers: &[&str]) -> Map<String, Value> {
    let mut body = Map::new();
    for (name, text) in texts {
        let (name, is_list) = match name.strip_suffix("[]") {
            Some(name) => (name.to_owned(), true),
            None => (name, false),
        };
        let number = numbers.contains(&name.as_str()).then(|| text.parse().ok()).flatten();
        let value = number.map_or(Value::String(text), Value::Number);
        match body.get_mut(&name) {
            Some(Value::Array(list)) => list.push(value),
            Some(earlier) => *earlier = Value::Array(vec![earlier.take(), value]),
            None if is_list => drop(body.insert(name, Value::Array(vec![value]))),
            None => drop(body.insert(name, value)),
        }
    }
    body
}

/// Refuses a body with too many unknown parameters, or with names that are not valid in a header: a response header lists
/// them.
fn check_unknown(body: &Map<String, Value>) -> Result<()> {
    let tables = [&CHAT[..], &EMBEDDINGS, &IMAGES, &RERANK, &TRANSCRIPTIONS, &SPEECH];
    let known = || tables.into_iter().flatten();
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

/// The parameters as the client sent them, without those that the gateway sets itself.
pub fn others<'a>(body: &'a Map<String, Value>, own: &'a [&str]) -> impl Iterator<Item = (&'a String, &'a Value)> {
    body.iter().filter(|(name, _)| !own.contains(&name.as_str()))
}
