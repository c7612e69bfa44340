//! Extractors that authenticate callers of the gateway: with API keys, access tokens and sessions of browsers. During
//! maintenance, only operators are admitted.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::extract::{self, X_API_KEY, bearer, is_service_token, record_caller};
use crate::layers::request_id;
use crate::{ApiError, Result};
use auth::{self, Auth, Caller, RecentCallers};
use domain::audit::{ActingRole, Actor, AuditAction};
use domain::id::{ApiKeyId, OrgId};
use domain::identity::Role;
use domain::time::Time;
use domain::{Error, Refusal};
use store::api_keys::ApiKey;
use store::model_catalog::ModelCatalog;
use store::{Authority, KeyRing};

/// A program with an API key, from a cache of 30 seconds. It is for model calls only, whose leases refuse revoked keys.
pub struct InferenceCaller(pub auth::ApiCaller);

/// A user who reads the results of calls, with an API key of the cache of `InferenceCaller`, an access token or a session.
pub struct InferenceReader {
    pub caller: Caller,
    key: Option<Arc<ApiKey>>,
}

/// A caller who reads which models there are, like [`Person`]. The key of a workbench is admitted too, because clients of
/// models list them.
pub struct CatalogReader(pub Person);

/// A user with an API key, an access token or a session. The records are read in this request. The key of a workbench is
/// refused: all of its editors know the key, and it must not read or change what belongs to its owner.
pub struct Person {
    pub caller: Caller,
    /// `None` if the user sent an access token or has a session.
    pub key: Option<Arc<ApiKey>>,
}

/// An administrator of the organization, or an operator in it, like [`Person`].
pub struct Administrator(Person);

/// An administrator of the organization who reads or deletes the bodies of its calls. Operators are refused, because
/// they must not read what users write.
pub struct BodyReader(pub Administrator);

/// An operator of the platform, with an API key, an access token or a session. The records are read in this request. A key with
/// its own limits, spending cap or model list may only read, because with write access it could remove them.
pub struct Operator(Person);

impl Person {
    /// The names of the models that the key may use. None if it has no list, and for an access token.
    pub fn models(&self) -> Option<&[String]> {
        self.key.as_ref()?.models.as_deref()
    }

    fn actor(&self) -> Actor {
        Actor { org: self.caller.org, user: self.caller.user, key: self.key.as_ref().map(|key| key.id) }
    }

    fn audit_action(&self, role: ActingRole, action: &'static str, target: impl ToString) -> AuditAction {
        let (actor, request_id) = (self.actor(), request_id());
        AuditAction { actor, role, action, target: target.to_string(), request_id, at: self.caller.at }
    }

    /// The conditions on which the writes of this user depend, such as that the key is not revoked. Transactions check
    /// them.
    pub fn authority(&self) -> Authority {
        Authority::for_user(self.actor(), self.caller.at)
    }
}

impl Administrator {
    pub fn org(&self) -> OrgId {
        self.0.caller.org
    }

    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// An entry of the audit log for an action of this administrator.
    pub fn audit_action(&self, action: &'static str, target: impl ToString) -> AuditAction {
        self.0.audit_action(ActingRole::Administrator, action, target)
    }

    /// The time of the request.
    pub fn at(&self) -> Time {
        self.0.caller.at
    }
}

impl InferenceReader {
    /// Whether this user may read the result of a call that was made with this key. The key of a workbench reads only its own.
    pub fn may_read(&self, made_with: Option<ApiKeyId>) -> bool {
        self.key.as_ref().is_none_or(|key| key.workbench.is_none() || made_with == Some(key.id))
    }
}

impl Operator {
    /// An entry of the audit log for an action of this operator.
    pub fn audit_action(&self, action: &'static str, target: impl ToString) -> AuditAction {
        self.0.audit_action(ActingRole::Operator, action, target)
    }

    /// The time of the request.
    pub fn at(&self) -> Time {
        self.0.caller.at
    }

    /// When the key of this operator expires. Keys that it creates must not expire later.
    pub fn expires_at(&self) -> Option<Time> {
        self.0.key.as_ref().and_then(|key| key.expires_at)
    }
}

/// The token of the header `Authorization: Bearer <token>`, or of `x-api-key`, which Anthropic's clients send.
fn token(parts: &Parts) -> domain::Result<&str> {
    let keys = parts.headers.get_all(X_API_KEY).iter().map(|key| key.to_str().unwrap_or_default().trim());
    let mut keys = keys.filter(|key| !key.is_empty());
    let Some(key) = keys.next() else { return bearer(parts) };
    let is_other = parts.headers.contains_key(AUTHORIZATION) && bearer(parts).ok() != Some(key);
    match is_other || keys.any(|other| other != key) {
        true => Err(auth::refused(Refusal::Ambiguous, "different tokens in two headers")),
        false => Ok(key),
    }
}

