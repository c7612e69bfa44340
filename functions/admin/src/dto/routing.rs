//! The routing of a model's calls, as requests and answers spell it.

use domain::routing::{RoutingPolicy, RoutingStrategy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::wire_enum;

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    #[schema(as = RoutingStrategy)]
    RoutingStrategyWire = RoutingStrategy {
        /// At random, in proportion to the weights.
        #[default]
        Weight,
        /// The deployment that is likely to answer first: by its latency of the last minute, its calls in flight and its weight.
        /// Each process measures for itself.
        Latency,
        /// The cheapest deployment, by its `cost`. Input counts three times as much as output.
        Cost,
    }
}

/// How calls are distributed among the deployments of the lowest priority, and what happens when a deployment fails.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = Routing)]
pub struct RoutingWire {
    strategy: RoutingStrategyWire,
    /// The most attempts of one call, over all deployments.
    #[schema(minimum = 1, maximum = 10)]
    max_attempts: u8,
    /// The most attempts of one call at the same deployment.
    #[schema(minimum = 1, maximum = 5)]
    attempts_per_deployment: u8,
    /// After this many failures in a row, a deployment is tried last until its cooldown ends.
    #[schema(minimum = 1, maximum = 100)]
    cooldown_after: u8,
    /// The duration of a cooldown. It doubles with each further failure, up to 16 times as long. 0: no cooldown.
    #[schema(minimum = 0, maximum = 3600)]
    cooldown_seconds: u16,
}

impl Default for RoutingWire {
    fn default() -> Self {
        RoutingPolicy::default().into()
    }
}

impl From<RoutingWire> for RoutingPolicy {
    fn from(wire: RoutingWire) -> Self {
        let RoutingWire { strategy, max_attempts, attempts_per_deployment, cooldown_after, cooldown_seconds } = wire;
        let strategy = strategy.into();
        Self { strategy, max_attempts, attempts_per_deployment, cooldown_after, cooldown_seconds }
    }
}

impl From<RoutingPolicy> for RoutingWire {
    fn from(policy: RoutingPolicy) -> Self {
        let RoutingPolicy { strategy, max_attempts, attempts_per_deployment, cooldown_after, cooldown_seconds } =
            policy;
        let strategy = strategy.into();
        Self { strategy, max_attempts, attempts_per_deployment, cooldown_after, cooldown_seconds }
    }
}
