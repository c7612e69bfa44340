//! Connection settings of a provider, with decrypted credentials.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use domain::provider::{DeploymentDialect, ProviderKind, Timeouts};
use domain::{Error, Result};
use platform::secrets::Secrets;
use store::catalog;

/// A provider of the catalog with its decrypted secrets. It does not implement `Debug`, so that it cannot be logged.
pub struct ProviderSettings {
    pub name: String,
    pub kind: ProviderKind,
    /// The dialect of the deployment that is called, if the kind has more than one.
    pub dialect: DeploymentDialect,
    /// The base URL, if it is not the vendor's default. A query string in it is kept (`?api-version=…`).
    pub base_url: Option<String>,
    pub api_key: Option<Zeroizing<String>>,
    /// The header for the API key, if it is not the default of the kind, such as `api-key` for Azure.
    pub auth_header: Option<String>,
    pub headers: BTreeMap<String, String>,
    /// The AWS region of Bedrock, if it is not the platform's region.
    pub region: Option<String>,
    pub timeouts: Timeouts,
}

impl ProviderSettings {
    pub fn new(name: impl Into<String>, kind: ProviderKind) -> Self {
        Self {
            name: name.into(),
            kind,
            dialect: DeploymentDialect::default(),
            base_url: None,
            api_key: None,
            auth_header: None,
            headers: BTreeMap::new(),
            region: None,
            timeouts: Timeouts::default(),
        }
    }
}

impl ProviderSettings {
    /// Reads the settings of a catalog provider and decrypts its API key.
    pub async fn open(provider: &catalog::StoredProvider, secrets: &Secrets) -> Result<Self> {
        let api_key = match &provider.api_key {
            None => None,
            Some(sealed) => {
                let opened = secrets.open(&catalog::StoredProvider::sealed_for(&provider.name), sealed).await?;
                let text = std::str::from_utf8(&opened).map_err(Error::internal)?;
                Some(Zeroizing::new(text.to_owned()))
            }
        };
        Ok(Self {
            name: provider.name.clone(),
            kind: provider.kind,
            dialect: DeploymentDialect::default(),
            base_url: provider.base_url.clone(),
            api_key,
            auth_header: provider.auth_header.clone(),
            headers: provider.headers.clone(),
            region: provider.region.clone(),
            timeouts: provider.timeouts,
        })
    }
}
