//! Request and response bodies of model providers, and their validation (SSRF protection, forbidden headers).

use std::collections::BTreeMap;

use axum::http::HeaderName;
use domain::body_problems::Problems;
use domain::mcp_server::TOOL_PROVIDER;
use domain::provider::{ProviderKind, Timeouts};
use domain::provider_preset::{PRESETS, find_preset};
use domain::{Error, Result};
use domain::{address, header, schema};
use outbound::Outbound;
use platform::secrets::Sealed;
use serde::{Deserialize, Serialize};
use store::catalog::StoredProvider;
use utoipa::ToSchema;

use super::{ApiKeyText, PlainName, check_public};

domain::text_schemas! {
    HeaderText(1, 1_000, schema::TITLE, "one line that is not blank");
}

pub type ProviderHeaders = schema::MapOf<HeaderText, 20>;

/// Headers that describe the body of a request or of its response. The platform sets them.
const BODY_HEADERS: [&str; 5] = ["accept", "accept-encoding", "content-encoding", "content-type", "range"];
/// Headers that carry credentials. Credentials belong in `api_key`, which is stored encrypted and never returned.
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

/// The settings of a provider. An update may contain any subset of the fields.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderIn {
    /// A well-known provider, such as `openai` or `ollama`. It fills in the name, the kind, the base URL and the header of
    /// the key, as far as they are not sent. Only for new providers.
    #[schema(example = "openai")]
    pub preset: Option<String>,
    /// The name of the provider. Letters, digits and `._-` are allowed. Required without a preset.
    #[schema(value_type = Option<PlainName>)]
    pub name: Option<String>,
    /// The API that the provider implements. Use `openai` also for vLLM, Ollama, TGI and Azure. Required without a preset.
    pub kind: Option<KindWire>,
    /// The base URL of the API. Defaults to the vendor's URL. For kind `openai`, paths such as `/chat/completions` are
    /// appended to it. For `anthropic` and `gemini`, `/v1` or `/v1beta` is added to a path without a version. A query
    /// string is kept. The address must be public or listed in `OUTBOUND_ALLOWED_CIDRS`.
    #[schema(example = "https://api.openai.com/v1")]
    pub base_url: Option<String>,
    /// The provider's API key. It is stored encrypted and never returned.
    #[serde(skip_serializing_if = "is_secret")]
    #[schema(write_only, value_type = Option<ApiKeyText>)]
    pub api_key: Option<String>,
    /// The header that carries the key. Defaults to the vendor's header. Headers that the platform sets, such as
    /// `Host`, are refused.
    pub auth_header: Option<String>,
    /// Additional headers for every request. Operators can read them, so put the API key in `api_key`. Headers that the
    /// platform sets, such as `Host`, `Content-Length` and `Accept`, are refused.
    #[schema(value_type = Option<ProviderHeaders>)]
    pub headers: Option<BTreeMap<String, String>>,
    /// The AWS region. Only for Bedrock.
    #[schema(value_type = Option<PlainName>)]
    pub region: Option<String>,
    /// The timeouts of calls to the provider.
    pub timeouts: Option<TimeoutsWire>,
}

fn missing(field: &str) -> Error {
    Error::invalid_body(field, "is missing; send it, or a preset")
}

/// Skips the key when the settings are serialized. `skip_serializing` would also remove it from the OpenAPI schema.
fn is_secret(_: &Option<String>) -> bool {
    true
}

/// The timeouts of calls to a provider, in milliseconds.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Timeouts)]
pub struct TimeoutsWire {
    /// The maximum time until a streamed answer begins. Defaults to 60000.
    #[schema(minimum = 100, maximum = 600000)]
    first_byte_ms: Option<u64>,
    /// The maximum time between two chunks of an answer. Defaults to 60000.
    #[schema(minimum = 100, maximum = 600000)]
    idle_ms: Option<u64>,
    /// The maximum time for the complete answer. Defaults to 600000.
    #[schema(minimum = 100, maximum = 600000)]
    total_ms: Option<u64>,
}

/// A change of a provider's API key: keep it, remove it or replace it.
pub enum KeyChange {
    Keep,
    Remove,
    Replace { sealed: Sealed, last4: String },
}

impl ProviderIn {
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The name, which is that of the preset if none was sent.
    pub fn name_or_preset(&self) -> Option<&str> {
        self.name.as_deref().or(self.preset.as_deref())
    }

    /// Fills in what the preset knows.
    pub fn with_preset(self) -> Result<Self> {
        let Some(id) = &self.preset else { return Ok(self) };
        let Some(preset) = find_preset(id) else {
            let known = PRESETS.map(|preset| preset.id).join(", ");
            return Err(Error::invalid_body("preset", format_args!("no such preset; use one of {known}")));
        };
        let base_url = self.base_url.or_else(|| preset.base_url.map(str::to_owned));
        if let (None, Some(example)) = (&base_url, preset.base_url_example) {
            let problem = format_args!("is missing; {} has one for each customer, such as {example}", preset.name);
            return Err(Error::invalid_body("base_url", problem));
        }
        Ok(Self {
            preset: None,
            name: self.name.or_else(|| Some(preset.id.to_owned())),
            kind: self.kind.or_else(|| Some(preset.kind.into())),
            auth_header: self.auth_header.or_else(|| preset.auth_header.map(str::to_owned)),
            base_url,
            ..self
        })
    }