/// Whether a token of a route that takes both kinds is an API key. Keys of other platforms begin similarly, and are
/// refused as unknown keys.
fn is_key(token: &str) -> bool {
    token.starts_with("sk-")
}

/// On a route that takes API keys too, a malformed token is not necessarily meant as an access token.
fn neither_key_nor_token(error: Error) -> Error {
    match error {
        Error::Unauthenticated(Refusal::Malformed) => Error::Unauthenticated(Refusal::NeitherKeyNorToken),
        other => other,
    }
}

/// The refusal of a service account: the gateway has no scopes for it.
fn service_token() -> Error {
    auth::refused(Refusal::ServiceToken, "a service token instead of an API key or an access token")
}

/// The refusal of a workbench's key on a route for users.
pub fn key_of_workbench() -> Error {
    let message = "this key belongs to a workbench and only calls models; use another key or an access token";
    Error::Forbidden { code: "api_key_of_workbench", message: message.to_owned() }
}

/// Refuses the key of a workbench.
fn refuse_workbenches(person: Person) -> domain::Result<Person> {
    match &person.key {
        Some(key) if key.workbench.is_some() => Err(key_of_workbench()),
        _ => Ok(person),
    }
}

/// The user of a request, with the key of a workbench too.
async fn person(parts: &Parts, auth: &Auth) -> domain::Result<Person> {
    let person = match extract::session_caller(parts, auth).await? {
        Some(caller) => Person { caller, key: None },
        None => match token(parts)? {
            token if is_key(token) => {
                let auth::ApiCaller { key, caller, .. } = auth.api_caller(token).await?;
                Person { caller, key: Some(key) }
            }
            token if is_service_token(token) => return Err(service_token()),
            token => Person { caller: auth.caller(token).await.map_err(neither_key_nor_token)?, key: None },
        },
    };
    record_caller(&person.caller);
    Ok(person)
}

impl<S> FromRequestParts<S> for InferenceCaller
where
    S: AsRef<RecentCallers> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let recent: &RecentCallers = state.as_ref();
        // A worker in this process has authenticated the caller. No client can add an extension to a request.
        let caller = match parts.extensions.get::<auth::ApiCaller>() {
            Some(caller) => caller.clone(),
            None => recent.api_caller(token(parts)?).await?,
        };
        record_caller(&caller.caller);
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(caller.caller.role).await?;
        Ok(Self(caller))
    }
}

impl<S> FromRequestParts<S> for InferenceReader
where
    S: AsRef<RecentCallers> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let recent: &RecentCallers = state.as_ref();
        let reader = match extract::session_cookie(parts, recent.auth())? {
            Some(cookie) => Self { caller: recent.session_caller(cookie).await?, key: None },
            None => match token(parts)? {
                token if is_key(token) => {
                    let auth::ApiCaller { key, caller, .. } = recent.api_caller(token).await?;
                    Self { caller, key: Some(key) }
                }
                token if is_service_token(token) => return Err(service_token().into()),
                token => Self { caller: recent.caller(token).await.map_err(neither_key_nor_token)?, key: None },
            },
        };
        record_caller(&reader.caller);
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(reader.caller.role).await?;
        Ok(reader)
    }
}

impl<S> FromRequestParts<S> for Person
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let CatalogReader(person) = CatalogReader::from_request_parts(parts, state).await?;
        Ok(refuse_workbenches(person)?)
    }
}

impl<S> FromRequestParts<S> for CatalogReader
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = person(parts, state.as_ref()).await?;
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(person.caller.role).await?;
        Ok(Self(person))
    }
}

impl<S> FromRequestParts<S> for Administrator
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = Person::from_request_parts(parts, state).await?;
        match person.caller.role {
            Role::Admin | Role::Operator => Ok(Self(person)),
            Role::Member => Err(ApiError(Error::administrator_only())),
        }
    }
}

impl<S> FromRequestParts<S> for BodyReader
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let administrator = Administrator::from_request_parts(parts, state).await?;
        match administrator.caller().role {
            Role::Admin => Ok(Self(administrator)),
            Role::Operator | Role::Member => Err(ApiError(Error::administrator_only())),
        }
    }
}

impl<S> FromRequestParts<S> for Operator
where
    S: AsRef<Auth> + AsRef<KeyRing> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = refuse_workbenches(person(parts, state.as_ref()).await?)?;
        if person.caller.role != Role::Operator {
            return Err(ApiError(Error::operator_only()));
        }
        let keys: &KeyRing = state.as_ref();
        match &person.key {
            Some(key) if !parts.method.is_safe() && keys.is_restricted(key).await? => {
                let message =
                    "this key has limits, a spending cap or a model list and may only read; use a key without them";
                Err(ApiError(Error::Forbidden { code: "api_key_restricted", message: message.to_owned() }))
            }
            _ => Ok(Self(person)),
        }
    }
}
