//! The access to a Kubernetes cluster, as a kubeconfig describes it. A function has no files and no programs, so everything must
//! be in the kubeconfig itself.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Result, address};

/// The API server of a cluster, and how the platform authenticates there. It contains secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterAccess {
    /// It begins with `https://`.
    pub server: String,
    /// PEM in base64. None: the certificate of the server is checked against the authorities of the system.
    pub certificate_authority: Option<String>,
    pub tls_server_name: Option<String>,
    pub login: ClusterLogin,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterLogin {
    Token(String),
    /// PEM in base64.
    ClientCertificate {
        certificate: String,
        key: String,
    },
}

/// The name of a login, without its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterLoginType {
    Token,
    ClientCertificate,
}

/// Without its secrets.
impl fmt::Debug for ClusterLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.r#type().fmt(f)
    }
}

impl ClusterLogin {
    pub fn r#type(&self) -> ClusterLoginType {
        match self {
            Self::Token(_) => ClusterLoginType::Token,
            Self::ClientCertificate { .. } => ClusterLoginType::ClientCertificate,
        }
    }
}

const MAX_TEXT_CHARS: usize = 64 * 1024;

/// The fields of a cluster that are refused, and what to do instead.
const CLUSTER_FIELDS: [(&str, &str); 3] = [
    ("certificate-authority", "is the path of a file; send its contents as certificate-authority-data"),
    (
        "insecure-skip-tls-verify",
        "the certificate of the cluster must be checked; send certificate-authority-data instead",
    ),
    ("proxy-url", "proxies are not supported; use a server that the platform reaches directly"),
];

const NEEDS_TOKEN: &str = "create a token of a service account, and send it as token";

/// The fields of a user that are refused, and what to do instead.
const USER_FIELDS: [(&str, &str); 10] = [
    ("exec", "runs a program, and the platform has none;"),
    ("auth-provider", "runs a plugin, and the platform has none;"),
    ("tokenFile", "is the path of a file;"),
    ("username", "passwords are not supported;"),
    ("password", "passwords are not supported;"),
    ("as", "impersonation is not supported;"),
    ("as-uid", "impersonation is not supported;"),
    ("as-groups", "impersonation is not supported;"),
    ("as-user-extra", "impersonation is not supported;"),
    ("impersonate", "impersonation is not supported;"),
];

const USER_FILES: [(&str, &str); 2] = [
    ("client-certificate", "is the path of a file; send its contents as client-certificate-data"),
    ("client-key", "is the path of a file; send its contents as client-key-data"),
];

impl ClusterAccess {
    /// Reads the current context of a kubeconfig in JSON, as `kubectl config view --raw --minify --flatten -o json` prints it.
    pub fn from_kubeconfig(kubeconfig: &Value) -> Result<Self> {
        let context = find_named(kubeconfig, "contexts", "context", "current-context", kubeconfig)?;
        let cluster = find_named(kubeconfig, "clusters", "cluster", "cluster", context)?;
        let user = find_named(kubeconfig, "users", "user", "user", context)?;

        refuse(cluster, "cluster", CLUSTER_FIELDS.map(|(name, advice)| (name, advice.to_owned())))?;
        refuse(user, "user", USER_FIELDS.map(|(name, problem)| (name, format!("{problem} {NEEDS_TOKEN}"))))?;
        refuse(user, "user", USER_FILES.map(|(name, advice)| (name, advice.to_owned())))?;

        let server = text(cluster, "cluster", "server")?;
        let server =
            server.ok_or_else(|| Error::invalid_body("cluster.server", "missing; send the URL of the API server"))?;
        if !server.starts_with("https://") {
            return Err(Error::invalid_body("cluster.server", "must begin with https://"));
        }
        address::check("cluster.server", &server)?;
        Ok(Self {
            server,
            certificate_authority: pem(cluster, "cluster", "certificate-authority-data")?,
            tls_server_name: text(cluster, "cluster", "tls-server-name")?,
            login: read_login(user)?,
        })
    }
}

fn read_login(user: &Value) -> Result<ClusterLogin> {
    let token = text(user, "user", "token")?;
    let certificate = pem(user, "user", "client-certificate-data")?;
    let key = pem(user, "user", "client-key-data")?;
    match (token, certificate, key) {
        (Some(token), None, None) if token.bytes().all(|c| c.is_ascii_graphic()) => Ok(ClusterLogin::Token(token)),
        (Some(_), None, None) => Err(Error::invalid_body("user.token", "must consist of visible ASCII characters")),
        (None, Some(certificate), Some(key)) => Ok(ClusterLogin::ClientCertificate { certificate, key }),
        _ => {
            let problem = "send either token, or client-certificate-data with client-key-data";
            Err(Error::invalid_body("user", problem))
        }
    }
}

/// The object in a list of the kubeconfig that a reference names.
fn find_named<'a>(kubeconfig: &'a Value, list: &str, field: &str, reference: &str, of: &Value) -> Result<&'a Value> {
    let name = of[reference].as_str().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::invalid_body(reference, format!("missing; name one of {list}")))?;
    let entries = kubeconfig[list].as_array().into_iter().flatten();
    let found = entries.into_iter().find(|entry| entry["name"] == name).map(|entry| &entry[field]);
    let found = found.filter(|found| found.is_object());
    found.ok_or_else(|| Error::invalid_body(list, format!("no entry has the name that {reference} contains")))
}

fn refuse<const N: usize>(of: &Value, path: &str, refused: [(&str, String); N]) -> Result<()> {
    let fields: Option<&Map<String, Value>> = of.as_object();
    for (name, problem) in refused {
        let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && *value != "";
        if fields.and_then(|fields| fields.get(name)).is_some_and(is_set) {
            return Err(Error::invalid_body(format!("{path}.{name}"), problem));
        }
    }
    Ok(())
}

