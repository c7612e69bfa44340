//! Creates the first operator of a deployed stack, with an API key.

use auth::{self, TokenClaims};
use domain::identity::{Account, Role};
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use platform::Context;
use platform::aws::Aws;
use platform::config::{self, Config};
use store::Identities;

use crate::failure::Failure;
use crate::seed::{default_plan, store_key};

/// No issuer of access tokens has this name, so no token can act as this operator.
const ISSUER: &str = "urn:atelier:bootstrap";

/// Creates the operator and the default plan of organizations, and returns the operator's API key. If the operator
/// exists already, the call fails and changes nothing.
pub async fn create_operator(entities_table: &str) -> Result<SecretToken, Failure> {
    let settings = [(config::TABLE_ENTITIES.to_owned(), entities_table.to_owned())];
    let context = Context::new(settings.into_iter().collect::<Config>(), Aws::from_env());
    let identities = Identities::new(&context)?;
    let now = Time::now();
    let claims = TokenClaims {
        issuer: ISSUER.to_owned(),
        subject: "operator".to_owned(),
        org: "platform".to_owned(),
        role: Role::Operator,
        name: Some("operator".to_owned()),
        email: None,
        issued_at: now.as_seconds(),
    };
    let first_seen = auth::first_seen(&claims, now);
    let account = Account { org: first_seen.org.id, user: first_seen.user.id };
    if identities.find(account.org, account.user).await?.is_some() {
        let message = "the first operator exists already, and its key was shown then; use that key to create more keys";
        return Err(Failure::Other(message.to_owned()));
    }
    identities.add_plan(&default_plan()).await?;
    // The key is stored before the operator. If storing the operator fails, the next attempt creates another key;
    // in the other order, an operator without a key would remain.
    let secret = SecretToken::generate(TokenKind::ApiKey);
    store_key(&context, account, &secret).await?;
    identities.find_or_record(&first_seen).await?;
    Ok(secret)
}
