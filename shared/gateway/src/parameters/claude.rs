//! What versions of Claude take. Models after 4.6 refuse sampling parameters; version 4 accepts `temperature` or `top_p`, not
//! both. Models from 3.7 reason, with a budget of tokens; those from 4.6 decide themselves how long, within an effort.

use serde_json::{Map, Value, json};

/// The last version that accepts `temperature`, `top_p` and `top_k`.
const LAST_SAMPLING: (u32, u32) = (4, 6);
/// The first version that reasons, and the first one that takes an effort in place of a budget.
const FIRST_REASONING: (u32, u32) = (3, 7);
const FIRST_ADAPTIVE: (u32, u32) = (4, 6);
/// The smallest budget that the API accepts, and the largest one that is useful without a stream of hours.
const BUDGETS: (u64, u64) = (1_024, 32_000);

/// How Claude is asked to reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaudeReasoning {
    /// The share of the output limit that is for reasoning, in percent.
    Budget(u64),
    Effort(&'static str),
}

impl ClaudeReasoning {
    /// None if the model does not reason, or if the client wants no reasoning.
    pub fn new(model: &str, effort: &str) -> Option<Self> {
        if !model.contains("claude") || effort == "none" {
            return None;
        }
        // Only newer models have names without a version.
        match version(model) {
            Some(version) if version < FIRST_REASONING => None,
            Some(version) if version < FIRST_ADAPTIVE => Some(Self::Budget(match effort {
                "minimal" => 10,
                "low" => 20,
                "medium" => 50,
                _ => 80,
            })),
            _ => Some(Self::Effort(match effort {
                "minimal" | "low" => "low",
                "medium" => "medium",
                "high" => "high",
                _ => "max",
            })),
        }
    }

    /// Adds the fields of the request. A budget must be smaller than the output limit, which covers the reasoning too; if the
    /// limit leaves no room for both, the model does not reason.
    pub fn add_to(self, fields: &mut Map<String, Value>, max_tokens: u64) {
        match self {
            Self::Budget(percent) => {
                let (least, most) = BUDGETS;
                let budget = (max_tokens / 100 * percent).clamp(least, most);
                if budget < max_tokens {
                    fields.insert("thinking".to_owned(), json!({"type": "enabled", "budget_tokens": budget}));
                }
            }
            Self::Effort(effort) => {
                fields.insert("thinking".to_owned(), json!({"type": "adaptive"}));
                let config = fields.entry("output_config").or_insert_with(|| json!({}));
                if let Some(config) = config.as_object_mut() {
                    config.entry("effort").or_insert_with(|| effort.into());
                }
            }
        }
    }
}

/// Whether this parameter of the request is left out for a model of Anthropic or Bedrock.
pub fn leaves_out(model: &str, body: &Map<String, Value>, is_reasoning: bool, name: &str) -> bool {
    if !matches!(name, "temperature" | "top_p" | "top_k") || !model.contains("claude") {
        return false;
    }
    match version(model) {
        _ if is_reasoning => true,
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
        let left_out = |model, is_reasoning| {
            let names = ["temperature", "top_p", "top_k", "stop"];
            names.into_iter().filter(|name| leaves_out(model, body, is_reasoning, name)).collect::<Vec<_>>()
        };
        assert_eq!(left_out("claude-3-5-sonnet-20241022", false), [""; 0]);
        assert_eq!(left_out("claude-sonnet-4-5", false), ["top_p"]);
        assert_eq!(left_out("claude-sonnet-4-5", true), ["temperature", "top_p", "top_k"]);
        assert_eq!(left_out("claude-opus-4-7", false), ["temperature", "top_p", "top_k"]);
        assert_eq!(left_out("anthropic.claude-opus-5-v1:0", false), ["temperature", "top_p", "top_k"]);
        assert_eq!(left_out("other-model", false), [""; 0]);
    }

    #[test]
    fn an_effort_becomes_a_budget_or_stays_an_effort() {
        let fields = |model, effort, max_tokens| {
            let mut fields = Map::new();
            if let Some(reasoning) = ClaudeReasoning::new(model, effort) {
                reasoning.add_to(&mut fields, max_tokens);
            }
            Value::Object(fields)
        };
        let budget = |tokens: u64| json!({"thinking": {"type": "enabled", "budget_tokens": tokens}});
        assert_eq!(fields("claude-3-7-sonnet-20250219", "medium", 10_000), budget(5_000));
        assert_eq!(fields("claude-sonnet-4-5", "minimal", 4_096), budget(1_024));
        assert_eq!(fields("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "high", 100_000), budget(32_000));
        let adaptive = |effort| json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}});
        assert_eq!(fields("claude-opus-4-6", "minimal", 4_096), adaptive("low"));
        assert_eq!(fields("claude-mythos-preview", "xhigh", 4_096), adaptive("max"));
        for (model, effort, max_tokens) in [
            ("claude-3-5-haiku", "high", 9_000),
            ("claude-sonnet-4-5", "none", 9_000),
            ("claude-sonnet-4-5", "high", 500),
            ("nova", "high", 9_000),
        ] {
            assert_eq!(fields(model, effort, max_tokens), json!({}), "{model}");
        }
    }
}
