//! Families of models of one provider that take different parameters, recognized by their names.

use serde_json::{Value, json};

/// Parameters of other vendors than OpenAI. A client of Anthropic's dialect does not mean them for a server with OpenAI's API.
pub const OF_OTHER_VENDORS: [&str; 6] =
    ["top_k", "thinking", "output_config", "cache_control", "container", "inference_geo"];

/// Whether a model of `OpenAI` reasons, and refuses `max_tokens`: `o1`, `o3-mini`, `openai/gpt-5.1` and later ones.
pub fn is_reasoning_family(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let number = |rest: &str| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest[..digits].parse::<u32>().ok()
    };
    match (name.strip_prefix('o'), name.strip_prefix("gpt-")) {
        (Some(rest), _) => number(rest).is_some(),
        (_, Some(rest)) => number(rest).is_some_and(|major| (5..30).contains(&major)),
        _ => false,
    }
}

/// The `thinkingConfig` of a Gemini model for an effort, as Google's own endpoint for OpenAI's clients maps it. Models before
/// 2.5 do not reason.
pub fn gemini_thinking(model: &str, effort: &str) -> Option<Value> {
    let version = model.rsplit('/').next()?.strip_prefix("gemini-")?.split('-').next()?.parse::<f32>().ok()?;
    if version < 2.5 {
        return None;
    }
    if version >= 3.0 {
        let level = if matches!(effort, "none" | "minimal" | "low") { "low" } else { "high" };
        return Some(json!({"thinkingLevel": level, "includeThoughts": true}));
    }
    let budget = match effort {
        "none" => return Some(json!({"thinkingBudget": 0})),
        "minimal" | "low" => 1_024,
        "medium" => 8_192,
        _ => 24_576,
    };
    Some(json!({"thinkingBudget": budget, "includeThoughts": true}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_families_are_recognized_by_name() {
        for name in ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.1-codex", "openai/gpt-5-mini", "gpt-6"] {
            assert!(is_reasoning_family(name), "{name}");
        }
        for name in
            ["gpt-4o", "gpt-4.1", "gpt-3.5-turbo", "gpt-35-turbo", "gpt-oss-20b", "olmo-2", "openhermes", "llama"]
        {
            assert!(!is_reasoning_family(name), "{name}");
        }
    }

    #[test]
    fn gemini_gets_a_budget_or_a_level() {
        let budget = |budget| Some(json!({"thinkingBudget": budget, "includeThoughts": true}));
        let level = |level| Some(json!({"thinkingLevel": level, "includeThoughts": true}));
        assert_eq!(gemini_thinking("gemini-2.5-flash", "low"), budget(1_024));
        assert_eq!(gemini_thinking("models/gemini-2.5-pro", "high"), budget(24_576));
        assert_eq!(gemini_thinking("gemini-2.5-flash", "none"), Some(json!({"thinkingBudget": 0})));
        assert_eq!(gemini_thinking("gemini-3-pro-preview", "minimal"), level("low"));
        assert_eq!(gemini_thinking("gemini-3.1-flash", "medium"), level("high"));
        for name in ["gemini-2.0-flash", "gemini-1.5-pro", "gemma-3", "gemini-pro"] {
            assert_eq!(gemini_thinking(name, "high"), None, "{name}");
        }
    }
}
