//! The provider's key: from an environment variable, standard input or a prompt. It is never an option, because other users
//! of the machine see the options of a process.

use std::io::{self, Read};

use serde_json::Value;

use super::{SetupArgs, prompt};
use crate::failure::Failure;

/// Longer inputs are not keys.
const MAX_KEY_BYTES: u64 = 8_192;

pub fn read(args: &SetupArgs, preset: &Value) -> Result<Option<String>, Failure> {
    if args.key_stdin {
        let mut key = String::new();
        let read = io::stdin().take(MAX_KEY_BYTES).read_to_string(&mut key);
        read.map_err(|cause| Failure::Other(format!("the key cannot be read from standard input: {cause}")))?;
        let key = key.trim().to_owned();
        return if key.is_empty() { Err(no_key("standard input is empty")) } else { Ok(Some(key)) };
    }
    if let Some(name) = &args.key_env {
        let key = std::env::var(name).ok().filter(|key| !key.trim().is_empty());
        return key.map(Some).ok_or_else(|| no_key(&format!("the environment variable {name} is not set")));
    }
    if preset["key"] == "none" {
        return Ok(None);
    }
    let variable = preset["key_variable"].as_str();
    if let Some(key) = variable.and_then(|name| std::env::var(name).ok()).filter(|key| !key.trim().is_empty()) {
        prompt::show(&format!("The provider's key is read from {}.", variable.unwrap_or_default()));
        return Ok(Some(key));
    }
    let is_required = preset["key"] == "required";
    if prompt::is_possible() {
        let hint = preset["hint"].as_str().unwrap_or_default();
        let key = prompt::ask_secret(&format!("API key ({hint} It is not shown.)"))?;
        return if key.is_empty() && is_required {
            Err(no_key("none was entered"))
        } else {
            Ok(Some(key).filter(|key| !key.is_empty()))
        };
    }
    match is_required {
        true => Err(no_key(&format!("{} is not set", variable.unwrap_or("the environment variable")))),
        false => Ok(None),
    }
}

fn no_key(why: &str) -> Failure {
    Failure::Other(format!(
        "this provider needs a key, and {why}; set the variable, or pipe the key in with --key-stdin"
    ))
}
