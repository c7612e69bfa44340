//! AWS SDK clients. All of them share one TLS stack, one connection pool, and the same retries and timeouts.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_async::rt::sleep::{SharedAsyncSleep, TokioSleep};
use aws_smithy_async::time::SystemTimeSource;
use aws_smithy_runtime::client::retries::RetryPartition;
use aws_smithy_runtime_api::client::http::{HttpConnector, SharedHttpClient};
use aws_smithy_runtime_api::client::interceptors::SharedInterceptor;
use aws_smithy_runtime_api::client::interceptors::error::InterceptorError;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::{DispatchFailure, SdkError};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::error::display::DisplayErrorContext;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, Limited};

use domain::{Error, Result};
use tables::embedded::EmbeddedDatabase;

use crate::embedded_queues::EmbeddedQueues;
use crate::https::{Connector, https};

/// The configuration of the AWS SDK. Each method returns the client of one service, so that a binary links only the
/// services it calls.
#[derive(Clone)]
pub struct Aws {
    config: SdkConfig,
    watchers: Vec<SharedInterceptor>,
    clients: Arc<Clients>,
    /// Local S3 services do not resolve a host name for each bucket.
    s3_path_style: bool,
    /// The database that takes the place of DynamoDB.
    database: Option<Arc<dyn EmbeddedDatabase>>,
    /// The queues that take the place of SQS.
    queues: Option<Arc<dyn EmbeddedQueues>>,
}

macro_rules! client {
    ($name:ident, $sdk:ident) => {
        pub fn $name(&self) -> $sdk::Client {
            self.clients.get_or_create(|| {
                let mut config = $sdk::config::Builder::from(&self.config);
                config.set_interceptors(self.watchers.iter().cloned());
                config.set_retry_partition(Some(own_retry_quota()));
                $sdk::Client::from_conf(config.build())
            })
        }
    };
}

