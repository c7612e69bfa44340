//! Load balancing and failover between the deployments of a model: priority, weight, retry with backoff, and a circuit
//! breaker for deployments that keep failing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::attempt::{Attempt, Operation};
use super::failure::{FailureKind, ProviderFailure};
use super::providers::{Provider, ProviderSettings, connect};
use domain::call_facts::FailedAttempt;
use domain::catalog::ModelDeployment;
use domain::provider::{DeploymentDialect, UpstreamApi};
use domain::{Error, Result};
use outbound::Outbound;
use platform::Context;
use platform::aws::Aws;
use platform::cache::Cache;
use platform::secrets::Secrets;
use platform::telemetry::Telemetry;
use store::catalog;
use store::model_catalog::Chosen;

/// Maximum attempts of one call, over all deployments.
const MAX_ATTEMPTS: usize = 4;
/// Maximum attempts of one call at the same deployment.
const MAX_ATTEMPTS_PER_DEPLOYMENT: usize = 2;
const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// A call does not retry at a deployment whose backoff or `Retry-After` is longer than this.
const MAX_BACKOFF: Duration = Duration::from_secs(2);
/// Consecutive failures that open the circuit breaker of a deployment.
const FAILURES_TO_OPEN: u32 = 3;
const MIN_REST: Duration = Duration::from_secs(10);
const MAX_REST: Duration = Duration::from_secs(160);
const PROVIDER_TTL: Duration = Duration::from_secs(300);

pub struct Routing {
    outbound: Outbound,
    aws: Aws,
    secrets: Secrets,
    /// By the name and the version of the provider, and the dialect of the deployment.
    providers: Cache<(String, u64, DeploymentDialect), Arc<dyn Provider>>,
    health: Mutex<HashMap<(String, String), Health>>,
    telemetry: Telemetry,
}

#[derive(Clone, Copy, Default)]
struct Health {
    failures: u32,
    rests_until: Option<Instant>,
}

/// An answer and the deployment that returned it.
pub struct Routed<T> {
    pub answer: T,
    pub api: UpstreamApi,
    pub served: Served,
    /// Ends when the answer is complete.
    pub attempt: Attempt,
}

/// The deployment that served a call, and the attempts at deployments that failed before.
#[derive(Clone, Debug)]
pub struct Served {
    pub provider: String,
    /// The provider's name for the model.
    pub model: Arc<str>,
    pub failed_attempts: Vec<FailedAttempt>,
}

impl Served {
    /// A call that its first deployment has served.
    pub fn first(provider: &str, model: &str) -> Self {
        Self { provider: provider.to_owned(), model: model.into(), failed_attempts: Vec::new() }
    }

    /// The deployment that answered, as the header `X-Svc-Deployment` names it.
    pub fn deployment(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    /// The deployment that was tried last, of a call that all have failed.
    pub fn last_of(failed_attempts: Vec<FailedAttempt>) -> Self {
        let last = failed_attempts.last();
        Self {
            provider: last.map(|attempt| attempt.provider.clone()).unwrap_or_default(),
            model: last.map(|attempt| attempt.upstream.as_str()).unwrap_or_default().into(),
            failed_attempts,
        }
    }
}

/// A call that no deployment served.
#[derive(Debug)]
pub struct Unserved {
    pub error: Box<Error>,
    pub failed_attempts: Vec<FailedAttempt>,
}

impl Unserved {
    /// A call that took longer than its caller waits.
    pub fn timeout() -> Self {
        Self { error: Box::new(ProviderFailure::timeout().into()), failed_attempts: Vec::new() }
    }
}

impl From<Unserved> for Error {
    fn from(unserved: Unserved) -> Self {
        *unserved.error
    }
}

impl Routing {
    pub fn new(context: &Context, outbound: Outbound) -> Result<Self> {
        Ok(Self {
            outbound,
            aws: context.aws.clone(),
            secrets: Secrets::of_credentials(context)?,
            providers: Cache::new(PROVIDER_TTL, 1_000),
            health: Mutex::default(),
            telemetry: context.telemetry.clone(),
        })
    }

    /// Sends the call to the model's deployments, one after the other, until one answers. Returns the last failure when
    /// all attempts fail, and returns at once when a failure is not retryable.
    pub async fn send_call<T, F>(
        &self,
        chosen: &Chosen,
        operation: Operation,
        send: impl Fn(Arc<dyn Provider>, Arc<str>) -> F,
    ) -> Result<Routed<T>, Unserved>
    where
        F: Future<Output = Result<T, ProviderFailure>>,
    {
        let mut failed_attempts = Vec::new();
        match self.try_deployments(chosen, operation, send, &mut failed_attempts).await {
            Ok(routed) => Ok(Routed { served: Served { failed_attempts, ..routed.served }, ..routed }),
            Err(error) => Err(Unserved { error: Box::new(error), failed_attempts }),
        }
    }

