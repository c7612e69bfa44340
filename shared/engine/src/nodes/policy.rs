//! Policies of nodes: retries with backoff, timeouts, and error handling. They are part of the configuration, beside
//! the fields of the type.

use std::time::Duration;

use domain::run::OnUncertain;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

/// Which of the policy fields a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policies {
    fails: bool,
    effects: bool,
}

impl Policies {
    /// The node cannot fail.
    pub const NONE: Self = Self { fails: false, effects: false };
    /// The node can fail, but a retry would not help.
    pub const ERROR: Self = Self { fails: true, effects: false };
    /// The node calls something that may fail, be slow, or leave its outcome uncertain.
    pub const EFFECT: Self = Self { fails: true, effects: true };
}

/// What happens when a node fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The run fails.
    #[default]
    Fail,
    /// The run continues as if the output were null.
    Continue,
    /// The run continues at the port `error`, with the error as its value.
    Branch,
}

/// The number of attempts, and the backoff between them, which doubles each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Retry {
    #[schema(minimum = 1, maximum = 10)]
    pub max_attempts: u32,
    #[schema(minimum = 0, maximum = 3600000)]
    pub backoff_ms: u64,
    #[schema(minimum = 0, maximum = 86400000)]
    pub max_backoff_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { max_attempts: 1, backoff_ms: 1_000, max_backoff_ms: 60_000 }
    }
}

/// The fields of [`Policies::EFFECT`]; those of [`Policies::ERROR`] are among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// What happens when the node fails; `fail` by default. `continue` passes null on; `branch` opens a port `error`,
    /// whose value is `{code, message}`.
    #[schema(inline, nullable = false)]
    pub on_error: Option<OnError>,
    /// One attempt by default; five for nodes that send messages.
    #[schema(inline, nullable = false)]
    pub retry: Option<Retry>,
    /// The timeout of one attempt.
    #[schema(minimum = 100, maximum = 600000, nullable = false)]
    pub timeout_ms: Option<u64>,
    /// By default `retry` if the receiver can recognize a repeated call, and `ask` if the node sends something to
    /// people, calls an MCP server or changes a database.
    #[schema(inline, nullable = false)]
    pub on_uncertain: Option<OnUncertain>,
}

impl Policy {
    /// Reads the policy fields of a configuration. Values that are not valid count as omitted; the compiler reports them.
    pub fn read(config: &Map<String, Value>) -> Self {
        let fields = config.iter().filter(|(name, _)| EFFECT_FIELDS.contains(&name.as_str()));
        let fields: Map<String, Value> = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        Self::deserialize(Value::Object(fields)).unwrap_or_default()
    }

    pub fn on_error(&self) -> OnError {
        self.on_error.unwrap_or_default()
    }
}

impl Retry {
    /// The wait before the next attempt after this many failed ones; none if no attempt is left.
    pub fn wait_after(&self, attempts: u32) -> Option<Duration> {
        if attempts >= self.max_attempts {
            return None;
        }
        let doubled = self.backoff_ms.saturating_mul(1u64.checked_shl(attempts.saturating_sub(1)).unwrap_or(u64::MAX));
        Some(Duration::from_millis(doubled.min(self.max_backoff_ms)))
    }
}

const ERROR_FIELDS: [&str; 1] = ["onError"];
const EFFECT_FIELDS: [&str; 4] = ["onError", "retry", "timeoutMs", "onUncertain"];

/// Adds the policy fields of a type to its schema.
pub fn with_policy_fields(policies: Policies, mut schema: Value) -> Value {
    let fields = serde_json::to_value(Policy::schema()).expect("a schema is JSON");
    let names: &[&str] = match policies {
        Policies::NONE => &[],
        Policies::ERROR => &ERROR_FIELDS,
        _ => &EFFECT_FIELDS,
    };
    for name in names {
        schema["properties"][name] = fields["properties"][name].clone();
    }
    schema
}

/// Removes the policy fields from a configuration.
pub fn without_policy_fields(mut config: Map<String, Value>) -> Map<String, Value> {
    config.retain(|name, _| !EFFECT_FIELDS.contains(&name.as_str()));
    config
}

/// The JSON Schema of the value at a port for errors.
pub fn error_schema() -> Value {
    json!({
        "type": "object", "required": ["code", "message"], "additionalProperties": false,
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
    })
}

/// Whether the node has a port for errors.
pub fn has_error_port(config: &Map<String, Value>) -> bool {
    Policy::read(config).on_error() == OnError::Branch
}
