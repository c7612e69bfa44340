//! Service accounts, which authenticate with a token instead of a login.

use domain::scope::{Scope, ScopeArea};
use domain::sharing::Shareable;
use domain::token::{SecretToken, TokenKind};
use domain::{Error, Refusal, Result};
use store::callers::Held;
use store::sharing::StoredAccess;

use super::{Auth, Caller, admit, refused};

/// What a request needs of the scopes of a token.
#[derive(Clone, Copy, Debug)]
pub enum NeededScope {
    /// `is_safe`: the request changes nothing.
    Of { area: ScopeArea, is_safe: bool },
    /// Any scope: the route makes requests for its caller, which need theirs.
    Any,
}

impl Auth {
    /// The service account with this token, and what it may do with something. `needed` is none on routes that no service account
    /// may use.
    pub async fn service_caller(
        &self,
        secret: &str,
        needed: Option<NeededScope>,
        what: Option<Shareable>,
    ) -> Result<(Caller, Option<StoredAccess>)> {
        let unknown = |why| refused(Refusal::Unknown, why);
        let token = SecretToken::parse(TokenKind::Service, secret);
        let hash = token.ok_or_else(|| unknown("not in the format of a service token"))?.hash();
        let found = self.callers.find_service_token(&hash, what).await?;
        let Held { credential: token, holder, access } = found.ok_or_else(|| unknown("no such service token"))?;
        let now = self.clock.now();
        if !token.is_valid(now) {
            return Err(unknown("the service token has expired"));
        }
        let holder = holder.ok_or_else(|| unknown("the service account is not a member of the organization"))?;
        let caller = admit(holder, now)?;
        if let NeededScope::Of { area, is_safe } = needed.ok_or_else(persons_only)?
            && !Scope::allow(&token.scopes, area, is_safe)
        {
            return Err(missing_scope(Scope::needed(area, is_safe)));
        }
        self.service_tokens.record_use(&token, &hash, now).await?;
        Ok((caller, access))
    }
}

/// The refusal of a service account on a route for persons.
fn persons_only() -> Error {
    let message = "service accounts cannot use this route; use the access token of a person".to_owned();
    Error::Forbidden { code: "service_account_not_allowed", message }
}

fn missing_scope(scope: Scope) -> Error {
    let message = format!("this service token lacks the scope {scope}; create one that has it");
    Error::Forbidden { code: "missing_scope", message }
}
