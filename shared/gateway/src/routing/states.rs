//! What this process knows of each deployment: its circuit breaker, its latency and its calls in flight. They decide the order in
//! which a call tries the deployments of its model.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::attempt::Operation;
use crate::failure::{FailureKind, ProviderFailure};
use domain::catalog::{Model, ModelDeployment};
use domain::routing::{RoutingPolicy, RoutingStrategy};

/// The most doublings of a cooldown.
const MAX_DOUBLINGS: u32 = 4;
/// The time in which a measured latency fades to a third, so that a slow deployment is tried again.
const FADING: Duration = Duration::from_secs(30);
/// The latency of a deployment that has calls in flight and has answered none: it gets another call only if all others are worse.
const UNKNOWN_SECONDS: f64 = 1_000.0;
/// The least latency of a failed attempt. A deployment that fails at once must not look fast.
const FAILED_AFTER: Duration = Duration::from_secs(30);

/// By the name of the provider, and the provider's name of the model.
type Name = (String, String);

#[derive(Default)]
pub struct DeploymentStates(Mutex<HashMap<Name, State>>);

#[derive(Default)]
struct State {
    /// The consecutive failures.
    failures: u32,
    cools_until: Option<Instant>,
    /// Until the whole answer, and until the first chunk of a stream.
    whole: Latency,
    first_chunk: Latency,
}

impl State {
    fn cools(&self, now: Instant) -> bool {
        self.cools_until.is_some_and(|until| now < until)
    }

    fn latency(&mut self, operation: Operation) -> &mut Latency {
        match operation {
            Operation::StreamChat => &mut self.first_chunk,
            _ => &mut self.whole,
        }
    }
}

/// A moving average that follows a higher latency at once and a lower one over time (*peak EWMA*), with the calls in flight.
#[derive(Default)]
struct Latency {
    seconds: f64,
    measured_at: Option<Instant>,
    in_flight: u32,
}

impl Latency {
    fn is_known(&self) -> bool {
        self.measured_at.is_some() || self.in_flight > 0
    }

    fn measure(&mut self, took: Duration, now: Instant) {
        let took = took.as_secs_f64();
        let kept = self.faded(now);
        self.seconds = if took >= kept { took } else { kept + (took - kept) * (1.0 - self.share_kept(now)) };
        self.measured_at = Some(now);
    }

    /// The share of the average that is left after the time since the last measurement.
    fn share_kept(&self, now: Instant) -> f64 {
        let Some(at) = self.measured_at else { return 0.0 };
        (-now.saturating_duration_since(at).as_secs_f64() / FADING.as_secs_f64()).exp()
    }

    fn faded(&self, now: Instant) -> f64 {
        self.seconds * self.share_kept(now)
    }

    /// The expected wait of another call.
    fn load(&self, now: Instant) -> f64 {
        match (self.measured_at, self.in_flight) {
            (None, 0) => 0.0,
            (None, calls) => UNKNOWN_SECONDS * f64::from(calls),
            (Some(_), calls) => self.faded(now) * (f64::from(calls) + 1.0),
        }
    }
}

impl DeploymentStates {
    fn lock(&self) -> MutexGuard<'_, HashMap<Name, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Orders the deployments of a model: by priority, then by the model's strategy, then at random by weight. Those whose
    /// circuit breaker is open come last.
    pub fn order<'a>(&self, model: &'a Model, operation: Operation, now: Instant) -> Vec<&'a ModelDeployment> {
        if let [only] = model.deployments.as_slice() {
            return vec![only];
        }
        let mut states = self.lock();
        let mut ordered: Vec<_> = model
            .deployments
            .iter()
            .map(|deployment| {
                let weight = f64::from(deployment.weight.max(1));
                // Weighted random order: an exponential draw divided by the weight is the smallest of all with a
                // probability proportional to the weight.
                let draw = -fastrand::f64().max(f64::MIN_POSITIVE).ln() / weight;
                let state = states.get_mut(&name(deployment));
                let cools = state.as_ref().is_some_and(|state| state.cools(now));
                let rank = match model.routing.strategy {
                    RoutingStrategy::Weight => 0.0,
                    RoutingStrategy::Latency => state.map_or(0.0, |state| state.latency(operation).load(now) / weight),
                    RoutingStrategy::Cost => deployment.cost.map_or(f64::MAX, |cost| cost.blended() as f64),
                };
                (cools, deployment.priority, rank, draw, deployment)
            })
            .collect();
        ordered.sort_by(|one, other| {
            let place = |entry: &(bool, u32, f64, f64, _)| (entry.0, entry.1);
            place(one).cmp(&place(other)).then(one.2.total_cmp(&other.2)).then(one.3.total_cmp(&other.3))
        });
        ordered.into_iter().map(|(.., deployment)| deployment).collect()
    }

    /// Counts an attempt as in flight until the returned value is dropped, if the model's strategy needs that. A count of tokens
    /// says nothing about the latency of answers.
    pub fn begin(&self, model: &Model, deployment: &ModelDeployment, operation: Operation) -> Option<InFlight<'_>> {
        let is_measured = model.routing.strategy == RoutingStrategy::Latency && operation != Operation::CountTokens;
        if !is_measured || model.deployments.len() == 1 {
            return None;
        }
        let name = name(deployment);
        self.lock().entry(name.clone()).or_default().latency(operation).in_flight += 1;
        Some(InFlight { states: self, name, operation, began: Instant::now() })
    }

    /// Closes the circuit breaker.
    pub fn record_success(&self, deployment: &ModelDeployment) {
        let mut states = self.lock();
        // Most processes know nothing of any deployment, and the key would be built for each call.
        if states.is_empty() {
            return;
        }
        let name = name(deployment);
        if let Some(state) = states.get_mut(&name) {
            (state.failures, state.cools_until) = (0, None);
            if !state.whole.is_known() && !state.first_chunk.is_known() {
                states.remove(&name);
            }
        }
    }

    pub fn record_failure(
        &self,
        deployment: &ModelDeployment,
        policy: RoutingPolicy,
        failure: &ProviderFailure,
        now: Instant,
    ) {
        let mut states = self.lock();
        let state = states.entry(name(deployment)).or_default();
        state.failures = state.failures.saturating_add(1);
        // A failure by setup, such as wrong credentials, does not go away by itself: it opens the breaker at once.
        let limit = u32::from(policy.cooldown_after);
        if state.failures >= limit || failure.kind == FailureKind::Setup {
            let shortest = Duration::from_secs(policy.cooldown_seconds.into());
            let longest = shortest * 2u32.pow(MAX_DOUBLINGS);
            let doubled = shortest * 2u32.pow(state.failures.saturating_sub(limit).min(MAX_DOUBLINGS));
            state.cools_until = Some(now + doubled.max(failure.retry_after.unwrap_or_default().min(longest)));
        }
    }
}

