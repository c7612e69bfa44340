//! The consents of users to credentials of type `oauth2_authorization_code`: their beginning, the answer that the browser brings back,
//! and the tokens for calls.

use std::sync::Arc;

use domain::consent::{PendingConsent, VALID};
use domain::credential::{Credential, CredentialType};
use domain::id::{CredentialId, UserId, WorkflowId};
use domain::identity::Account;
use domain::oauth::{OauthProvider, OauthServices, OauthTokens};
use domain::session::random_text;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use form_urlencoded::Serializer;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use outbound::{CallError, ConsentedToken, ConsentedTokens, Outbound, OutboundError, sensitive};
use platform::Context;
use platform::config::OAUTH_SERVICES;
use store::Credentials;
use store::credentials::CredentialSummary;
use uuid::Uuid;

use super::answer::BrowserAnswer;
use super::endpoint::{TokenEndpoint, revoke};
use super::grant_error::GrantError;
use super::pkce::Pkce;
use super::renewal::{Renewal, renew_if_due};

/// What the flows share. A process creates one.
pub struct Consents {
    stored: store::Consents,
    services: OauthServices,
    outbound: Outbound,
    clock: Clock,
}

/// Whose consent to which credential.
pub struct Subject {
    pub account: Account,
    pub workflow: WorkflowId,
    pub credential: CredentialId,
    pub user: UserId,
    pub user_name: String,
}

/// Where a browser begins a consent.
pub struct Beginning {
    pub authorization_url: String,
    pub until: Time,
}

/// Why a consent has no tokens.
#[derive(Debug)]
pub enum ConsentError {
    /// The state is not one of ours, too old or used, or the credential was deleted.
    Unknown,
    /// Somebody else has begun it.
    OtherUser,
    /// The user or the authorization server declined, with this code.
    Denied(String),
    /// The authorization server did not exchange the code, or was not reached.
    NoTokens,
    Failed(Error),
}

impl From<Error> for ConsentError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => Self::Unknown,
            error => Self::Failed(error),
        }
    }
}

impl Consents {
    pub fn new(context: &Context, outbound: Outbound) -> Result<Self> {
        let services = OauthServices::read(context.config.optional(OAUTH_SERVICES).unwrap_or_default());
        let services = services.map_err(|problem| Error::internal(format!("{OAUTH_SERVICES}: {problem}")))?;
        let stored = store::Consents::new(context)?;
        Ok(Self { stored, services, outbound, clock: context.clock.clone() })
    }

    /// Refuses a new credential that names a service without a client.
    pub fn check(&self, credential: &Credential) -> Result<()> {
        let Credential::Oauth2AuthorizationCode { .. } = credential else { return Ok(()) };
        if self.services.provider_of(credential).is_some() {
            return Ok(());
        }
        let names: Vec<_> = self.services.names().collect();
        let problem = match names.as_slice() {
            [] => "the operator has configured no service; set the URLs and the client".to_owned(),
            names => format!("the operator has not configured it; use one of {}", names.join(", ")),
        };
        Err(Error::invalid_body("service", problem))
    }

    /// Begins a consent.
    pub async fn begin(&self, subject: Subject, credential: &Credential, redirect_uri: String) -> Result<Beginning> {
        let provider = self.provider(credential)?;
        let (state, Pkce { verifier }) = (random_text().to_string(), Pkce::generate());
        let Subject { account, workflow, credential, user, user_name } = subject;
        let until = self.clock.now().plus(VALID);
        let authorization_url = authorization_url(&provider, &state, &verifier, &redirect_uri);
        let pending = PendingConsent { account, workflow, credential, user, user_name, verifier, redirect_uri, until };
        self.stored.begin(&state, &pending).await?;
        Ok(Beginning { authorization_url, until })
    }

    fn provider(&self, credential: &Credential) -> Result<OauthProvider> {
        let Credential::Oauth2AuthorizationCode { .. } = credential else {
            let message = "a credential of this type needs no authorization; use it at once".to_owned();
            return Err(Error::Conflict { code: "credential_not_authorizable", message });
        };
        self.services.provider_of(credential).ok_or_else(|| {
            let message = "the operator does not configure the service of this credential any more".to_owned();
            Error::Conflict { code: "service_not_configured", message }
        })
    }

