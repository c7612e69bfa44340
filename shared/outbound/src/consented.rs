//! The access tokens of accounts that users have connected to credentials. They are stored, so their source is outside of this
//! crate.

use futures::future::BoxFuture;
use http::header::HeaderValue;
use uuid::Uuid;

use super::CallError;
use domain::credential::Credential;
use domain::id::CredentialId;

/// A token for one request.
#[derive(Clone)]
pub struct ConsentedToken {
    /// The header `Authorization`.
    pub header: HeaderValue,
    /// Identifies the token, if the destination refuses it.
    pub version: Uuid,
}

pub trait ConsentedTokens: Send + Sync {
    /// The token of a credential. `refused` is the one that the destination has refused: it is renewed, if that is possible.
    fn token<'a>(
        &'a self,
        id: CredentialId,
        credential: &'a Credential,
        refused: Option<Uuid>,
    ) -> BoxFuture<'a, Result<ConsentedToken, CallError>>;
}
