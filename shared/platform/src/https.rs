//! The HTTP client of all AWS clients of a process.

use std::sync::Once;

use aws_smithy_http_client::{Builder, tls};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector};
use aws_smithy_runtime_api::client::runtime_components::{RuntimeComponents, RuntimeComponentsBuilder};
use aws_smithy_types::config_bag::ConfigBag;

pub const TLS: tls::Provider = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);

pub fn https() -> SharedHttpClient {
    SharedHttpClient::new(LoadedOnce { http: Builder::new().tls_provider(TLS).build_https(), loaded: Once::new() })
}

/// Reads the trusted certificates when the first AWS client is made, so that no call has to wait for it. The SDK's client would read
/// them again for each AWS client, and a function makes dozens, which share one pool of connections: that took most of its start.
#[derive(Debug)]
struct LoadedOnce {
    http: SharedHttpClient,
    loaded: Once,
}

impl HttpClient for LoadedOnce {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        self.http.http_connector(settings, components)
    }

    fn validate_base_client_config(
        &self,
        components: &RuntimeComponentsBuilder,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        let mut outcome = Ok(());
        self.loaded.call_once(|| outcome = self.http.validate_base_client_config(components, config));
        outcome
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.http.connector_metadata()
    }
}
