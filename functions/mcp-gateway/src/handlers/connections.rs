//! The accounts that users connect to servers with OAuth.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::language::Translated;
use domain::mcp_server::McpAuth;
use domain::name::McpServerName;
use domain::{Error, translated};
use oauth::{BrowserAnswer, shown_code};
use platform::telemetry;
use web::base_url::BaseUrl;
use web::gateway::{ErrorBody, ErrorResponses, NotFound};
use web::page::{PLATFORM_FAILURE, message_page, question_page};
use web::{NoBody, Path, Query, Result};

use crate::Stores;
use crate::access::OpenDoor;
use crate::caller::DoorCaller;
use crate::dto::BeginningOut;
use crate::oauth::callback::{CallbackError, CannotConnect};

/// Connect an account to an MCP server
///
/// Returns the URL at which the user of the key signs in and permits the access. It is valid for ten minutes, and once. Then the keys of
/// this user call the server's tools with that account. Open it only in the user's own browser.
#[utoipa::path(
    post, path = "/gateway/v1/mcp/{server}/connect", tag = "mcp",
    params(("server" = String, Path, description = "The name of the server")),
    responses(
        (status = 200, description = "Where the browser goes", body = BeginningOut),
        (status = 409, description = "`mcp_server_not_connectable`: users of this server connect no accounts", body = ErrorBody),
        (status = 502, description = "`mcp_authorization_failed`: the authorization server cannot be used", body = ErrorBody),
        NotFound<McpServerName>, ErrorResponses,
    ),
)]
pub async fn connect_mcp_account(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    base_url: BaseUrl,
    _: NoBody,
) -> Result<Json<BeginningOut>> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    check_connectable(&door)?;
    let secret = stores.servers.open(&door.stored).await?;
    let secret = secret.as_ref().map(|secret| secret.as_str());
    let (user, now) = (&caller.caller.identity.user, stores.clock.now());
    let begun = stores.oauth.begin(door.server(), secret, user, base_url.require()?, now).await?;
    let begun = begun.map_err(|CannotConnect(problem)| crate::upstream::no_authorization(&problem))?;
    Ok(Json(BeginningOut::from(begun)))
}

/// Disconnect an account from an MCP server
///
/// Revokes the tokens, if the authorization server offers it, and deletes them.
#[utoipa::path(
    delete, path = "/gateway/v1/mcp/{server}/connection", tag = "mcp",
    params(("server" = String, Path, description = "The name of the server")),
    responses(
        (status = 204, description = "The account is disconnected; it may have been before"),
        (status = 409, description = "`mcp_server_not_connectable`: users of this server connect no accounts", body = ErrorBody),
        NotFound<McpServerName>, ErrorResponses,
    ),
)]
pub async fn disconnect_mcp_account(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
) -> Result<StatusCode> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    check_connectable(&door)?;
    let (connections, user) = (&stores.oauth.connections, caller.caller.user);
    let found = connections.find(door.server(), user, stores.clock.now()).await?;
    connections.slot(door.server().id, user).delete().await?;
    if let Some(found) = found {
        stores.oauth.revoke(&found.tokens).await;
    }
    Ok(StatusCode::NO_CONTENT)
}

fn check_connectable(door: &OpenDoor) -> domain::Result<()> {
    if matches!(door.server().auth, McpAuth::Oauth2User { .. }) {
        return Ok(());
    }
    let message = "the users of this MCP server connect no accounts; call its tools at once".to_owned();
    Err(Error::Conflict { code: "mcp_server_not_connectable", message })
}