    /// Reads the state of an answer. It still counts.
    pub async fn find_pending(&self, answer: &BrowserAnswer) -> Result<Option<PendingConsent>> {
        let Some(state) = answer.state.as_deref().filter(|state| is_state(state)) else { return Ok(None) };
        self.stored.find(state, self.clock.now()).await
    }

    /// Reads the state of an answer, and ends it.
    pub async fn take_pending(&self, answer: &BrowserAnswer) -> std::result::Result<PendingConsent, ConsentError> {
        let state = answer.state.as_deref().filter(|state| is_state(state)).ok_or(ConsentError::Unknown)?;
        self.stored.take(state, self.clock.now()).await?.ok_or(ConsentError::Unknown)
    }

    /// Exchanges the code of an answer, and stores the tokens.
    pub async fn finish(
        &self,
        pending: &PendingConsent,
        credential: &Credential,
        answer: BrowserAnswer,
    ) -> std::result::Result<(), ConsentError> {
        let provider = self.provider(credential).map_err(|_| ConsentError::Unknown)?;
        let code = match (answer.code, answer.error) {
            (Some(code), None) => code,
            (_, error) => return Err(ConsentError::Denied(error.unwrap_or_default())),
        };
        let now = self.clock.now();
        let exchanged = self.endpoint(&provider).exchange(&code, &pending.verifier, &pending.redirect_uri, now).await;
        let tokens = exchanged.map_err(|error| {
            tracing::warn!(%error, "the code of a consent was not exchanged");
            ConsentError::NoTokens
        })?;
        Ok(self.stored.put(pending, &tokens, now).await?)
    }

    /// The tokens of a credential, as they are stored.
    pub async fn tokens(&self, id: CredentialId) -> Result<Option<OauthTokens>> {
        Ok(self.stored.slot(id).find(self.clock.now()).await?.map(|found| found.tokens))
    }