/// An attempt in flight. Its latency counts unless it is cancelled, or fails by the request itself.
pub struct InFlight<'a> {
    states: &'a DeploymentStates,
    name: Name,
    operation: Operation,
    began: Instant,
}

impl InFlight<'_> {
    pub fn answered(self) {
        self.measure(Duration::ZERO);
    }

    pub fn failed(self) {
        self.measure(FAILED_AFTER);
    }

    fn measure(self, least: Duration) {
        let now = Instant::now();
        if let Some(state) = self.states.lock().get_mut(&self.name) {
            state.latency(self.operation).measure(least.max(now - self.began), now);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.states.lock().get_mut(&self.name) {
            state.latency(self.operation).in_flight -= 1;
        }
    }
}

fn name(deployment: &ModelDeployment) -> Name {
    (deployment.provider.clone(), deployment.model.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const SECOND: Duration = Duration::from_secs(1);

    /// A model with two equal deployments, which are chosen by their latency.
    fn model() -> Model {
        let deployment = |provider: &str| json!({"provider": provider, "model": "m", "weight": 1, "priority": 0});
        let policy = RoutingPolicy { strategy: RoutingStrategy::Latency, ..RoutingPolicy::default() };
        let model = json!({
            "name": "m", "display_name": "m", "type": "Others", "provider": "p", "capabilities": ["chat"],
            "context_window": Value::Null, "max_output_tokens": Value::Null, "deprecated_at": Value::Null,
            "retires_at": Value::Null, "pricing": {"input_micro_usd": 1, "output_micro_usd": 1}, "routing": policy,
            "deployments": [deployment("one"), deployment("other")],
        });
        serde_json::from_value(model).unwrap()
    }

    #[test]
    fn counts_of_tokens_are_no_latency_of_answers() {
        let (model, states) = (model(), DeploymentStates::default());
        assert!(states.begin(&model, &model.deployments[0], Operation::CountTokens).is_none());
        assert!(states.begin(&model, &model.deployments[0], Operation::Chat).is_some());
    }

    #[test]
    fn a_success_leaves_nothing_of_a_deployment_whose_latency_is_not_measured() {
        let (model, states) = (model(), DeploymentStates::default());
        let [one, other] = &model.deployments[..] else { panic!() };
        let measured = states.begin(&model, one, Operation::Chat).unwrap();
        for deployment in [one, other] {
            states.record_failure(deployment, model.routing, &ProviderFailure::timeout(), Instant::now());
        }
        states.record_success(other);
        states.record_success(one);
        assert_eq!(states.lock().keys().collect::<Vec<_>>(), [&name(one)]);
        measured.answered();
        states.record_success(one);
        assert_eq!(states.lock().len(), 1);
    }

    #[test]
    fn an_average_rises_at_once_and_falls_over_time() {
        let (start, mut latency) = (Instant::now(), Latency::default());
        assert_eq!(latency.load(start), 0.0);
        latency.measure(SECOND, start);
        assert_eq!(latency.load(start), 1.0);
        latency.measure(3 * SECOND, start);
        assert_eq!(latency.load(start), 3.0);
        // Fast answers within a moment change little, and within a minute most of it.
        latency.measure(SECOND, start);
        assert_eq!(latency.load(start), 3.0);
        let later = start + 2 * FADING;
        latency.measure(SECOND, later);
        assert_eq!(latency.load(later), 1.0);
        // Without measurements it fades, so that the deployment is tried again.
        assert!((0.36..0.37).contains(&latency.load(later + FADING)));
    }

    #[test]
    fn calls_in_flight_multiply_the_load() {
        let (start, mut latency) = (Instant::now(), Latency::default());
        latency.in_flight = 2;
        assert_eq!(latency.load(start), 2.0 * UNKNOWN_SECONDS);
        latency.measure(SECOND, start);
        assert_eq!(latency.load(start), 3.0);
    }
}