impl Aws {
    /// Reads the region and the credentials from environment variables, where Lambda puts them. Other credential
    /// providers (profiles, roles, instance metadata) would be linked into every function and never used.
    pub fn from_env() -> Self {
        let region = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| std::env::var(name).ok());
        let config = SdkConfig::builder()
            .region(region.map(Region::new))
            .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()))
            .service_config(EndpointsOfEnvironment);
        let own_s3 = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].iter().any(|name| std::env::var_os(name).is_some());
        Self::new(with_shared_settings(config, https(), timeouts()), own_s3)
    }

    /// The services that are embedded in `local`, at their ports. Their calls have no time limit: no network can lose an
    /// answer, and on a busy machine a late answer is still right.
    pub fn local(config: aws_types::sdk_config::Builder) -> Self {
        Self::embedded(config, https())
    }

    /// The services that are embedded in `local`, as `http_client` reaches them.
    pub fn embedded(config: aws_types::sdk_config::Builder, http_client: SharedHttpClient) -> Self {
        Self::new(with_shared_settings(config, http_client, TimeoutConfig::disabled()), true)
    }

    /// Adds interceptors to every client. They observe each call and may refuse it: `local` uses them to enforce IAM
    /// permissions and tests to count calls.
    #[must_use]
    pub fn with_interceptors(mut self, watchers: impl IntoIterator<Item = SharedInterceptor>) -> Self {
        self.watchers.extend(watchers);
        self.clients = Arc::default();
        self
    }

    /// Connects to services in this process: `http_client` answers the requests without a network.
    pub fn in_process(config: aws_types::sdk_config::Builder, http_client: SharedHttpClient) -> Self {
        Self::new(with_shared_settings(config, http_client, timeouts()), true)
    }

    fn new(config: SdkConfig, s3_path_style: bool) -> Self {
        Self { config, watchers: Vec::new(), clients: Arc::default(), s3_path_style, database: None, queues: None }
    }

    /// Uses a database in this process instead of DynamoDB.
    #[must_use]
    pub fn with_database(self, database: Arc<dyn EmbeddedDatabase>) -> Self {
        Self { database: Some(database), ..self }
    }

    /// The database that takes the place of DynamoDB; `None` in a deployment.
    pub fn database(&self) -> Option<Arc<dyn EmbeddedDatabase>> {
        self.database.clone()
    }

    /// Uses queues in this process instead of SQS.
    #[must_use]
    pub fn with_queues(self, queues: Arc<dyn EmbeddedQueues>) -> Self {
        Self { queues: Some(queues), ..self }
    }

    /// The queues that take the place of SQS; `None` in a deployment.
    pub fn queues(&self) -> Option<Arc<dyn EmbeddedQueues>> {
        self.queues.clone()
    }

    /// The region and the credentials, for requests that no SDK client makes.
    pub async fn identity(&self) -> Result<(String, Credentials)> {
        let region = self.config.region().ok_or_else(|| Error::internal("no region is set"))?.to_string();
        let provider = self.config.credentials_provider().ok_or_else(|| Error::internal("there are no credentials"))?;
        Ok((region, provider.provide_credentials().await.map_err(Error::internal)?))
    }

    client!(dynamodb, aws_sdk_dynamodb);
    client!(sqs, aws_sdk_sqs);
    client!(kms, aws_sdk_kms);

    /// A Bedrock client without timeouts and retries: models respond slowly, and the gateway applies its own.
    pub fn bedrock(&self, options: BedrockOptions<'_>) -> aws_sdk_bedrockruntime::Client {
        use aws_sdk_bedrockruntime::config::{Builder, Token};
        // A reasoning model may send nothing for a long time, so stalled stream protection stays disabled.
        let mut config = Builder::from(&self.config);
        config.set_interceptors(self.watchers.iter().cloned());
        config.set_retry_config(Some(RetryConfig::disabled()));
        config.set_timeout_config(Some(no_timeouts()));
        if let Some(region) = options.region {
            config.set_region(Some(Region::new(region.to_owned())));
        }
        if let Some(url) = options.url {
            config.set_endpoint_url(Some(url.to_owned()));
        }
        if let Some(key) = options.key {
            let bearer = aws_smithy_runtime_api::client::auth::http::HTTP_BEARER_AUTH_SCHEME_ID;
            config = config.bearer_token(Token::new(key, None)).auth_scheme_preference([bearer]);
        }
        aws_sdk_bedrockruntime::Client::from_conf(config.build())
    }

    pub fn s3(&self) -> aws_sdk_s3::Client {
        self.clients.get_or_create(|| {
            let mut config = aws_sdk_s3::config::Builder::from(&self.config);
            config.set_interceptors(self.watchers.iter().cloned());
            config.set_retry_partition(Some(own_retry_quota()));
            config.set_force_path_style(Some(self.s3_path_style));
            config.set_stalled_stream_protection(Some(StalledStreamProtectionConfig::enabled().build()));
            aws_sdk_s3::Client::from_conf(config.build())
        })
    }
}

/// The clients that were created: a function has a hundred stores, and each client takes 50 microseconds. By type, so that a binary
/// links only the services it calls.
#[derive(Default)]
struct Clients(Mutex<HashMap<TypeId, Box<dyn Any + Send + Sync>>>);

impl Clients {
    fn get_or_create<C: Clone + Send + Sync + 'static>(&self, create: impl FnOnce() -> C) -> C {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&TypeId::of::<C>()).and_then(|client| client.downcast_ref::<C>()) {
            return client.clone();
        }
        let client = create();
        clients.insert(TypeId::of::<C>(), Box::new(client.clone()));
        client
    }
}

/// The settings of one Bedrock provider.
pub struct BedrockOptions<'a> {
    pub region: Option<&'a str>,
    pub url: Option<&'a str>,
    /// A Bedrock API key. Without one, the credentials of the platform are used.
    pub key: Option<&'a str>,
}

/// Adds the settings that all connections share.
fn with_shared_settings(
    config: aws_types::sdk_config::Builder,
    http_client: SharedHttpClient,
    timeouts: TimeoutConfig,
) -> SdkConfig {
    config
        .behavior_version(BehaviorVersion::latest())
        .http_client(http_client)
        .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
        .time_source(SystemTimeSource::new())
        .retry_config(retries())
        .timeout_config(timeouts)
        // Responses are small and limited by the attempt timeout: monitoring their speed costs more than it helps.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .build()
}

/// Reads endpoints other than those of AWS from `AWS_ENDPOINT_URL_<SERVICE>` and `AWS_ENDPOINT_URL`.
#[derive(Debug)]
struct EndpointsOfEnvironment;

