//! Handlers for the consent of users to credentials of type `oauth2_authorization_code`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CACHE_CONTROL, HeaderMap, LOCATION, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use domain::consent::PendingConsent;
use domain::id::{CredentialId, UserId, WorkflowId};
use domain::language::Translated;
use domain::translated;
use oauth::{BrowserAnswer, ConsentError, Subject, shown_code};
use platform::telemetry;
use web::base_url::BaseUrl;
use web::builder::{Caller, Data, Editor, ErrorBody, ErrorResponses, NotFound, NotPermitted};
use web::page::{PLATFORM_FAILURE, message_page, question_page};
use web::{ApiError, Path, Query, Result};

use crate::Stores;
use crate::dto::authorization::BeginningOut;

/// Authorize an outbound credential
///
/// Begins the consent of the caller to a credential of type `oauth2_authorization_code`. A browser is redirected to the provider;
/// other clients get the URL to open in the browser of the caller. It is valid for ten minutes, and once. After the consent, the
/// provider sends the browser to `/oauth/callback`, the redirect URI to register with the provider. A new consent replaces an
/// earlier one.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/authorize", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    responses(
        (status = 200, description = "Where the browser goes", body = Data<BeginningOut>),
        (status = 303, description = "The request accepts `text/html`: redirects to the provider"),
        (status = 409, description = "`credential_not_authorizable`: a credential of this type needs no consent; `service_not_configured`: the operator has removed the service", body = ErrorBody),
        NotFound<(WorkflowId, CredentialId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn authorize_credential(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
    base_url: BaseUrl,
    headers: HeaderMap,
) -> Result<Response> {
    stores.workflows.get_header(access.account, id).await?;
    let credential = stores.credentials.open(access.account, id, credential_id).await?;
    let user = &access.caller.identity.user;
    let subject = Subject {
        account: access.account,
        workflow: id,
        credential: credential_id,
        user: access.caller.user,
        user_name: user.email.clone().unwrap_or_else(|| user.name.clone()),
    };
    let redirect_uri = format!("{}/oauth/callback", base_url.require()?);
    let begun = stores.consents.begin(subject, &credential, redirect_uri).await?;
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let no_store = [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")];
    if accepts.contains("text/html") {
        return Ok((StatusCode::SEE_OTHER, no_store, [(LOCATION, begun.authorization_url)]).into_response());
    }
    Ok((no_store, Data { data: BeginningOut::from(begun) }).into_response())
}

/// `GET /oauth/callback`: providers send browsers here. A browser with a session of the user who has begun the consent ends it at
/// once, and one with a session of somebody else is refused. A browser without a session may be that of a person who was sent the
/// link, so the page names the user whose workflow will use the account, and waits for a confirmation.
pub async fn confirm_consent(
    State(stores): State<Stores>,
    caller: std::result::Result<Caller, ApiError>,
    Query(answer): Query<BrowserAnswer>,
) -> Response {
    let pending = match stores.consents.find_pending(&answer).await {
        Ok(pending) => pending.filter(|_| answer.code.is_some()),
        Err(error) => return failure_page(&error.into()),
    };
    let Some(pending) = pending.filter(|_| caller.is_err()) else {
        return finish_consent(State(stores), caller, Query(answer)).await;
    };
    let user = &pending.user_name;
    question_page(
        Translated::new("Connect your account?", "¿Conectar su cuenta?"),
        &translated!(
            "A workflow of {user} will act with your account. Continue only if you are this person.",
            "Un flujo de trabajo de {user} actuará con su cuenta. Continúe solo si usted es esa persona."
        ),
        &format!("callback?{}", answer.to_query()),
        Translated::new("Connect", "Conectar"),
    )
}

/// `POST /oauth/callback`: the person at the browser has confirmed.
pub async fn finish_consent(
    State(stores): State<Stores>,
    caller: std::result::Result<Caller, ApiError>,
    Query(answer): Query<BrowserAnswer>,
) -> Response {
    let user = caller.ok().map(|Caller(caller)| caller.user);
    match finish(&stores, user, answer).await {
        Ok(PendingConsent { workflow, .. }) => message_page(
            StatusCode::OK,
            Translated::new("The account is connected", "La cuenta está conectada"),
            &Translated::new(
                "The credential can be used now. You can close this page.",
                "La credencial ya se puede usar. Puede cerrar esta página.",
            )
            .into(),
            Some((
                &format!("../console#/workflows/{workflow}/connections"),
                Translated::new("Connections of the workflow", "Conexiones del flujo de trabajo"),
            )),
        ),
        Err(error) => failure_page(&error),
    }
}

async fn finish(
    stores: &Stores,
    user: Option<UserId>,
    answer: BrowserAnswer,
) -> std::result::Result<PendingConsent, ConsentError> {
    let pending = stores.consents.find_pending(&answer).await?.ok_or(ConsentError::Unknown)?;
    // The state of the other user still counts, for their own browser.
    if user.is_some_and(|user| user != pending.user) {
        return Err(ConsentError::OtherUser);
    }
    let pending = stores.consents.take_pending(&answer).await?;
    let credential = stores.credentials.open(pending.account, pending.workflow, pending.credential).await?;
    stores.consents.finish(&pending, &credential, answer).await?;
    Ok(pending)
}

fn failure_page(error: &ConsentError) -> Response {
    let (status, message): (_, Translated<String>) = match error {
        ConsentError::Unknown => (
            StatusCode::BAD_REQUEST,
            Translated::new(
                "This link was used, is older than 10 minutes, or belongs to a credential that was deleted. Begin again.",
                "Este enlace ya se usó, tiene más de 10 minutos o pertenece a una credencial eliminada. Empiece de nuevo.",
            )
            .into(),
        ),
        ConsentError::OtherUser => (
            StatusCode::FORBIDDEN,
            Translated::new(
                "Another user has begun this authorization. Sign in as that user, or authorize a credential of your own.",
                "Otro usuario ha iniciado esta autorización. Inicie sesión como ese usuario o autorice una credencial suya.",
            )
            .into(),
        ),
        ConsentError::Denied(code) => {
            let code = shown_code(code);
            let message = translated!(
                "The provider did not permit the access ({code}). Begin again, or ask its administrator.",
                "El proveedor no permitió el acceso ({code}). Empiece de nuevo o consulte a su administrador."
            );
            (StatusCode::BAD_REQUEST, message)
        }
        ConsentError::NoTokens => (
            StatusCode::BAD_GATEWAY,
            Translated::new(
                "The provider gave no access for this sign-in. Check the URLs and the client of the credential, and begin again.",
                "El proveedor no concedió acceso con este inicio de sesión. Revise las URL y el cliente de la credencial y empiece de nuevo.",
            )
            .into(),
        ),
        ConsentError::Failed(error) => {
            telemetry::log_cause(error);
            (StatusCode::SERVICE_UNAVAILABLE, PLATFORM_FAILURE.into())
        }
    };
    message_page(status, Translated::new("The account is not connected", "La cuenta no está conectada"), &message, None)
}