    /// The credential and its tokens, if a user has consented to it.
    pub async fn find_connected(
        &self,
        credentials: &Credentials,
        account: Account,
        workflow: WorkflowId,
        summary: &CredentialSummary,
    ) -> Result<Option<(Credential, OauthTokens)>> {
        if summary.r#type != CredentialType::Oauth2AuthorizationCode {
            return Ok(None);
        }
        let Some(tokens) = self.tokens(summary.id).await? else { return Ok(None) };
        Ok(Some((credentials.open(account, workflow, summary.id).await?, tokens)))
    }

    /// Revokes the tokens of all credentials of a workflow that is being deleted.
    pub async fn revoke_all(&self, credentials: &Credentials, account: Account, workflow: WorkflowId) -> Result<()> {
        let listed = credentials.list(account, workflow).await?;
        let revoke = async |summary: &CredentialSummary| match self
            .find_connected(credentials, account, workflow, summary)
            .await
        {
            Ok(Some((credential, tokens))) => self.revoke(&credential, &tokens).await,
            Ok(None) => {}
            // The workflow is deleted all the same.
            Err(error) => tracing::warn!(cause = ?error, "the tokens of a credential could not be read to revoke them"),
        };
        join_all(listed.iter().map(revoke)).await;
        Ok(())
    }

    /// Revokes tokens, if the provider offers it. A failure keeps nobody from deleting the credential.
    pub async fn revoke(&self, credential: &Credential, tokens: &OauthTokens) {
        let Some(provider) = self.services.provider_of(credential) else { return };
        if let Some(url) = &provider.revocation_url {
            revoke(&self.outbound, url, &provider.client, tokens).await;
        }
    }

    fn endpoint<'a>(&'a self, provider: &'a OauthProvider) -> TokenEndpoint<'a> {
        TokenEndpoint { outbound: &self.outbound, url: &provider.token_url, client: &provider.client, resource: None }
    }

    async fn access_token(
        self: Arc<Self>,
        id: CredentialId,
        credential: &Credential,
        refused: Option<Uuid>,
    ) -> std::result::Result<ConsentedToken, NoToken> {
        let provider = self.provider(credential)?;
        let slot = self.stored.slot(id);
        // A refused token that cannot be renewed stays: the destination may have refused the call for another reason.
        let refused = match refused {
            Some(refused) if self.tokens(id).await?.is_some_and(|tokens| tokens.refresh_token.is_some()) => {
                Some(refused)
            }
            _ => None,
        };
        let this = self.clone();
        let renew = async move |tokens: OauthTokens| this.renew(id, &provider, &tokens).await;
        let current = renew_if_due(&slot, refused, &self.clock, |_| true, renew).await?;
        let current = current.ok_or(NoToken::Call(CallError::ConsentNeeded(id)))?;
        let header = sensitive(&format!("Bearer {}", current.tokens.access_token));
        let header = header.ok_or(NoToken::Call(CallError::InvalidCredential))?;
        Ok(ConsentedToken { header, version: current.version })
    }

    async fn renew(
        &self,
        id: CredentialId,
        provider: &OauthProvider,
        tokens: &OauthTokens,
    ) -> Result<Renewal<OauthTokens, NoToken>> {
        Ok(match self.endpoint(provider).refresh(tokens, self.clock.now()).await {
            Ok(renewed) => Renewal::Renewed(renewed),
            Err(GrantError::Refused(error)) => {
                tracing::info!(credential = %id, %error, "the consent to a credential has ended");
                Renewal::Ended
            }
            Err(GrantError::ClientRefused(error)) => Renewal::Kept(error.into()),
            // It was not sent anywhere, and a repetition would not be either.
            Err(GrantError::Failed(CallError::Outbound(
                error @ (OutboundError::Forbidden | OutboundError::NotHttp),
            ))) => Renewal::Kept(CallError::Outbound(error).into()),
            Err(GrantError::Failed(error)) => {
                Renewal::Kept(CallError::TokenUnavailable { cause: error.to_string() }.into())
            }
        })
    }
}

/// Why a call has no token.
enum NoToken {
    Call(CallError),
    Platform(Error),
}

impl From<CallError> for NoToken {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<Error> for NoToken {
    fn from(error: Error) -> Self {
        Self::Platform(error)
    }
}

impl From<NoToken> for CallError {
    fn from(error: NoToken) -> Self {
        match error {
            NoToken::Call(error) => error,
            NoToken::Platform(Error::Conflict { message, .. }) => Self::TokenUnavailable { cause: message },
            NoToken::Platform(error) => {
                tracing::error!(cause = ?error, "a token could not be read");
                Self::TokenUnavailable { cause: "the platform could not read the token".to_owned() }
            }
        }
    }
}

/// The tokens for calls, of a process that shares them.
pub struct SharedConsents(pub Arc<Consents>);

impl ConsentedTokens for SharedConsents {
    fn token<'a>(
        &'a self,
        id: CredentialId,
        credential: &'a Credential,
        refused: Option<Uuid>,
    ) -> BoxFuture<'a, std::result::Result<ConsentedToken, CallError>> {
        self.0.clone().access_token(id, credential, refused).map(|token| Ok(token?)).boxed()
    }
}

/// A state as `begin` makes them. Others are no keys.
fn is_state(state: &str) -> bool {
    (1..=64).contains(&state.len()) && state.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_')
}

fn authorization_url(provider: &OauthProvider, state: &str, verifier: &str, redirect_uri: &str) -> String {
    let OauthProvider { authorization_url: endpoint, client, scope, parameters, .. } = provider;
    let mut query = Serializer::new(String::new());
    query
        .append_pair("response_type", "code")
        .append_pair("client_id", &client.id)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("state", state)
        .append_pair("code_challenge", &Pkce::challenge(verifier))
        .append_pair("code_challenge_method", "S256");
    if let Some(scope) = scope {
        query.append_pair("scope", scope);
    }
    query.extend_pairs(parameters);
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{separator}{}", query.finish())
}
