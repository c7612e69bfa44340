//! What may be said of any node of a kind: how often it is tried again, how long it may take, what follows when it
//! fails. It stands in the configuration beside the type's own fields.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{PartialSchema, ToSchema};

/// Which of the fields a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policies {
    fails: bool,
    effects: bool,
}

impl Policies {
    /// It cannot fail.
    pub const NONE: Self = Self { fails: false, effects: false };
    /// It fails at once, and trying again would not help.
    pub const ERROR: Self = Self { fails: true, effects: false };
    /// It calls something that may fail, be slow, or leave in doubt whether it was done.
    pub const EFFECT: Self = Self { fails: true, effects: true };
}

/// What follows when a node fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The run fails.
    #[default]
    Fail,
    /// The run goes on as if the output were null.
    Continue,
    /// The run goes on at the port `error`, with the error as its value.
    Branch,
}

/// What happens when a crash leaves in doubt whether an effect took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnUncertain {
    /// It is done again, with the same idempotency key.
    Retry,
    Fail,
    /// A person decides.
    Ask,
}

/// How often a node is tried again, and after what wait, which doubles each time.
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
    /// What follows when the node fails; `fail` when left out. `continue` hands on null; `branch` opens a port `error`,
    /// whose value is `{code, message}`.
    #[schema(inline, nullable = false)]
    pub on_error: Option<OnError>,
    /// One attempt when left out.
    #[schema(inline, nullable = false)]
    pub retry: Option<Retry>,
    /// How long one attempt may take.
    #[schema(minimum = 100, maximum = 600000, nullable = false)]
    pub timeout_ms: Option<u64>,
    /// Left out: `retry` where the call can be told from its repetition, `ask` where it sends something to people.
    #[schema(inline, nullable = false)]
    pub on_uncertain: Option<OnUncertain>,
}

const OF_ERROR: [&str; 1] = ["onError"];
const OF_EFFECT: [&str; 4] = ["onError", "retry", "timeoutMs", "onUncertain"];

/// A type's schema with the fields of its policies.
pub fn with(policies: Policies, mut schema: Value) -> Value {
    let fields = serde_json::to_value(Policy::schema()).expect("a schema is JSON");
    let names: &[&str] = match policies {
        Policies::NONE => &[],
        Policies::ERROR => &OF_ERROR,
        _ => &OF_EFFECT,
    };
    for name in names {
        schema["properties"][name] = fields["properties"][name].clone();
    }
    schema
}

/// A configuration without them: the type's own fields.
pub fn without(mut config: Map<String, Value>) -> Map<String, Value> {
    config.retain(|name, _| !OF_EFFECT.contains(&name.as_str()));
    config
}

/// Whether there is a port for errors.
pub fn branches(config: &Map<String, Value>) -> bool {
    config.get("onError").is_some_and(|on_error| on_error == "branch")
}
