//! Providers of models.

use std::collections::BTreeMap;

use axum::http::{HeaderName, HeaderValue};
use domain::provider::{ProviderKind, Timeouts};
use domain::{Error, Result};
use domain::{address, header};
use serde::{Deserialize, Serialize};
use shared::config::OUTBOUND_ALLOWED_CIDRS;
use shared::outbound::Outbound;
use shared::secrets::Sealed;
use shared::store::catalog::Provider;
use utoipa::ToSchema;

use super::{check_plain_name, check_text};

const MOST_HEADERS: usize = 20;
const MOST_KEY_CHARS: usize = 4_096;
/// Headers that describe the body of a request, or the form of its answer.
const BODY_HEADERS: [&str; 5] = ["accept", "accept-encoding", "content-encoding", "content-type", "range"];
/// What carries credentials belongs in `api_key`, which is kept encrypted and never shown.
const SECRET_HEADERS: [&str; 6] =
    ["authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"];

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ProviderKind)]
pub enum KindWire {
    OpenAi,
    Anthropic,
    Gemini,
    Bedrock,
    Dev,
}

/// A provider: the whole of it to make one, any part of it to change one.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderIn {
    /// Letters, digits and `._-`
    #[schema(example = "openai", max_length = 200)]
    name: String,
    /// The language it speaks: `openai` is also that of vLLM, Ollama, TGI and Azure.
    kind: KindWire,
    /// The URL of its API, where it is not the vendor's own. Of kind `openai` it ends where `/chat/completions` is added:
    /// `https://api.openai.com/v1`. Of `anthropic` and `gemini` it may be the form of their SDKs: `/v1` and `/v1beta` are
    /// added to a path without a version. A query is kept. An address must be public, or in `OUTBOUND_ALLOWED_CIDRS`.
    #[schema(example = "https://api.openai.com/v1")]
    base_url: Option<String>,
    /// Kept encrypted, and never shown
    #[serde(skip_serializing_if = "is_secret")]
    #[schema(write_only, max_length = 4096)]
    api_key: Option<String>,
    /// The header for the key, where it is not the vendor's own. Not one that the platform sets, such as `Host`
    auth_header: Option<String>,
    /// Sent with every request, and shown to operators: put the key in `api_key`. Headers that the platform sets (`Host`,
    /// `Content-Length`, `Accept` …) are refused.
    headers: Option<BTreeMap<String, String>>,
    /// For Bedrock
    region: Option<String>,
    timeouts: Option<TimeoutsWire>,
}

/// Never written out; `skip_serializing` would leave it out of the documented body as well.
fn is_secret(_: &Option<String>) -> bool {
    true
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Timeouts)]
pub struct TimeoutsWire {
    /// Until a streamed answer begins; 60000 when left out
    #[schema(minimum = 100, maximum = 600000)]
    first_byte_ms: Option<u64>,
    /// Between two pieces of an answer; 60000 when left out
    #[schema(minimum = 100, maximum = 600000)]
    idle_ms: Option<u64>,
    /// For a whole answer; 600000 when left out
    #[schema(minimum = 100, maximum = 600000)]
    total_ms: Option<u64>,
}

/// What is to become of a provider's key.
pub enum KeyChange {
    Stays,
    Goes,
    Becomes { sealed: Sealed, last4: String },
}

impl ProviderIn {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn take_api_key(&mut self) -> Option<String> {
        self.api_key.take()
    }

    /// The provider, when all its settings are valid. `before` is what it was.
    pub fn read(
        self,
        before: Option<&Provider>,
        key: &KeyChange,
        outbound: &Outbound,
        version: u64,
    ) -> Result<Provider> {
        check_plain_name("name", &self.name)?;
        if before.is_none_or(|before| before.base_url != self.base_url) {
            self.check_base_url(outbound)?;
        }
        if let Some(name) = &self.auth_header {
            check_header_name("auth_header", name)?;
        }
        if let Some(region) = &self.region {
            check_plain_name("region", region)?;
        }
        let headers = self.headers.unwrap_or_default();
        check_headers(&headers)?;
        let (api_key, api_key_last4) = match key {
            KeyChange::Stays => before.map_or((None, None), |it| (it.api_key.clone(), it.api_key_last4.clone())),
            KeyChange::Goes => (None, None),
            KeyChange::Becomes { sealed, last4 } => (Some(sealed.clone()), Some(last4.clone())),
        };
        let kind = match self.kind {
            KindWire::OpenAi => ProviderKind::OpenAi,
            KindWire::Anthropic => ProviderKind::Anthropic,
            KindWire::Gemini => ProviderKind::Gemini,
            KindWire::Bedrock => ProviderKind::Bedrock,
            KindWire::Dev => ProviderKind::Dev,
        };
        Ok(Provider {
            name: self.name,
            kind,
            base_url: self.base_url,
            api_key,
            api_key_last4,
            auth_header: self.auth_header,
            headers,
            region: self.region,
            timeouts: self.timeouts.map_or(Ok(Timeouts::default()), TimeoutsWire::read)?,
            version,
        })
    }
}

