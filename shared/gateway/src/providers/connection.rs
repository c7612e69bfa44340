//! The choice of the adapter for a provider.

use std::sync::Arc;

use super::anthropic::Anthropic;
use super::bedrock::Bedrock;
use super::dev::Dev;
use super::gemini::Gemini;
use super::openai::OpenAi;
use super::{Provider, ProviderSettings};
use domain::Result;
use domain::provider::ProviderKind;
use outbound::Outbound;
use platform::aws::Aws;

/// Creates the client of a provider. It sends nothing yet.
pub fn connect(settings: &ProviderSettings, outbound: &Outbound, aws: &Aws) -> Result<Arc<dyn Provider>> {
    Ok(match settings.kind {
        ProviderKind::OpenAi => Arc::new(OpenAi::new(settings, outbound)?),
        ProviderKind::Anthropic => Arc::new(Anthropic::new(settings, outbound)?),
        ProviderKind::Dev => Arc::new(Dev),
        ProviderKind::Gemini => Arc::new(Gemini::new(settings, outbound)?),
        ProviderKind::Bedrock => Arc::new(Bedrock::new(settings, outbound, aws)),
    })
}