    async fn try_deployments<T, F>(
        &self,
        chosen: &Chosen,
        operation: Operation,
        send: impl Fn(Arc<dyn Provider>, Arc<str>) -> F,
        failed_attempts: &mut Vec<FailedAttempt>,
    ) -> Result<Routed<T>>
    where
        F: Future<Output = Result<T, ProviderFailure>>,
    {
        let mut last = None;
        for deployment in self.order_deployments(&chosen.model.deployments) {
            let Some(settings) = chosen.listing.providers.get(&deployment.provider) else {
                tracing::error!(
                    provider = deployment.provider,
                    model = chosen.model.name,
                    "a deployment names a provider that is not in the catalog"
                );
                continue;
            };
            let provider = self.get_provider(settings, deployment.dialect).await?;
            let upstream: Arc<str> = deployment.model.as_str().into();
            for attempt_here in 0..MAX_ATTEMPTS_PER_DEPLOYMENT {
                let (began, name) = (Instant::now(), &chosen.model.name);
                let attempt = Attempt::start(&self.telemetry, operation, name, deployment, settings.kind);
                let failure = match attempt.send(send(provider.clone(), upstream.clone())).await {
                    Ok(answer) => {
                        self.record_success(deployment);
                        let api = UpstreamApi::new(settings.kind, deployment.dialect);
                        let served = Served::first(&deployment.provider, &upstream);
                        return Ok(Routed { answer, api, served, attempt });
                    }
                    Err(failure) => failure,
                };
                attempt.fail(&failure);
                tracing::warn!(provider = deployment.provider, model = chosen.model.name, kind = ?failure.kind, code = failure.code, "a provider failed a call");
                failed_attempts.push(FailedAttempt {
                    provider: deployment.provider.clone(),
                    upstream: upstream.to_string(),
                    error: failure.code.clone(),
                    duration_ms: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
                });
                if !failure.is_retryable() {
                    return Err(failure.into());
                }
                self.record_failure(deployment, &failure);
                let wait = retry_delay(&failure, attempt_here);
                // The same deployment gets no retry of a request that may have run, because it could be charged twice,
                // or that failed by the deployment's setup, because it would fail again.
                let again = !failure.may_have_run && failure.kind != FailureKind::Setup && wait <= MAX_BACKOFF;
                last = Some(failure);
                if failed_attempts.len() == MAX_ATTEMPTS || !again || attempt_here + 1 == MAX_ATTEMPTS_PER_DEPLOYMENT {
                    break;
                }
                tokio::time::sleep(wait).await;
            }
            if failed_attempts.len() == MAX_ATTEMPTS {
                break;
            }
        }
        Err(match last {
            Some(failure) => failure.into(),
            None => Error::internal(format!("the model {} has no deployment", chosen.model.name)),
        })
    }

    /// Orders the deployments by priority, then at random by weight. Those with an open circuit breaker come last.
    fn order_deployments<'a>(&self, deployments: &'a [ModelDeployment]) -> Vec<&'a ModelDeployment> {
        if let [only] = deployments {
            return vec![only];
        }
        let health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let rests = |deployment: &ModelDeployment| {
            let health = health.get(&name(deployment));
            health.is_some_and(|health| health.rests_until.is_some_and(|until| now < until))
        };
        let mut ordered: Vec<_> = deployments
            .iter()
            .map(|deployment| {
                // Weighted random order: an exponential draw divided by the weight is the smallest of all with a
                // probability proportional to the weight.
                let draw = -fastrand::f64().max(f64::MIN_POSITIVE).ln() / f64::from(deployment.weight.max(1));
                (rests(deployment), deployment.priority, draw, deployment)
            })
            .collect();
        ordered.sort_by(|one, other| {
            let place = |entry: &(bool, u32, f64, _)| (entry.0, entry.1);
            place(one).cmp(&place(other)).then(one.2.total_cmp(&other.2))
        });
        ordered.into_iter().map(|(_, _, _, deployment)| deployment).collect()
    }

    async fn get_provider(
        &self,
        settings: &catalog::StoredProvider,
        dialect: DeploymentDialect,
    ) -> Result<Arc<dyn Provider>> {
        let key = (settings.name.clone(), settings.version, dialect);
        self.providers.get_or_load(&key, async || self.connect(settings, dialect).await).await
    }

    async fn connect(
        &self,
        provider: &catalog::StoredProvider,
        dialect: DeploymentDialect,
    ) -> Result<Arc<dyn Provider>> {
        let settings = ProviderSettings { dialect, ..ProviderSettings::open(provider, &self.secrets).await? };
        connect(&settings, &self.outbound, &self.aws)
    }

    fn record_success(&self, deployment: &ModelDeployment) {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).remove(&name(deployment));
    }

    fn record_failure(&self, deployment: &ModelDeployment, failure: &ProviderFailure) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        let health = health.entry(name(deployment)).or_default();
        health.failures += 1;
        // A failure by setup, such as wrong credentials, does not go away by itself: it opens the breaker at once.
        if health.failures >= FAILURES_TO_OPEN || failure.kind == FailureKind::Setup {
            let doublings = health.failures.saturating_sub(FAILURES_TO_OPEN).min(4);
            let rest = (MIN_REST * 2u32.pow(doublings)).min(MAX_REST);
            health.rests_until = Some(Instant::now() + rest.max(failure.retry_after.unwrap_or_default().min(MAX_REST)));
        }
    }
}

fn name(deployment: &ModelDeployment) -> (String, String) {
    (deployment.provider.clone(), deployment.model.clone())
}

/// Returns the provider's `Retry-After`, or else an exponential backoff with jitter of up to half.
fn retry_delay(failure: &ProviderFailure, tried: usize) -> Duration {
    let backoff = FIRST_BACKOFF * 2u32.pow(tried as u32);
    failure.retry_after.unwrap_or_else(|| backoff.mul_f64(0.5 + fastrand::f64() / 2.0))
}