impl ProviderIn {
    fn check_base_url(&self, outbound: &Outbound) -> Result<()> {
        let Some(base_url) = &self.base_url else { return Ok(()) };
        address::check("base_url", base_url)?;
        // Bedrock is called through the AWS SDK, at an endpoint within a private network if the operator has one.
        let is_refused = base_url.parse().is_ok_and(|url| outbound.refuses_host(&url));
        if is_refused && !matches!(self.kind, KindWire::Bedrock) {
            let problem = format_args!(
                "the address is private or reserved, and requests do not go there; add it to {OUTBOUND_ALLOWED_CIDRS}"
            );
            return Err(Error::invalid_body("base_url", problem));
        }
        Ok(())
    }
}

/// What can be a key: something that a header holds.
pub fn check_api_key(key: &str) -> Result<()> {
    let is_whole = !key.is_empty() && key.len() <= MOST_KEY_CHARS && key.bytes().all(|c| c.is_ascii_graphic());
    let problem = format!("1 to {MOST_KEY_CHARS} visible ASCII characters");
    if is_whole { Ok(()) } else { Err(Error::invalid_body("api_key", problem)) }
}

fn check_headers(headers: &BTreeMap<String, String>) -> Result<()> {
    if headers.len() > MOST_HEADERS {
        return Err(Error::invalid_body("headers", format_args!("at most {MOST_HEADERS}")));
    }
    for (name, value) in headers {
        let field = format!("headers.{name}");
        let parsed = check_header_name(&field, name)?;
        if SECRET_HEADERS.contains(&parsed.as_str()) {
            return Err(Error::invalid_body(&field, "credentials go in api_key, with auth_header if need be"));
        }
        check_text(&field, value, 1_000)?;
        HeaderValue::try_from(value).map_err(|error| Error::invalid_body(&field, error))?;
    }
    Ok(())
}

/// A header that an operator may set: not one that says where a request ends, where it goes, or what its body is.
fn check_header_name(field: &str, name: &str) -> Result<HeaderName> {
    let parsed = name.parse::<HeaderName>().map_err(|error| Error::invalid_body(field, error))?;
    let own = header::problem(name).filter(|_| !SECRET_HEADERS.contains(&parsed.as_str()));
    let is_of_body = BODY_HEADERS.contains(&parsed.as_str()).then_some("is set by the platform");
    match own.or(is_of_body) {
        Some(problem) => Err(Error::invalid_body(field, format_args!("{problem}; remove it"))),
        None => Ok(parsed),
    }
}

impl TimeoutsWire {
    fn read(self) -> Result<Timeouts> {
        let usual = Timeouts::default();
        let read = |name: &str, given: Option<u64>, usual: u64| match given.unwrap_or(usual) {
            ms @ 100..=600_000 => Ok(ms),
            _ => Err(Error::invalid_body(format!("timeouts.{name}"), "100 to 600000")),
        };
        Ok(Timeouts {
            first_byte_ms: read("first_byte_ms", self.first_byte_ms, usual.first_byte_ms)?,
            idle_ms: read("idle_ms", self.idle_ms, usual.idle_ms)?,
            total_ms: read("total_ms", self.total_ms, usual.total_ms)?,
        })
    }
}

impl From<Timeouts> for TimeoutsWire {
    fn from(Timeouts { first_byte_ms, idle_ms, total_ms }: Timeouts) -> Self {
        Self { first_byte_ms: Some(first_byte_ms), idle_ms: Some(idle_ms), total_ms: Some(total_ms) }
    }
}

impl From<ProviderKind> for KindWire {
    fn from(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::OpenAi => Self::OpenAi,
            ProviderKind::Anthropic => Self::Anthropic,
            ProviderKind::Gemini => Self::Gemini,
            ProviderKind::Bedrock => Self::Bedrock,
            ProviderKind::Dev => Self::Dev,
        }
    }
}

impl From<&Provider> for ProviderIn {
    fn from(provider: &Provider) -> Self {
        Self {
            name: provider.name.clone(),
            kind: provider.kind.into(),
            base_url: provider.base_url.clone(),
            api_key: None,
            auth_header: provider.auth_header.clone(),
            headers: Some(provider.headers.clone()),
            region: provider.region.clone(),
            timeouts: Some(provider.timeouts.into()),
        }
    }
}

/// A provider as operators see it.
#[derive(Serialize, ToSchema)]
#[schema(as = Provider)]
pub struct ProviderOut {
    name: String,
    kind: KindWire,
    #[schema(required)]
    base_url: Option<String>,
    #[schema(required)]
    api_key_last4: Option<String>,
    #[schema(required)]
    auth_header: Option<String>,
    headers: BTreeMap<String, String>,
    #[schema(required)]
    region: Option<String>,
    timeouts: TimeoutsWire,
    version: u64,
}

impl From<&Provider> for ProviderOut {
    fn from(provider: &Provider) -> Self {
        let Provider { name, kind, base_url, api_key: _, api_key_last4, auth_header, .. } = provider;
        let Provider { headers, region, timeouts, version, .. } = provider;
        Self {
            name: name.clone(),
            kind: (*kind).into(),
            base_url: base_url.clone(),
            api_key_last4: api_key_last4.clone(),
            auth_header: auth_header.clone(),
            headers: headers.clone(),
            region: region.clone(),
            timeouts: (*timeouts).into(),
            version: *version,
        }
    }
}