/// `GET /gateway/v1/mcp/callback`: authorization servers send browsers here. The sealed state decides whose connection it is, so the
/// browser needs no credential. But somebody else may have been sent the link, so the page names the user whose keys will use the
/// account, and nothing is connected before the person at the browser confirms it.
pub async fn confirm_mcp_connection(
    State(stores): State<Stores>,
    Query(answer): Query<BrowserAnswer>,
    base_url: BaseUrl,
) -> Response {
    let pending = stores.oauth.read_pending(&answer, stores.clock.now()).await;
    let Some(pending) = pending.filter(|_| answer.code.is_some()) else {
        return finish_mcp_connection(State(stores), Query(answer), base_url).await;
    };
    let user = &pending.user_name;
    question_page(
        Translated::new("Connect your account?", "¿Conectar su cuenta?"),
        &translated!(
            "The API keys of {user} will act with your account. Continue only if you are this person.",
            "Las claves de API de {user} actuarán con su cuenta. Continúe solo si usted es esa persona."
        ),
        &format!("callback?{}", answer.to_query()),
        Translated::new("Connect", "Conectar"),
    )
}

/// `POST /gateway/v1/mcp/callback`: the person at the browser has confirmed.
pub async fn finish_mcp_connection(
    State(stores): State<Stores>,
    Query(answer): Query<BrowserAnswer>,
    base_url: BaseUrl,
) -> Response {
    let finished = finish(&stores, answer, &base_url).await;
    match finished {
        Ok(name) => message_page(
            StatusCode::OK,
            Translated::new("The account is connected", "La cuenta está conectada"),
            &translated!(
                "Tools of {name} now use your account. You can close this page.",
                "Las herramientas de {name} ya usan su cuenta. Puede cerrar esta página."
            ),
            None,
        ),
        Err(error) => failure_page(&error),
    }
}

/// Returns the name of the server.
async fn finish(
    stores: &Stores,
    answer: BrowserAnswer,
    base_url: &BaseUrl,
) -> std::result::Result<String, CallbackError> {
    let now = stores.clock.now();
    let pending = stores.oauth.take_pending(&answer, now).await?;
    let stored = match stores.servers.get(pending.server).await {
        Ok(stored) if stored.server.enabled => stored,
        Ok(_) | Err(Error::NotFound { .. }) => return Err(CallbackError::Unknown),
        Err(error) => return Err(error.into()),
    };
    let secret = stores.servers.open(&stored).await?;
    let secret = secret.as_ref().map(|secret| secret.as_str());
    stores.oauth.finish(&stored.server, secret, &pending, answer, base_url.require()?, now).await?;
    Ok(stored.server.name)
}

fn failure_page(error: &CallbackError) -> Response {
    let (status, message) = match error {
        CallbackError::Unknown => (
            StatusCode::BAD_REQUEST,
            Translated::new(
                "This link was used, is older than 10 minutes, or belongs to a server that has changed. Begin again.",
                "Este enlace ya se usó, tiene más de 10 minutos o pertenece a un servidor que ha cambiado. Empiece de nuevo.",
            )
            .into(),
        ),
        CallbackError::OtherIssuer => (
            StatusCode::BAD_REQUEST,
            Translated::new(
                "The answer comes from another authorization server than the one that was asked. Nothing was connected.",
                "La respuesta viene de un servidor de autorización distinto del consultado. No se ha conectado nada.",
            )
            .into(),
        ),
        CallbackError::Denied(code) => {
            let code = shown_code(code);
            let message = translated!(
                "The authorization server did not permit the access ({code}). Begin again, or ask its administrator.",
                "El servidor de autorización no permitió el acceso ({code}). Empiece de nuevo o consulte a su administrador."
            );
            (StatusCode::BAD_REQUEST, message)
        }
        CallbackError::NoTokens => (
            StatusCode::BAD_GATEWAY,
            Translated::new(
                "The authorization server gave no access for this sign-in. Begin again.",
                "El servidor de autorización no concedió acceso con este inicio de sesión. Empiece de nuevo.",
            )
            .into(),
        ),
        CallbackError::Failed(error) => {
            telemetry::log_cause(error);
            (StatusCode::SERVICE_UNAVAILABLE, PLATFORM_FAILURE.into())
        }
    };
    message_page(status, Translated::new("The account is not connected", "La cuenta no está conectada"), &message, None)
        .into_response()
}
