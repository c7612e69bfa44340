//! The reader of `models`: the models that a client wants if the first one cannot answer.

use serde_json::{Map, Value};

use domain::catalog::is_model_name;
use domain::{Error, Result};

/// The maximum number of fallbacks of a call.
const MAX_FALLBACKS: usize = 8;

/// Takes the fallbacks from a body. `model` may be the first of the list, as with other gateways.
pub(super) fn take_fallbacks(body: &mut Map<String, Value>) -> Result<Vec<String>> {
    let wrong = || Error::invalid_body("models", "must be a list of at most 8 names of models");
    let models = match body.shift_remove("models") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(models)) if models.len() <= MAX_FALLBACKS => models,
        Some(_) => return Err(wrong()),
    };
    let names = models.into_iter().map(|model| match model {
        Value::String(name) if is_model_name(&name) => Ok(name),
        _ => Err(wrong()),
    });
    let mut names: Vec<String> = names.collect::<Result<_>>()?;
    names.retain(|name| body.get("model").and_then(Value::as_str) != Some(name));
    Ok(names)
}
