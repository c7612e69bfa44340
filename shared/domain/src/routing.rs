//! How the calls of a model are routed: the load balancing among its deployments, the retries and the circuit breaker.

use serde::{Deserialize, Serialize};

/// The routing of a model's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingPolicy {
    pub strategy: RoutingStrategy,
    /// Maximum attempts of one call, over all deployments.
    pub max_attempts: u8,
    /// Maximum attempts of one call at the same deployment.
    pub attempts_per_deployment: u8,
    /// Consecutive failures that open the circuit breaker of a deployment.
    pub cooldown_after: u8,
    /// How long the circuit breaker stays open. The time doubles with each further failure, up to 16 times as long.
    pub cooldown_seconds: u16,
}

impl Default for RoutingPolicy {
    fn default() -> Self {
        Self {
            strategy: RoutingStrategy::Weight,
            max_attempts: 4,
            attempts_per_deployment: 2,
            cooldown_after: 3,
            cooldown_seconds: 10,
        }
    }
}

impl RoutingPolicy {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How the first deployment of a call is chosen among those of the same priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoutingStrategy {
    /// At random, in proportion to the weights.
    #[default]
    Weight,
    /// The lowest product of latency and calls in flight, divided by the weight.
    Latency,
    /// The lowest cost.
    Cost,
}

/// What the operator pays for a deployment, in micro-USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeploymentCost {
    pub input_micro_usd: u64,
    pub output_micro_usd: u64,
}

impl DeploymentCost {
    /// The cost of a typical call, which has three tokens of input for each of output.
    pub fn blended(self) -> u64 {
        self.input_micro_usd.saturating_mul(3).saturating_add(self.output_micro_usd)
    }
}
