//! The first operator of a deployed stack.

use domain::identity::{Account, Role};
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use shared::auth::{self, Claims};
use shared::config::{self, Config};
use shared::store::Identities;
use shared::{Context, aws::Aws};

use crate::failure::Failure;
use crate::seed::{default_plan, give_key};

/// Not an address of tokens: nobody else can become this operator.
const ISSUER: &str = "urn:atelier:bootstrap";

/// Makes the operator, and the plan that organizations begin on. The key is shown this once; when the operator
/// is there already, nothing is made and nothing shown.
pub async fn operator(entities_table: &str) -> Result<SecretToken, Failure> {
    let settings = [(config::TABLE_ENTITIES.to_owned(), entities_table.to_owned())];
    let context = Context { config: settings.into_iter().collect::<Config>(), aws: Aws::from_env() };
    let identities = Identities::new(&context)?;
    let first_seen = auth::first_seen(&Claims {
        issuer: ISSUER.to_owned(),
        subject: "operator".to_owned(),
        org: "platform".to_owned(),
        role: Role::Operator,
        name: Some("operator".to_owned()),
        email: None,
        issued_at: Time::now().as_seconds(),
    });
    let account = Account { org: first_seen.org.id, user: first_seen.user.id };
    if identities.find(account.org, account.user).await?.is_some() {
        let told = "the first operator was made before and its key shown then; an operator can make more keys";
        return Err(Failure::Said(told.to_owned()));
    }
    identities.add_plan(&default_plan()).await?;
    // The key first: when what follows fails, the next try makes another, and nobody is locked out.
    let secret = SecretToken::generate(TokenKind::ApiKey);
    give_key(&context, account, &secret).await?;
    identities.find_or_record(&first_seen).await?;
    Ok(secret)
}
