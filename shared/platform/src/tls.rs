//! TLS for all outbound connections: rustls with the cryptography of ring.

use std::io;
use std::sync::{Arc, OnceLock};

use hyper_rustls::ConfigBuilderExt;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

/// Trusts the root certificates of the machine. An operator adds a private authority with `SSL_CERT_FILE`. The certificates are read
/// from disk once; without any, the next call tries again.
pub fn trusting_machine() -> io::Result<ClientConfig> {
    static READ: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = READ.get() {
        return Ok(config.clone());
    }
    let config = builder().with_native_roots()?.with_no_client_auth();
    Ok(READ.get_or_init(|| config).clone())
}

/// Trusts nobody: each connection fails.
pub fn trusting_nobody() -> ClientConfig {
    builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth()
}

pub fn builder() -> ConfigBuilder<ClientConfig, WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    builder.expect("ring supports the versions that are safe")
}
