//! The settings of traces: the environment variables that OpenTelemetry defines.

use std::time::Duration;

use domain::{Error, Result, address};
use http::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use super::sampler::Sampler;
use crate::config::{
    Config, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_SERVICE_NAME,
    OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG,
};

/// How long an export may take. The standard's default of 10 s would be paid for at each invocation of a Lambda whose
/// collector does not answer.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// Where and how spans are exported.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    pub url: String,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub timeout: Duration,
    pub sampler: Sampler,
    /// The name of all functions in traces, in place of their own.
    pub service_name: Option<String>,
}

impl TraceSettings {
    /// Reads the settings; `None` if there is no endpoint. Wrong values are refused also without one.
    pub fn from_config(config: &Config) -> Result<Option<Self>> {
        let headers = read(config, OTEL_EXPORTER_OTLP_HEADERS, read_headers)?.unwrap_or_default();
        let timeout = read(config, OTEL_EXPORTER_OTLP_TIMEOUT, read_timeout)?.unwrap_or(DEFAULT_TIMEOUT);
        let ratio = read(config, OTEL_TRACES_SAMPLER_ARG, read_ratio)?.unwrap_or(1.0);
        let sampler = read(config, OTEL_TRACES_SAMPLER, |name| Sampler::find(name, ratio))?;
        let sampler = sampler.unwrap_or(Sampler::DEFAULT);
        let service_name = config.optional(OTEL_SERVICE_NAME).map(str::to_owned);
        let url = read(config, OTEL_EXPORTER_OTLP_ENDPOINT, read_endpoint)?;
        Ok(url.map(|url| Self { url, headers, timeout, sampler, service_name }))
    }
}

/// What a setting of traces must be, if its value is wrong.
pub fn expected_form(name: &str, value: &str) -> Option<&'static str> {
    let (is_right, expected) = match name {
        OTEL_EXPORTER_OTLP_ENDPOINT => {
            (read_endpoint(value).is_some(), "the base URL of a collector, such as http://127.0.0.1:4318")
        }
        OTEL_EXPORTER_OTLP_HEADERS => {
            (read_headers(value).is_some(), "headers such as api-key=secret,tenant=a, with percent-encoded values")
        }
        OTEL_EXPORTER_OTLP_TIMEOUT => (read_timeout(value).is_some(), "a number of milliseconds above 0"),
        OTEL_TRACES_SAMPLER => (
            Sampler::find(value, 1.0).is_some(),
            "always_on, always_off, traceidratio, or one of them after parentbased_",
        ),
        OTEL_TRACES_SAMPLER_ARG => (read_ratio(value).is_some(), "a number from 0 to 1"),
        _ => (true, ""),
    };
    (!is_right).then_some(expected)
}

fn read<T>(config: &Config, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>> {
    let Some(value) = config.optional(name) else { return Ok(None) };
    let expected = || expected_form(name, value).unwrap_or_default();
    parse(value)
        .map(Some)
        .ok_or_else(|| Error::internal(format!("the environment variable {name} must be {}", expected())))
}

/// The URL for traces, from that of the collector.
fn read_endpoint(value: &str) -> Option<String> {
    let is_base = address::problem(value).is_none() && !value.contains('?');
    is_base.then(|| format!("{}/v1/traces", value.trim_end_matches('/')))
}

fn read_headers(value: &str) -> Option<Vec<(HeaderName, HeaderValue)>> {
    let pairs = value.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let read_pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::try_from(name.trim()).ok()?, value))
    };
    pairs.map(read_pair).collect()
}

fn read_timeout(value: &str) -> Option<Duration> {
    value.parse().ok().filter(|ms| *ms > 0).map(Duration::from_millis)
}

fn read_ratio(value: &str) -> Option<f64> {
    value.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(settings: &[(&str, &str)]) -> Result<Option<TraceSettings>> {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        TraceSettings::from_config(&settings.collect())
    }

    #[test]
    fn settings_are_read_by_the_rules_of_the_standard() {
        assert!(read_all(&[(OTEL_SERVICE_NAME, "a")]).unwrap().is_none(), "traces need an endpoint");
        let settings = read_all(&[
            (OTEL_EXPORTER_OTLP_ENDPOINT, "https://collector.example/otlp/"),
            (OTEL_EXPORTER_OTLP_HEADERS, "api-key=a%20b, X-Tenant = t=1 ,"),
        ]);
        let settings = settings.unwrap().unwrap();
        assert_eq!(settings.url, "https://collector.example/otlp/v1/traces");
        let headers: Vec<_> = settings.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(headers, [("api-key", &b"a b"[..]), ("x-tenant", b"t=1")]);
        assert_eq!((settings.timeout, settings.service_name), (DEFAULT_TIMEOUT, None));
    }

    #[test]
    fn a_wrong_setting_is_refused_with_its_name_and_form() {
        for (name, wrong) in [
            (OTEL_EXPORTER_OTLP_ENDPOINT, "collector:4318"),
            (OTEL_EXPORTER_OTLP_HEADERS, "api-key"),
            (OTEL_EXPORTER_OTLP_HEADERS, "api key=a"),
            (OTEL_EXPORTER_OTLP_HEADERS, "api-key=a%0Ab"),
            (OTEL_EXPORTER_OTLP_TIMEOUT, "0"),
            (OTEL_EXPORTER_OTLP_TIMEOUT, "1s"),
            (OTEL_TRACES_SAMPLER, "sometimes"),
            (OTEL_TRACES_SAMPLER_ARG, "1.5"),
            (OTEL_TRACES_SAMPLER_ARG, "NaN"),
        ] {
            let Err(Error::Internal(cause)) = read_all(&[(name, wrong)]) else { panic!("{name}={wrong}") };
            let expected = expected_form(name, wrong).unwrap();
            assert_eq!(cause.to_string(), format!("the environment variable {name} must be {expected}"));
        }
    }
}
