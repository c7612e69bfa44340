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

    /// Counts an attempt as in flight until the returned value is dropped, if the model's strategy needs that.
    pub fn begin(&self, model: &Model, deployment: &ModelDeployment, operation: Operation) -> Option<InFlight<'_>> {
        if model.routing.strategy != RoutingStrategy::Latency || model.deployments.len() == 1 {
            return None;
        }
        let name = name(deployment);
        self.lock().entry(name.clone()).or_default().latency(operation).in_flight += 1;
        Some(InFlight { states: self, name, operation, began: Instant::now() })
    }

    /// Closes the circuit breaker.
    pub fn record_success(&self, deployment: &ModelDeployment) {
        let mut states = self.lock();
        if states.is_empty() {
            return;
        }
        if let Some(state) = states.get_mut(&name(deployment)) {
            (state.failures, state.cools_until) = (0, None);
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

/// An attempt in flight. Its latency counts if it is answered.
pub struct InFlight<'a> {
    states: &'a DeploymentStates,
    name: Name,
    operation: Operation,
    began: Instant,
}

impl InFlight<'_> {
    pub fn answered(self) {
        let now = Instant::now();
        if let Some(state) = self.states.lock().get_mut(&self.name) {
            state.latency(self.operation).measure(now - self.began, now);
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

    const SECOND: Duration = Duration::from_secs(1);

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