impl LoadServiceConfig for EndpointsOfEnvironment {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let service = key.service_id().to_uppercase().replace(' ', "_");
        let own = std::env::var(format!("{}_{service}", key.env())).ok();
        own.or_else(|| std::env::var(key.env()).ok())
    }
}

/// Retries with exponential backoff. Throttling and conflicts end within milliseconds, so many short attempts are
/// better than a few long waits.
fn retries() -> RetryConfig {
    RetryConfig::standard()
        .with_max_attempts(8)
        .with_initial_backoff(Duration::from_millis(50))
        .with_max_backoff(Duration::from_secs(2))
}

/// A quota of retries for the calls of one service. By default all clients of a process share one: then the failures that one platform
/// meets would stop the retries of every other platform in the process, as in tests.
fn own_retry_quota() -> RetryPartition {
    RetryPartition::custom("client").build()
}

/// Timeouts of one AWS call, including its retries: a stuck call must not block a request until Lambda ends it.
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_attempt_timeout(Duration::from_secs(5))
        .operation_timeout(Duration::from_secs(15))
        .build()
}

fn no_timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(5))
        .disable_read_timeout()
        .disable_operation_attempt_timeout()
        .disable_operation_timeout()
        .build()
}

/// Error codes of throttled calls whose HTTP status is neither 429 nor 5xx.
const BUSY_CODES: [&str; 6] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
];

/// The error code with which the services of `local` report that their disk is full or damaged. A retry does not help.
pub const STORAGE_FAILURE: &str = "StorageFailure";

/// Converts an SDK error. Temporary failures, which the SDK has already retried, become `Unavailable`; others are
/// `Internal`.
pub fn convert_error<E>(error: SdkError<E, HttpResponse>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    if let SdkError::ServiceError(refused) = &error
        && refused.err().code() == Some(STORAGE_FAILURE)
    {
        return Error::StorageTrouble(refused.err().message().unwrap_or_default().to_owned());
    }
    let passing = match &error {
        // A permission that is missing in the template, found by `local`. Waiting does not help.
        SdkError::DispatchFailure(failure) if was_refused_here(failure) => false,
        SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => true,
        SdkError::ServiceError(refused) => {
            let status = refused.raw().status().as_u16();
            status >= 500 || status == 429 || refused.err().code().is_some_and(|code| BUSY_CODES.contains(&code))
        }
        _ => false,
    };
    let cause = DisplayErrorContext(&error).to_string();
    if passing { Error::busy(cause) } else { Error::internal(cause) }
}

/// Whether an interceptor of this process refused the call before it was sent.
fn was_refused_here(failure: &DispatchFailure) -> bool {
    let source = failure.as_connector_error().and_then(std::error::Error::source);
    source.is_some_and(|source| source.is::<InterceptorError>())
}

/// A client for trusted URLs: the keys of the token issuer, and the collector of traces. It uses the TLS stack of the SDK, so
/// no second HTTP client is linked.
#[derive(Debug)]
pub struct TrustedClient(Connector);

impl TrustedClient {
    pub fn new(connect_timeout: Duration, read_timeout: Duration) -> Self {
        Self(Connector::new(connect_timeout, read_timeout))
    }

    /// Sends a request, and reads the body of the answer, at most `limit_bytes`.
    pub async fn send(&self, request: http::Request<Bytes>, limit_bytes: usize) -> Result<(StatusCode, Bytes)> {
        let request = HttpRequest::try_from(request.map(SdkBody::from)).map_err(Error::internal)?;
        let response = self.0.call(request).await.map_err(Error::internal)?;
        let status = StatusCode::from_u16(response.status().as_u16()).map_err(Error::internal)?;
        let body = Limited::new(response.into_body(), limit_bytes).collect().await.map_err(Error::internal)?;
        Ok((status, body.to_bytes()))
    }
}

/// Fetches a small document from a trusted URL.
pub async fn fetch(url: &str, limit_bytes: usize) -> Result<Vec<u8>> {
    let client = TrustedClient::new(Duration::from_secs(2), Duration::from_secs(4));
    let request = http::Request::get(url).body(Bytes::new()).map_err(Error::internal)?;
    match client.send(request, limit_bytes).await? {
        (status, body) if status.is_success() => Ok(body.into()),
        (status, _) => Err(Error::internal(format!("{url} answered {}", status.as_u16()))),
    }
}
