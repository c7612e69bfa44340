//! Settings, read from environment variables; `local` sets the same names. The README lists them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub const TABLE_ENTITIES: &str = "TABLE_ENTITIES";
pub const TABLE_COUNTERS: &str = "TABLE_COUNTERS";
pub const TABLE_JOURNAL: &str = "TABLE_JOURNAL";
pub const QUEUE_ATTENTION: &str = "QUEUE_ATTENTION";
pub const QUEUE_GUARD: &str = "QUEUE_GUARD";
pub const QUEUE_BATCHES: &str = "QUEUE_BATCHES";
pub const QUEUE_IMAGES: &str = "QUEUE_IMAGES";
pub const QUEUE_RUNS: &str = "QUEUE_RUNS";
pub const QUEUE_WORKBENCHES: &str = "QUEUE_WORKBENCHES";
pub const BUCKET_FILES: &str = "BUCKET_FILES";
/// Where the objects of the buckets are served instead of at S3's own address. Only `local` sets it.
pub const FILES_URL: &str = "FILES_URL";
pub const KMS_KEY: &str = "KMS_KEY";
pub const AUTH_ISSUER: &str = "AUTH_ISSUER";
pub const AUTH_JWKS_URL: &str = "AUTH_JWKS_URL";
pub const AUTH_AUDIENCE: &str = "AUTH_AUDIENCE";
pub const AUTH_ORG_CLAIM: &str = "AUTH_ORG_CLAIM";
pub const AUTH_ROLES_CLAIM: &str = "AUTH_ROLES_CLAIM";
/// The URL of the issuer's discovery document, if it is not at its usual place. `local` sets it for its own issuer.
pub const AUTH_DISCOVERY_URL: &str = "AUTH_DISCOVERY_URL";
/// The id and the secret of the console as a client of the issuer.
pub const CONSOLE_CLIENT_ID: &str = "CONSOLE_CLIENT_ID";
pub const CONSOLE_CLIENT_SECRET: &str = "CONSOLE_CLIENT_SECRET";
pub const CONSOLE_ORIGIN: &str = "CONSOLE_ORIGIN";
pub const CORS_ORIGINS: &str = "CORS_ORIGINS";
pub const OUTBOUND_ALLOWED_CIDRS: &str = "OUTBOUND_ALLOWED_CIDRS";
/// Ports of this machine that outbound requests must not reach, separated by commas. `local` lists its own ports.
pub const OUTBOUND_REFUSED_PORTS: &str = "OUTBOUND_REFUSED_PORTS";
pub const OUTBOUND_MAX_CONNECTIONS: &str = "OUTBOUND_MAX_CONNECTIONS";
/// The base URLs of the APIs of messaging providers. Only tests and proxies change them.
pub const SLACK_API_URL: &str = "SLACK_API_URL";
pub const TELEGRAM_API_URL: &str = "TELEGRAM_API_URL";
pub const WHATSAPP_API_URL: &str = "WHATSAPP_API_URL";
/// The operator's OAuth clients for credentials of users, by service, as JSON.
pub const OAUTH_SERVICES: &str = "OAUTH_SERVICES";
/// How long a stream of events stays open.
pub const STREAM_SECONDS: &str = "STREAM_SECONDS";
/// How long a request for images waits for them.
pub const IMAGE_PATIENCE_S: &str = "IMAGE_PATIENCE_S";
/// How long a call waits for the evaluation of its input, if the `input_guard` of its plan is `block` or `require`.
pub const GUARD_PATIENCE_S: &str = "GUARD_PATIENCE_S";
/// The resources of all workbenches of the platform, such as `cpu=8,memory=16Gi,gpumem=0,storage=100Gi`.
pub const WORKBENCH_CAPACITY: &str = "WORKBENCH_CAPACITY";
/// The Kubernetes cluster that provides workbenches, as JSON.
pub const WORKBENCH_CLUSTER: &str = "WORKBENCH_CLUSTER";
pub const BASE_URL: &str = "BASE_URL";
/// The base URL of the collector of traces. The names that begin with `OTEL_` are those of OpenTelemetry.
pub const OTEL_EXPORTER_OTLP_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
pub const OTEL_EXPORTER_OTLP_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// How long an export may take, in milliseconds.
pub const OTEL_EXPORTER_OTLP_TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
/// `emf` writes metrics to the log.
pub const METRICS: &str = "METRICS";
pub const OTEL_SERVICE_NAME: &str = "OTEL_SERVICE_NAME";
pub const OTEL_TRACES_SAMPLER: &str = "OTEL_TRACES_SAMPLER";
pub const OTEL_TRACES_SAMPLER_ARG: &str = "OTEL_TRACES_SAMPLER_ARG";

/// A required setting is missing.
#[derive(Debug, thiserror::Error)]
#[error("the environment variable {0} is not set; README.md lists the settings of each function")]
pub struct Missing(&'static str);

#[derive(Clone, Default)]
pub struct Config {
    settings: Arc<HashMap<String, String>>,
}

impl Config {
    pub fn from_env() -> Self {
        std::env::vars().collect()
    }

    /// The settings with another value of one.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        let mut settings = Arc::unwrap_or_clone(self.settings);
        settings.insert(name.to_owned(), value.to_owned());
        Self { settings: Arc::new(settings) }
    }

    /// Returns a setting, or an error if it is missing. A function requires only the settings it uses.
    pub fn required(&self, name: &'static str) -> Result<&str, Missing> {
        self.optional(name).ok_or(Missing(name))
    }

    pub fn optional(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Reads a time in seconds.
    pub fn seconds(&self, name: &str) -> domain::Result<Option<Duration>> {
        let invalid =
            || domain::Error::internal(format!("the environment variable {name} must be a number of seconds"));
        let seconds = self.optional(name).map(|text| text.parse().map_err(|_| invalid())).transpose()?;
        Ok(seconds.map(Duration::from_secs))
    }

    pub fn required_seconds(&self, name: &'static str) -> domain::Result<Duration> {
        self.seconds(name)?.ok_or_else(|| domain::Error::internal(Missing(name)))
    }

    /// Reads a comma-separated list. It is empty if the setting is missing.
    pub fn list(&self, name: &str) -> Vec<String> {
        let items = self.optional(name).unwrap_or_default().split(',');
        items.map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
    }
}

impl FromIterator<(String, String)> for Config {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(settings: I) -> Self {
        Self { settings: Arc::new(settings.into_iter().collect()) }
    }
}
