//! The services whose OAuth clients the operator has configured, so that users need no client of their own. The setting is
//! JSON: for each service, the fields of a credential of type `oauth2_authorization_code`. The endpoints of the services in
//! `known` may be left out.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::OauthClient;
use crate::address;
use crate::credential::{ClientAuthentication, Credential};

/// The clients of the operator, by service.
#[derive(Clone, Default)]
pub struct OauthServices(BTreeMap<String, Client>);

/// Where users permit the access of a credential, and with which client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthProvider {
    pub authorization_url: String,
    pub token_url: String,
    pub revocation_url: Option<String>,
    pub client: OauthClient,
    pub scope: Option<String>,
    /// Further parameters of the authorization URL.
    pub parameters: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Client {
    client_id: String,
    client_secret: Option<String>,
    authorization_url: Option<String>,
    token_url: Option<String>,
    revocation_url: Option<String>,
    scope: Option<String>,
    authorization_parameters: Option<BTreeMap<String, String>>,
    client_authentication: Option<ClientAuthentication>,
}

/// The endpoints of a service that many operators configure.
struct Known {
    authorization_url: &'static str,
    token_url: &'static str,
    revocation_url: Option<&'static str>,
    parameters: &'static [(&'static str, &'static str)],
}

fn known(service: &str) -> Option<Known> {
    Some(match service {
        "google" => Known {
            authorization_url: "https://accounts.google.com/o/oauth2/v2/auth",
            token_url: "https://oauth2.googleapis.com/token",
            revocation_url: Some("https://oauth2.googleapis.com/revoke"),
            // Without them, Google grants a refresh token only at the first consent, or none.
            parameters: &[("access_type", "offline"), ("prompt", "consent")],
        },
        "microsoft" => Known {
            authorization_url: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
            token_url: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
            revocation_url: None,
            parameters: &[],
        },
        "github" => Known {
            authorization_url: "https://github.com/login/oauth/authorize",
            token_url: "https://github.com/login/oauth/access_token",
            revocation_url: None,
            parameters: &[],
        },
        _ => return None,
    })
}

impl OauthServices {
    /// Reads the setting. The error never quotes it, because it contains secrets.
    pub fn read(setting: &str) -> Result<Self, String> {
        if setting.trim().is_empty() {
            return Ok(Self::default());
        }
        let read: BTreeMap<String, Client> = serde_json::from_str(setting).map_err(|error| {
            format!("line {}, column {}: not an object of services and their clients", error.line(), error.column())
        })?;
        let services = Self(read);
        for name in services.names() {
            let provider = services.find(name).ok_or_else(|| format!("{name}: set authorizationUrl and tokenUrl"))?;
            let urls = [Some(&provider.authorization_url), Some(&provider.token_url), provider.revocation_url.as_ref()];
            if let Some(problem) = urls.into_iter().flatten().find_map(|url| address::problem(url)) {
                return Err(format!("{name}: a URL {}", problem.en));
            }
            if provider.client.id.is_empty() {
                return Err(format!("{name}: clientId is empty"));
            }
        }
        Ok(services)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn find(&self, service: &str) -> Option<OauthProvider> {
        let (client, known) = (self.0.get(service)?, known(service));
        let endpoint = |set: &Option<String>, known: Option<&str>| set.clone().or_else(|| known.map(str::to_owned));
        let parameters = match &client.authorization_parameters {
            Some(parameters) => parameters.clone(),
            None => {
                known.iter().flat_map(|known| known.parameters).map(|&(k, v)| (k.to_owned(), v.to_owned())).collect()
            }
        };
        Some(OauthProvider {
            authorization_url: endpoint(&client.authorization_url, known.as_ref().map(|it| it.authorization_url))?,
            token_url: endpoint(&client.token_url, known.as_ref().map(|it| it.token_url))?,
            revocation_url: endpoint(&client.revocation_url, known.as_ref().and_then(|it| it.revocation_url)),
            client: new_client(&client.client_id, client.client_secret.as_deref(), client.client_authentication),
            scope: client.scope.clone(),
            parameters,
        })
    }

    /// The provider of a credential. `None` if the credential has another type, or names a service without a client.
    pub fn provider_of(&self, credential: &Credential) -> Option<OauthProvider> {
        let Credential::Oauth2AuthorizationCode {
            service,
            authorization_url,
            token_url,
            revocation_url,
            client_id,
            client_secret,
            scope,
            authorization_parameters,
            client_authentication,
        } = credential
        else {
            return None;
        };
        let mut provider = match service {
            Some(service) => self.find(service)?,
            None => OauthProvider {
                authorization_url: authorization_url.clone()?,
                token_url: token_url.clone()?,
                revocation_url: revocation_url.clone(),
                client: new_client(client_id.as_deref()?, client_secret.as_deref(), *client_authentication),
                scope: None,
                parameters: BTreeMap::new(),
            },
        };
        let scope = scope.clone().filter(|scope| !scope.is_empty());
        provider.scope = scope.or(provider.scope);
        provider.parameters.extend(authorization_parameters.clone().unwrap_or_default());
        Some(provider)
    }
}

fn new_client(id: &str, secret: Option<&str>, authentication: Option<ClientAuthentication>) -> OauthClient {
    let posts_secret = authentication == Some(ClientAuthentication::Body);
    OauthClient { id: id.to_owned(), secret: secret.map(str::to_owned), posts_secret }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_service(service: &str) -> Credential {
        serde_json::from_value(serde_json::json!({"type": "oauth2_authorization_code", "service": service})).unwrap()
    }

    #[test]
    fn the_endpoints_of_a_known_service_may_be_left_out() {
        let services = OauthServices::read(r#"{"google": {"clientId": "c", "clientSecret": "s", "scope": "email"}}"#);
        let services = services.unwrap_or_else(|problem| panic!("{problem}"));
        let provider = services.provider_of(&of_service("google")).unwrap();
        assert_eq!(provider.token_url, "https://oauth2.googleapis.com/token");
        assert_eq!((provider.scope.as_deref(), &*provider.parameters["access_type"]), (Some("email"), "offline"));
        assert_eq!(services.provider_of(&of_service("github")), None);
    }

    #[test]
    fn a_wrong_setting_is_refused_without_its_secrets() {
        for (wrong, expected) in [
            (r#"{"crm": {"clientId": "c", "clientSecret": "s3cret"}}"#, "crm: set authorizationUrl and tokenUrl"),
            (r#"{"github": {"clientId": "", "clientSecret": "s3cret"}}"#, "github: clientId is empty"),
            (r#"{"github": {"clientId": "c", "secret": "s3cret"}}"#, "line 1, column 37: not an object of services"),
            (r#"{"github": {"clientId": "c", "tokenUrl": "file:///s3cret"}}"#, "github: a URL must be a valid URL"),
            ("s3cret", "line 1, column 1: not an object of services"),
        ] {
            let problem = OauthServices::read(wrong).err().unwrap();
            assert!(problem.starts_with(expected) && !problem.contains("s3cret"), "{problem}");
        }
    }
}
