//! Sampling parameters of Claude. Models after 4.6 refuse them; version 4 accepts `temperature` or `top_p`, not both.

use serde_json::{Map, Value};

use domain::provider::ProviderKind;

/// The last version that accepts `temperature`, `top_p` and `top_k`.
const LAST_SAMPLING: (u32, u32) = (4, 6);

/// Whether this parameter of the request is left out for a Claude model.
pub fn leaves_out(kind: ProviderKind, model: &str, body: &Map<String, Value>, name: &str) -> bool {
    let is_sampling = matches!(name, "temperature" | "top_p" | "top_k");
    let may_be_claude = matches!(kind, ProviderKind::Anthropic | ProviderKind::Bedrock);
    if !is_sampling || !may_be_claude || !model.contains("claude") {
        return false;
    }
    match version(model) {
        Some(version) if version <= LAST_SAMPLING => {
            version.0 >= 4 && name == "top_p" && body.contains_key("temperature")
        }
        // Only newer models have names without a version.
        _ => true,
    }
}

/// Reads the version from a name such as `claude-3-5-sonnet-20241022`, `claude-opus-4-1` or
/// `us.anthropic.claude-sonnet-4-20250514-v1:0`.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.split_once("claude")?;
    let mut parts = name.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
    let major = number(parts.next()?)?;
    Some((major, parts.next().and_then(number).unwrap_or_default()))
}

/// Reads a version number of at most two digits. Longer numbers are dates.
fn number(part: &str) -> Option<u32> {
    if part.len() <= 2 { part.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn version_is_read_from_every_name_format() {
        let names = [
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("claude-3-haiku-20240307", Some((3, 0))),
            ("claude-2.1", Some((2, 1))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("claude-opus-4-6", Some((4, 6))),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some((4, 5))),
            ("claude-3-7-sonnet@20250219", Some((3, 7))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-mythos-preview", None),
        ];
        for (name, expected) in names {
            assert_eq!(version(name), expected, "{name}");
        }
    }

    #[test]
    fn sampling_parameters_are_left_out_for_models_that_refuse_them() {
        let body = json!({"temperature": 0.2, "top_p": 0.9, "top_k": 4});
        let body = body.as_object().unwrap();
        let left_out = |kind, model| {
            let names = ["temperature", "top_p", "top_k", "stop"];
            names.into_iter().filter(|name| leaves_out(kind, model, body, name)).collect::<Vec<_>>()
        };
        use ProviderKind::{Anthropic, Bedrock, OpenAi};
        assert_eq!(left_out(Anthropic, "claude-3-5-sonnet-20241022"), [""; 0]);
        assert_eq!(left_out(Anthropic, "claude-sonnet-4-5"), ["top_p"]);
        assert_eq!(left_out(Anthropic, "claude-opus-4-7"), ["temperature", "top_p", "top_k"]);
        assert_eq!(left_out(Bedrock, "anthropic.claude-opus-5-v1:0"), ["temperature", "top_p", "top_k"]);
        assert_eq!(left_out(Anthropic, "other-model"), [""; 0]);
        assert_eq!(left_out(OpenAi, "anthropic/claude-opus-5"), [""; 0]);
    }
}
