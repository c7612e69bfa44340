//! The client of the API server: TLS and the login.
//!
//! `kube` can create a client from a kubeconfig. That client also reads YAML and runs plugins, which no function does, and makes
//! the binary 0.8 MB larger.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::workbench::{ClusterAccess, ClusterLogin};
use domain::{Error, Result};
use http::header::AUTHORIZATION;
use http::uri::Scheme;
use http::{HeaderValue, Request, Uri};
use hyper_rustls::{ConfigBuilderExt, FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use kube::Client;
use kube::client::Body;
use kube::client::middleware::BaseUriLayer;
use platform::tls;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tower::{Layer, ServiceExt};

/// Creates a client, which never repeats a call: the next step repeats it.
pub fn new_client(access: &ClusterAccess) -> Result<Client> {
    let server: Uri = access.server.parse().map_err(|error| invalid("URL", error))?;
    if server.scheme() != Some(&Scheme::HTTPS) {
        return Err(invalid("URL", format!("it must begin with https://: {server}")));
    }
    let connector = HttpsConnectorBuilder::new().with_tls_config(configure_tls(access)?).https_only();
    let connector = match &access.tls_server_name {
        Some(name) => {
            let name = ServerName::try_from(name.clone()).map_err(|error| invalid("server name", error))?;
            connector.with_server_name_resolver(FixedServerNameResolver::new(name))
        }
        None => connector,
    };
    let http = legacy::Client::builder(TokioExecutor::new()).build::<_, Body>(connector.enable_http1().build());
    let login = match &access.login {
        ClusterLogin::Token(token) => {
            let header = HeaderValue::try_from(format!("Bearer {token}"));
            let mut header = header.map_err(|_| invalid("token", "it has characters that no header may have"))?;
            header.set_sensitive(true);
            Some(header)
        }
        ClusterLogin::ClientCertificate { .. } => None,
    };
    let service = http.map_request(move |mut request: Request<Body>| {
        if let Some(login) = &login {
            request.headers_mut().insert(AUTHORIZATION, login.clone());
        }
        request
    });
    Ok(Client::new(BaseUriLayer::new(server).layer(service), "default"))
}

fn configure_tls(access: &ClusterAccess) -> Result<ClientConfig> {
    let config = tls::builder();
    let config = match &access.certificate_authority {
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates("certificate authority", authority)? {
                roots.add(certificate).map_err(|error| invalid("certificate authority", error))?;
            }
            config.with_root_certificates(roots)
        }
        None => config.with_native_roots().map_err(Error::internal)?,
    };
    match &access.login {
        ClusterLogin::Token(_) => Ok(config.with_no_client_auth()),
        ClusterLogin::ClientCertificate { certificate, key } => {
            let chain = certificates("client certificate", certificate)?;
            let key = PrivateKeyDer::from_pem_slice(&decode("client key", key)?);
            let key = key.map_err(|error| invalid("client key", error))?;
            config.with_client_auth_cert(chain, key).map_err(|error| invalid("client certificate", error))
        }
    }
}

/// The certificates in a text of PEM in base64, at least one.
fn certificates(part: &str, encoded: &str) -> Result<Vec<CertificateDer<'static>>> {
    let pem = decode(part, encoded)?;
    let found: Vec<_> =
        CertificateDer::pem_slice_iter(&pem).collect::<Result<_, _>>().map_err(|error| invalid(part, error))?;
    if found.is_empty() { Err(invalid(part, "it contains no certificate")) } else { Ok(found) }
}

fn decode(part: &str, encoded: &str) -> Result<Vec<u8>> {
    STANDARD.decode(encoded).map_err(|error| invalid(part, error))
}

fn invalid(part: &str, problem: impl std::fmt::Display) -> Error {
    Error::internal(format!("the {part} of the cluster is invalid: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(change: impl FnOnce(&mut ClusterAccess)) -> String {
        let mut access = ClusterAccess {
            server: "https://cluster.test".to_owned(),
            certificate_authority: None,
            tls_server_name: None,
            login: ClusterLogin::Token("secret".to_owned()),
        };
        change(&mut access);
        format!("{:?}", new_client(&access).err().expect("the access is invalid"))
    }

    #[test]
    fn an_error_names_the_part_that_is_wrong() {
        let empty = STANDARD.encode("-----BEGIN NOTHING-----\n-----END NOTHING-----\n");
        let certificate = ClusterLogin::ClientCertificate { certificate: empty.clone(), key: empty.clone() };
        for (problem, expected) in [
            (problem(|access| access.server = "http://cluster.test".to_owned()), "must begin with https://"),
            (problem(|access| access.certificate_authority = Some(empty)), "the certificate authority of the cluster"),
            (problem(|access| access.tls_server_name = Some("a b".to_owned())), "the server name of the cluster"),
            (problem(|access| access.login = ClusterLogin::Token("a\nb".to_owned())), "the token of the cluster"),
            (problem(|access| access.login = certificate), "the client certificate of the cluster"),
        ] {
            assert!(problem.contains(expected), "{problem}");
            assert!(!problem.contains("a\\nb"), "{problem}");
        }
    }
}
