//! Request and response bodies.

use std::collections::BTreeSet;

use auth::Caller;
use domain::Result;
use domain::id::ServiceTokenId;
use domain::schema::Title;
use domain::scope::Scope;
use domain::service_token::{self, ServiceToken};
use domain::time::Time;
use domain::token::SecretToken;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A new token of a service account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "ServiceTokenCreate")]
pub struct ServiceTokenIn {
    /// The name of the service account. Tokens with the same name act as the same account
    #[schema(value_type = Title, example = "Deployment")]
    name: String,
    /// What the token may do. `write` includes `read`
    #[schema(min_items = 1, max_items = 10)]
    scopes: BTreeSet<Scope>,
    /// The token is invalid from this time on, at most one year ahead
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
}

impl ServiceTokenIn {
    pub fn read(self, id: ServiceTokenId, caller: &Caller, secret: &SecretToken) -> Result<ServiceToken> {
        let Self { name, scopes, expires_at } = self;
        service_token::check_expiry("expiresAt", expires_at, caller.at)?;
        Ok(ServiceToken {
            id,
            account: service_token::account(caller.org, name.trim()),
            name: name.trim().to_owned(),
            scopes: scopes.into_iter().collect(),
            last4: secret.last4().to_owned(),
            created_at: caller.at,
            created_by: caller.user,
            expires_at,
            last_used_on: None,
        })
    }
}

/// A token of a service account, without its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ServiceToken")]
pub struct ServiceTokenOut {
    #[schema(example = "svt_0199a2c47b1e7c529d3f2f1f0f6b8a11")]
    id: String,
    /// The name of the service account.
    name: String,
    /// The service account, which owns what it creates.
    #[schema(example = "usr_7b1e7c529d3f2f1f0f6b8a110199a2c4")]
    user_id: String,
    scopes: Vec<Scope>,
    /// The last 4 characters of the token.
    last4: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// The administrator who created the token.
    created_by: String,
    #[schema(format = DateTime)]
    expires_at: String,
    /// The day (UTC) on which the token was last used.
    #[schema(required, format = Date)]
    last_used_on: Option<String>,
}

impl From<ServiceToken> for ServiceTokenOut {
    fn from(token: ServiceToken) -> Self {
        Self {
            id: token.id.to_string(),
            name: token.name,
            user_id: token.account.user.to_string(),
            scopes: token.scopes,
            last4: token.last4,
            created_at: token.created_at.to_string(),
            created_by: token.created_by.to_string(),
            expires_at: token.expires_at.to_string(),
            last_used_on: token.last_used_on,
        }
    }
}

/// A new token of a service account. The secret is returned only once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NewServiceToken")]
pub struct NewServiceTokenOut {
    #[serde(flatten)]
    pub details: ServiceTokenOut,
    /// The secret. Send it in the header `Authorization: Bearer`.
    #[schema(example = "svt_…")]
    pub token: String,
}