    /// Validates the settings. `before` is the stored provider of an update.
    pub fn check(&self, before: Option<&StoredProvider>, outbound: &Outbound) -> Result<()> {
        let mut problems = Problems::default();
        if self.preset.is_some() {
            problems.add("preset", "only a new provider takes a preset; remove it");
        }
        problems.take(schema::check(self));
        if self.name.is_none() {
            problems.take(Err::<(), _>(missing("name")));
        }
        if self.kind.is_none() {
            problems.take(Err::<(), _>(missing("kind")));
        }
        if before.is_none() && self.name.as_deref() == Some(TOOL_PROVIDER) {
            problems.add("name", "this name is reserved for tools; choose another name");
        }
        if before.is_none_or(|before| before.base_url != self.base_url) {
            problems.take(self.check_base_url(outbound));
        }
        if let Some(key) = &self.api_key {
            problems.take(schema::check_text::<ApiKeyText>("api_key", key));
        }
        if let Some(name) = &self.auth_header {
            problems.take(check_header_name("auth_header", name));
        }
        for name in self.headers.iter().flat_map(BTreeMap::keys) {
            problems.take(check_header(&format!("headers.{name}"), name));
        }
        problems.finish()
    }

    pub fn take_api_key(&mut self) -> Option<String> {
        self.api_key.take()
    }

    /// Validates the settings and returns the provider. `before` is the stored provider of an update.
    pub fn read(
        self,
        before: Option<&StoredProvider>,
        key: &KeyChange,
        outbound: &Outbound,
        version: u64,
    ) -> Result<StoredProvider> {
        self.check(before, outbound)?;
        let (name, kind) = (self.name.ok_or_else(|| missing("name"))?, self.kind.ok_or_else(|| missing("kind"))?);
        let (api_key, api_key_last4) = match key {
            KeyChange::Keep => before.map_or((None, None), |it| (it.api_key.clone(), it.api_key_last4.clone())),
            KeyChange::Remove => (None, None),
            KeyChange::Replace { sealed, last4 } => (Some(sealed.clone()), Some(last4.clone())),
        };
        Ok(StoredProvider {
            name,
            kind: kind.into(),
            base_url: self.base_url,
            api_key,
            api_key_last4,
            auth_header: self.auth_header,
            headers: self.headers.unwrap_or_default(),
            region: self.region,
            timeouts: self.timeouts.map(Timeouts::from).unwrap_or_default(),
            version,
        })
    }
}

impl ProviderIn {
    fn check_base_url(&self, outbound: &Outbound) -> Result<()> {
        let Some(base_url) = &self.base_url else { return Ok(()) };
        address::check("base_url", base_url)?;
        // Bedrock is called through the AWS SDK, and its endpoint may be in the operator's private network.
        match self.kind {
            Some(KindWire::Bedrock) => Ok(()),
            _ => check_public("base_url", base_url, outbound),
        }
    }
}

fn check_header(field: &str, name: &str) -> Result<()> {
    let parsed = check_header_name(field, name)?;
    if SECRET_HEADERS.contains(&parsed.as_str()) {
        let problem = "this header carries credentials; use `api_key` and `auth_header` instead";
        return Err(Error::invalid_body(field, problem));
    }
    Ok(())
}

/// Refuses headers that control the transport, the destination or the body of a request (request smuggling).
fn check_header_name(field: &str, name: &str) -> Result<HeaderName> {
    let parsed = name.parse::<HeaderName>().map_err(|error| Error::invalid_body(field, error))?;
    let own = header::problem(name).filter(|_| !SECRET_HEADERS.contains(&parsed.as_str()));
    let is_of_body = BODY_HEADERS.contains(&parsed.as_str()).then_some(header::SET_BY_PLATFORM);
    match own.or(is_of_body) {
        Some(problem) => Err(Error::invalid_body(field, format_args!("{}; remove it", problem.en))),
        None => Ok(parsed),
    }
}

impl From<TimeoutsWire> for Timeouts {
    fn from(TimeoutsWire { first_byte_ms, idle_ms, total_ms }: TimeoutsWire) -> Self {
        let usual = Self::default();
        Self {
            first_byte_ms: first_byte_ms.unwrap_or(usual.first_byte_ms),
            idle_ms: idle_ms.unwrap_or(usual.idle_ms),
            total_ms: total_ms.unwrap_or(usual.total_ms),
        }
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

impl From<KindWire> for ProviderKind {
    fn from(kind: KindWire) -> Self {
        match kind {
            KindWire::OpenAi => Self::OpenAi,
            KindWire::Anthropic => Self::Anthropic,
            KindWire::Gemini => Self::Gemini,
            KindWire::Bedrock => Self::Bedrock,
            KindWire::Dev => Self::Dev,
        }
    }
}

impl From<&StoredProvider> for ProviderIn {
    fn from(provider: &StoredProvider) -> Self {
        Self {
            preset: None,
            name: Some(provider.name.clone()),
            kind: Some(provider.kind.into()),
            base_url: provider.base_url.clone(),
            api_key: None,
            auth_header: provider.auth_header.clone(),
            headers: Some(provider.headers.clone()),
            region: provider.region.clone(),
            timeouts: Some(provider.timeouts.into()),
        }
    }
}

/// A provider without its API key.
#[derive(Serialize, ToSchema)]
#[schema(as = Provider)]
pub struct ProviderOut {
    name: String,
    kind: KindWire,
    #[schema(required)]
    base_url: Option<String>,
    /// The last characters of the API key, at most 4. Null if there is no key.
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

impl From<&StoredProvider> for ProviderOut {
    fn from(provider: &StoredProvider) -> Self {
        let StoredProvider { name, kind, base_url, api_key: _, api_key_last4, auth_header, .. } = provider;
        let StoredProvider { headers, region, timeouts, version, .. } = provider;
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
