//! JSON merge patches (RFC 7396), and the versions they are meant for.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::http::etag::{ETag, IfMatch};
use shared::{Error, Result};

/// The document after a patch, checked as one that was sent whole.
pub fn merged<T: Serialize + DeserializeOwned>(document: &T, patch: &Value) -> Result<T> {
    if !patch.is_object() {
        return Err(Error::invalid_body("", "a merge patch is a JSON object"));
    }
    let mut document = serde_json::to_value(document).map_err(Error::internal)?;
    json_patch::merge(&mut document, patch);
    for (name, _) in patch.as_object().into_iter().flatten().filter(|(_, value)| value.is_null()) {
        check_known::<T>(&document, name)?;
    }
    serde_path_to_error::deserialize(document).map_err(|error| {
        let path = error.path().to_string();
        Error::invalid_body(if path == "." { String::new() } else { path }, error.into_inner())
    })
}

/// To remove what there never was is a slip of the pen, and told like one; the merge itself would pass over it.
fn check_known<T: DeserializeOwned>(document: &Value, name: &str) -> Result<()> {
    let mut with_null = document.clone();
    with_null[name] = Value::Null;
    match serde_json::from_value::<T>(with_null) {
        Err(error) if error.to_string().starts_with("unknown field") => Err(Error::invalid_body(name, error)),
        _ => Ok(()),
    }
}

/// A thing as the API shows it: what the audit keeps.
pub fn told(out: &impl Serialize) -> String {
    serde_json::to_string(out).unwrap_or_default()
}

/// The version of a thing that is shown so.
pub fn etag(told: &str) -> ETag {
    ETag::of(crc32fast::hash(told.as_bytes()).into())
}

pub fn check_version(if_match: &IfMatch, told: &str) -> Result<()> {
    if if_match.allows(&etag(told)) { Ok(()) } else { Err(Error::PreconditionFailed) }
}
