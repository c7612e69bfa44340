//! Load balancing and failover between the deployments of a model: priority, strategy, retry with backoff, and a circuit
//! breaker for deployments that keep failing.

mod states;

use std::sync::Arc;
use std::time::{Duration, Instant};

use states::DeploymentStates;

use super::attempt::{Attempt, Operation};
use super::failure::{FailureKind, ProviderFailure};
use super::providers::{AnyProvider, ProviderSettings, connect};
use domain::call_facts::FailedAttempt;
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

const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// A call does not retry at a deployment whose backoff or `Retry-After` is longer than this.
const MAX_BACKOFF: Duration = Duration::from_secs(2);
const PROVIDER_TTL: Duration = Duration::from_secs(300);

pub struct Routing {
    outbound: Outbound,
    aws: Aws,
    secrets: Secrets,
    /// By the name and the version of the provider, and the dialect of the deployment.
    providers: Cache<(String, u64, DeploymentDialect), Arc<AnyProvider>>,
    states: DeploymentStates,
    telemetry: Telemetry,
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
            states: DeploymentStates::default(),
            telemetry: context.telemetry.clone(),
        })
    }

    /// Sends the call to the model's deployments, one after the other, until one answers. Returns the last failure when
    /// all attempts fail, and returns at once when a failure is not retryable.
    pub async fn send_call<T, F>(
        &self,
        chosen: &Chosen,
        operation: Operation,
        send: impl Fn(Arc<AnyProvider>, Arc<str>) -> F,
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
        send: impl Fn(Arc<AnyProvider>, Arc<str>) -> F,
        failed_attempts: &mut Vec<FailedAttempt>,
    ) -> Result<Routed<T>>
    where
        F: Future<Output = Result<T, ProviderFailure>>,
    {
        let (policy, mut last) = (chosen.model.routing, None);
        let max_attempts = usize::from(policy.max_attempts);
        for deployment in self.states.order(&chosen.model, operation, Instant::now()) {
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
            for attempt_here in 1..=policy.attempts_per_deployment {
                let (began, name) = (Instant::now(), &chosen.model.name);
                let attempt = Attempt::start(&self.telemetry, operation, name, deployment, settings.kind);
                let in_flight = self.states.begin(&chosen.model, deployment, operation);
                let failure = match attempt.send(send(provider.clone(), upstream.clone())).await {
                    Ok(answer) => {
                        if let Some(in_flight) = in_flight {
                            in_flight.answered();
                        }
                        self.states.record_success(deployment);
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
                if let Some(in_flight) = in_flight {
                    in_flight.failed();
                }
                self.states.record_failure(deployment, policy, &failure, Instant::now());
                let wait = retry_delay(&failure, attempt_here);
                // The same deployment gets no retry of a request that may have run, because it could be charged twice,
                // or that failed by the deployment's setup, because it would fail again.
                let again = !failure.may_have_run && failure.kind != FailureKind::Setup && wait <= MAX_BACKOFF;
                last = Some(failure);
                if failed_attempts.len() == max_attempts || !again || attempt_here == policy.attempts_per_deployment {
                    break;
                }
                tokio::time::sleep(wait).await;
            }
            if failed_attempts.len() == max_attempts {
                break;
            }
        }
        Err(match last {
            Some(failure) => failure.into(),
            None => Error::internal(format!("the model {} has no deployment", chosen.model.name)),
        })
    }

    async fn get_provider(
        &self,
        settings: &catalog::StoredProvider,
        dialect: DeploymentDialect,
    ) -> Result<Arc<AnyProvider>> {
        let key = (settings.name.clone(), settings.version, dialect);
        self.providers.get_or_load(&key, async || self.connect(settings, dialect).await).await
    }

    async fn connect(
        &self,
        provider: &catalog::StoredProvider,
        dialect: DeploymentDialect,
    ) -> Result<Arc<AnyProvider>> {
        let settings = ProviderSettings { dialect, ..ProviderSettings::open(provider, &self.secrets).await? };
        Ok(Arc::new(connect(&settings, &self.outbound, &self.aws)?))
    }
}

/// Returns the provider's `Retry-After`, or else an exponential backoff with jitter of up to half.
fn retry_delay(failure: &ProviderFailure, tried: u8) -> Duration {
    let backoff = FIRST_BACKOFF * 2u32.pow(u32::from(tried) - 1);
    failure.retry_after.unwrap_or_else(|| backoff.mul_f64(0.5 + fastrand::f64() / 2.0))
}