fn text(of: &Value, path: &str, name: &str) -> Result<Option<String>> {
    match &of[name] {
        Value::Null => Ok(None),
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) if text.len() <= MAX_TEXT_CHARS => Ok(Some(text.clone())),
        Value::String(_) => {
            Err(Error::invalid_body(format!("{path}.{name}"), format!("at most {MAX_TEXT_CHARS} characters")))
        }
        _ => Err(Error::invalid_body(format!("{path}.{name}"), "must be a string")),
    }
}

/// A certificate or a key: PEM in base64.
fn pem(of: &Value, path: &str, name: &str) -> Result<Option<String>> {
    let Some(encoded) = text(of, path, name)? else { return Ok(None) };
    let is_pem = STANDARD.decode(&encoded).is_ok_and(|decoded| decoded.starts_with(b"-----BEGIN "));
    if is_pem { Ok(Some(encoded)) } else { Err(Error::invalid_body(format!("{path}.{name}"), "must be PEM in base64")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A kubeconfig with these fields of its cluster and of its user.
    fn kubeconfig(cluster: Value, user: Value) -> Value {
        let mut cluster_fields = json!({"server": "https://10.0.0.1:6443"});
        cluster_fields.as_object_mut().unwrap().extend(cluster.as_object().unwrap().clone());
        json!({
            "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": "labs",
            "clusters": [{"name": "other", "cluster": {"server": "https://other.test"}}, {"name": "labs", "cluster": cluster_fields}],
            "users": [{"name": "platform", "user": user}],
            "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform", "namespace": "default"}}],
        })
    }

    fn problem(kubeconfig: &Value) -> String {
        match ClusterAccess::from_kubeconfig(kubeconfig) {
            Err(Error::InvalidBody { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_current_context_is_read() {
        let pem = STANDARD.encode("-----BEGIN CERTIFICATE-----");
        let cluster = json!({"certificate-authority-data": pem, "tls-server-name": "labs.test", "extensions": []});
        let access = ClusterAccess::from_kubeconfig(&kubeconfig(cluster, json!({"token": "secret"}))).unwrap();
        let expected = ClusterAccess {
            server: "https://10.0.0.1:6443".to_owned(),
            certificate_authority: Some(pem.clone()),
            tls_server_name: Some("labs.test".to_owned()),
            login: ClusterLogin::Token("secret".to_owned()),
        };
        assert_eq!(access, expected);
        assert!(!format!("{access:?}").contains("secret"));
        let certificate = json!({"client-certificate-data": pem, "client-key-data": pem});
        let access = ClusterAccess::from_kubeconfig(&kubeconfig(json!({}), certificate)).unwrap();
        assert_eq!(access.login, ClusterLogin::ClientCertificate { certificate: pem.clone(), key: pem });
    }

    #[test]
    fn what_a_function_cannot_use_is_refused_with_what_to_send_instead() {
        let token = json!({"token": "secret"});
        for (field, value, advice) in [
            ("certificate-authority", json!("/etc/ca.pem"), "send its contents as certificate-authority-data"),
            ("insecure-skip-tls-verify", json!(true), "must be checked"),
            ("proxy-url", json!("http://proxy.test"), "proxies are not supported"),
            ("server", json!("http://10.0.0.1"), "must begin with https://"),
            ("server", json!(1), "must be a string"),
            ("certificate-authority-data", json!("not base64"), "must be PEM in base64"),
        ] {
            let problem = problem(&kubeconfig(json!({ field: value }), token.clone()));
            assert!(problem.starts_with(&format!("cluster.{field}: ")) && problem.contains(advice), "{problem}");
        }
        for (field, value, advice) in [
            ("exec", json!({"command": "aws"}), "token of a service account"),
            ("auth-provider", json!({"name": "gcp"}), "token of a service account"),
            ("tokenFile", json!("/var/token"), "token of a service account"),
            ("password", json!("secret"), "passwords are not supported"),
            ("as", json!("admin"), "impersonation is not supported"),
            ("client-certificate", json!("/a.pem"), "send its contents as client-certificate-data"),
            ("client-key", json!("/a.pem"), "send its contents as client-key-data"),
            ("token", json!("two words"), "visible ASCII"),
        ] {
            let mut user = json!({"token": "secret"});
            user[field] = value;
            let problem = problem(&kubeconfig(json!({}), user));
            assert!(problem.starts_with(&format!("user.{field}: ")) && problem.contains(advice), "{problem}");
        }
        assert!(problem(&kubeconfig(json!({}), json!({}))).contains("either token, or client-certificate-data"));
        assert!(ClusterAccess::from_kubeconfig(&kubeconfig(json!({"insecure-skip-tls-verify": false}), token)).is_ok());
    }

    #[test]
    fn an_incomplete_kubeconfig_names_what_is_missing() {
        let complete = kubeconfig(json!({}), json!({"token": "secret"}));
        for (field, expected) in [
            ("current-context", "current-context: missing"),
            ("contexts", "contexts: "),
            ("clusters", "clusters: "),
            ("users", "users: "),
        ] {
            let mut incomplete = complete.clone();
            incomplete.as_object_mut().unwrap().remove(field);
            let problem = problem(&incomplete);
            assert!(problem.starts_with(expected), "{problem}");
        }
        for other in [json!(null), json!([]), json!("apiVersion: v1")] {
            assert!(problem(&other).starts_with("current-context: missing"));
        }
    }
}
