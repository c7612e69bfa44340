//! Validates credentials of type `oauth2_authorization_code`.

use super::Credential;
use crate::{Error, Result, address};

/// The parameters of an authorization URL that the platform sets.
const OWN_PARAMETERS: [&str; 8] = [
    "response_type",
    "response_mode",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
];

pub(super) fn check(credential: &Credential) -> Result<()> {
    let Credential::Oauth2AuthorizationCode {
        service,
        authorization_url,
        token_url,
        revocation_url,
        client_id,
        client_secret,
        authorization_parameters,
        client_authentication,
        ..
    } = credential
    else {
        return Ok(());
    };
    let required = [("authorizationUrl", authorization_url), ("tokenUrl", token_url), ("clientId", client_id)];
    if service.is_some() {
        let optional = [("revocationUrl", revocation_url), ("clientSecret", client_secret)];
        let given = required.into_iter().chain(optional).find(|(_, value)| value.is_some()).map(|(field, _)| field);
        let given = given.or(client_authentication.map(|_| "clientAuthentication"));
        if let Some(field) = given {
            return Err(Error::invalid_body(field, "belongs to a client of your own; remove it, or `service`"));
        }
    } else {
        let missing: Vec<_> = required.iter().filter(|(_, value)| value.is_none()).map(|(field, _)| *field).collect();
        if !missing.is_empty() {
            let problem = if missing.len() == 1 { "is required" } else { "are required" };
            return Err(Error::invalid_body(missing.join(", "), format!("{problem}, or `service`")));
        }
    }
    let urls = [("authorizationUrl", authorization_url), ("tokenUrl", token_url), ("revocationUrl", revocation_url)];
    for (field, url) in urls {
        url.as_ref().map_or(Ok(()), |url| address::check(field, url))?;
    }
    for name in authorization_parameters.iter().flat_map(|parameters| parameters.keys()) {
        let field = "authorizationParameters";
        if OWN_PARAMETERS.contains(&name.as_str()) {
            return Err(Error::invalid_body(field, format!("`{name}` is set by the platform; remove it")));
        }
        if name.is_empty() || name.len() > 100 || !name.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(Error::invalid_body(field, "a name has 1 to 100 visible ASCII characters"));
        }
    }
    Ok(())
}
