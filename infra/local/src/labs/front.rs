//! Sign-in to labs, and routing of requests by their host name.
//!
//! 1. `dashboardUrl` is `/labs/{id}` at the platform's origin. It asks for an access token, unless the request has one in a
//!    header or in the session cookie of the console, and checks that the user is a member.
//! 2. It redirects to the origin of the lab, `http://wb-<id>.localhost:<port>`, with a ticket, which becomes a cookie there.
//! 3. All requests with this host and a valid cookie go to the lab. Each one checks the membership again.
//!
//! The page of a stopped lab has a button that starts it. It is served at the lab's origin and sends to it, with the session of
//! the reader: the request needs this `Origin`, so no other site can send it. Pages that the lab itself has served earlier can.
//! They come from its members, who may start it anyway, and can start no other lab.

use std::sync::Arc;
use std::time::Duration;

use auth::{Auth, Owners};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::id::WorkbenchId;
use domain::identity::Account;
use domain::time::Clock;
use domain::token::{SecretToken, TokenKind};
use domain::workbench::{Access, RunState, StopCause, Workbench, WorkbenchStatus};
use domain::{Error, Result};
use http::header::{ACCEPT, AUTHORIZATION, HOST, LOCATION, ORIGIN, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use platform::Context;
use store::Workbenches;
use tokio::sync::watch;
use web::ApiError;
use web::workbenches::Caller;

use super::pages::{field, message_page, sign_in_page, start_page, waiting_page};
use super::session::{Session, Sessions};
use super::{Labs, ServedBy, proxy, scratch};
use crate::issuer::Issuer;

/// The path of a lab's origin that exchanges a ticket for a cookie.
const ENTER: &str = "/_atelier/enter";
/// The path of a lab's origin that starts the lab.
const START: &str = "/_atelier/start";
const MAX_FORM_BYTES: usize = 16 * 1024;
/// How often the rights of a user with an open connection are checked. A change by a request of this platform is checked at
/// once; this finds those that were made in another way.
const CHECKED_EVERY: Duration = Duration::from_secs(30);
/// The pause after a check that failed.
const CHECKED_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The routes that can remove rights: those of editors, and those of suspensions.
const ROUTES_OF_RIGHTS: [&str; 2] = ["/workbenches/v1/", "/gateway/v1/admin/"];

#[derive(Clone)]
pub struct LabRouter(Arc<Inner>);

struct Inner {
    labs: Labs,
    sessions: Sessions,
    auth: Auth,
    owners: Owners,
    workbenches: Workbenches,
    clock: Clock,
    /// The port of the platform, which is that of all labs.
    port: u16,
    /// The number of requests that may have removed rights. Open connections check theirs after each one.
    rights: watch::Sender<u64>,
}

impl AsRef<Auth> for LabRouter {
    fn as_ref(&self) -> &Auth {
        &self.0.auth
    }
}

impl LabRouter {
    pub fn new(context: &Context, labs: Labs, issuer: Issuer, port: u16) -> Result<Self> {
        Ok(Self(Arc::new(Inner {
            labs,
            sessions: Sessions::new(issuer, context.clock.clone()),
            auth: Auth::new(context)?,
            owners: Owners::new(context)?,
            workbenches: Workbenches::new(context)?,
            clock: context.clock.clone(),
            port,
            rights: watch::Sender::new(0),
        })))
    }

    /// Adds the page that opens a lab, and the origins of the labs.
    pub fn add_to(self, platform: Router) -> Router {
        let pages = Router::new().route("/labs/{id}", get(open).post(sign_in)).with_state(self.clone());
        platform.merge(pages).layer(from_fn_with_state(self, dispatch))
    }

    /// As browsers write it: without the default port.
    fn origin(&self, id: WorkbenchId) -> String {
        let port = if self.0.port == 80 { String::new() } else { format!(":{}", self.0.port) };
        format!("http://wb-{}.localhost{port}", id.uuid().simple())
    }

    /// Redirects a member to the lab's origin.
    async fn redirect_to_lab(&self, account: Account, id: &str) -> Response {
        let url = async {
            let id = id.parse().map_err(|_| Error::NotFound { kind: "workbench" })?;
            self.0.workbenches.get(account, id).await?;
            let ticket = self.0.sessions.ticket(Session { account, lab: id })?;
            Ok(format!("{}{ENTER}?ticket={ticket}", self.origin(id)))
        };
        match url.await {
            Ok(url) => redirect(&url),
            Err(error) => refusal(&error),
        }
    }

    /// The origin of a lab: answers a request whose host names it.
    async fn serve(&self, id: WorkbenchId, request: Request) -> Response {
        if request.uri().path() == ENTER {
            return self.enter(id, request.uri().query().unwrap_or_default());
        }
        if request.headers().get(ORIGIN).is_some_and(|origin| *origin != *self.origin(id)) {
            return message_page(StatusCode::FORBIDDEN, "Not allowed", "Another site sent this request.");
        }
        let Some(session) = self.0.sessions.find(request.headers(), id) else {
            let url = format!("{}/labs/{id}", self.0.labs.base_url());
            return if is_navigation(&request) { redirect(&url) } else { StatusCode::UNAUTHORIZED.into_response() };
        };
        if request.uri().path() == START {
            let is_form = request.method() == Method::POST && request.headers().contains_key(ORIGIN);
            return self.start(session, is_form).await;
        }
        // Before the check, so that no change between the check and the connection is missed.
        let rights = self.0.rights.subscribe();
        let workbench = match self.admit(session).await {
            Ok(workbench) => workbench,
            Err(error) => return refusal(&error),
        };
        let Some(lab) = self.0.labs.find(id) else { return not_running_page(&workbench) };
        let Ok(connection) = lab.connections.clone().try_acquire_owned() else {
            let message = "It has as many open requests as one workbench may have. Close other tabs of it.";
            return message_page(StatusCode::SERVICE_UNAVAILABLE, "The workbench is busy", message);
        };
        let is_read = request.method().is_safe();
        match &lab.served_by {
            ServedBy::Scratch => {
                lab.note_activity(self.0.clock.now());
                scratch::serve(self.0.labs.folder(id), workbench, request).await
            }
            ServedBy::Process(process) => {
                // JupyterLab polls as long as its tab is open.
                if !(process.is_jupyter && is_read) {
                    lab.note_activity(self.0.clock.now());
                }
                let (router, lab_ended) = (self.clone(), lab.ended.clone());
                let ended = async move {
                    tokio::select! {
                        () = lab_ended.cancelled() => {}
                        () = router.until_refused(session, rights) => {}
                    }
                    drop(connection);
                };
                // Jupyter knows when its kernels were last active.
                let (is_noted, noted) = (!process.is_jupyter, lab.clone());
                let clock = self.0.clock.clone();
                let on_message = move || {
                    if is_noted {
                        noted.note_activity(clock.now());
                    }
                };
                proxy::forward(process, request, ended, on_message).await
            }
        }
    }

    /// Exchanges a ticket for a cookie.
    fn enter(&self, id: WorkbenchId, query: &str) -> Response {
        let ticket = field(query.as_bytes(), "ticket").unwrap_or_default();
        match self.0.sessions.redeem(&ticket, id) {
            Some(session) => {
                let headers = [(SET_COOKIE, self.0.sessions.cookie(session)), (LOCATION, "/".to_owned())];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
            // An old link asks for the access token again.
            None => redirect(&format!("{}/labs/{id}", self.0.labs.base_url())),
        }
    }

    /// Starts the lab for one of its members.
    async fn start(&self, Session { account, lab }: Session, is_form: bool) -> Response {
        // `serve` has checked that the origin is the lab's, if there is one.
        if !is_form {
            let message = "Open the workbench in a browser, and start it with the button of its page.";
            return message_page(StatusCode::FORBIDDEN, "Not allowed", message);
        }
        let started = async {
            let caller = self.0.owners.admit(account).await?;
            let change = |workbench: &Workbench| workbench.start(account.user, caller.at);
            self.0.workbenches.change(account, lab, Access::Editor, change).await
        };
        match started.await {
            Ok(_) => redirect("/"),
            Err(Error::Conflict { message, .. }) => {
                message_page(StatusCode::CONFLICT, "The workbench cannot be started", &message)
            }
            Err(error) => refusal(&error),
        }
    }

    /// The workbench, if the user may open it now.
    async fn admit(&self, Session { account, lab }: Session) -> Result<Workbench> {
        self.0.owners.admit(account).await?;
        Ok(self.0.workbenches.get(account, lab).await?.0)
    }

    async fn until_refused(&self, session: Session, mut rights: watch::Receiver<u64>) {
        let mut pause = CHECKED_EVERY;
        loop {
            tokio::select! {
                _ = rights.changed() => {}
                () = tokio::time::sleep(pause) => {}
            }
            pause = match self.admit(session).await {
                Ok(_) => CHECKED_EVERY,
                Err(Error::NotFound { .. } | Error::Unauthenticated(_)) => return,
                Err(error) => {
                    tracing::warn!(?error, "the rights of an open connection to a lab could not be checked");
                    CHECKED_AGAIN_AFTER
                }
            };
        }
    }
}

/// Sends requests to the origin of a lab, and all others to the platform.
async fn dispatch(State(router): State<LabRouter>, request: Request, next: Next) -> Response {
    match lab_of_host(request.headers()) {
        Some(id) => router.serve(id, request).await,
        None => {
            let path = request.uri().path();
            let may_remove_rights =
                !request.method().is_safe() && ROUTES_OF_RIGHTS.iter().any(|route| path.starts_with(route));
            let response = next.run(request).await;
            if may_remove_rights {
                router.0.rights.send_modify(|number| *number += 1);
            }
            response
        }
    }
}

fn lab_of_host(headers: &HeaderMap) -> Option<WorkbenchId> {
    let host = headers.get(HOST)?.to_str().ok()?;
    let name = host.split(':').next()?.strip_suffix(".localhost")?;
    format!("wb_{}", name.strip_prefix("wb-")?).parse().ok()
}

/// Opens a lab with the access token of the request, or asks for one.
async fn open(State(router): State<LabRouter>, Path(id): Path<String>, mut parts: Parts) -> Response {
    match Caller::from_request_parts(&mut parts, &router).await {
        Ok(Caller(caller)) => router.redirect_to_lab(caller.account(), &id).await,
        Err(ApiError(Error::Unauthenticated(_))) if !parts.headers.contains_key(AUTHORIZATION) => sign_in_page(None),
        Err(ApiError(error)) => web::workbenches::AREA.respond(&error),
    }
}

/// Opens a lab with the access token of the form.
async fn sign_in(State(router): State<LabRouter>, Path(id): Path<String>, headers: HeaderMap, body: Body) -> Response {
    // Another site must not sign its visitors in as somebody else.
    if !is_same_site(&headers) {
        return message_page(StatusCode::FORBIDDEN, "Not allowed", "Another site sent this form.");
    }
    let Ok(form) = to_bytes(body, MAX_FORM_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let token = field(&form, "token").unwrap_or_default();
    match router.0.auth.caller(token.trim()).await {
        Ok(caller) => router.redirect_to_lab(caller.account(), &id).await,
        Err(Error::Unauthenticated(_)) if SecretToken::parse(TokenKind::ApiKey, token.trim()).is_some() => {
            sign_in_page(Some(
                "This is an API key, which calls the model gateway. Enter an access token, which signs a user in.",
            ))
        }
        Err(Error::Unauthenticated(_)) => {
            sign_in_page(Some("This access token is not valid, or it has expired. Enter a new one."))
        }
        Err(error) => refusal(&error),
    }
}

fn is_same_site(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
    let Some(origin) = text(ORIGIN) else { return true };
    origin.split_once("://").is_some_and(|(_, host)| text(HOST) == Some(host))
}

fn redirect(url: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, url)]).into_response()
}

fn is_navigation(request: &Request) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    request.method().is_safe() && accept.is_some_and(|accept| accept.contains("text/html"))
}

fn refusal(error: &Error) -> Response {
    match error {
        Error::NotFound { .. } | Error::Unauthenticated(_) => {
            let message = "It does not exist, or it is not shared with you.";
            message_page(StatusCode::NOT_FOUND, "No such workbench", message)
        }
        error => {
            tracing::warn!(?error, "a lab could not be opened");
            let message = "The platform is busy. Load the page again in a few seconds.";
            message_page(StatusCode::SERVICE_UNAVAILABLE, "The workbench cannot be opened now", message)
        }
    }
}

/// The page of a workbench that does not run.
fn not_running_page(workbench: &Workbench) -> Response {
    let name = &workbench.name;
    match (workbench.status, workbench.run_state) {
        (WorkbenchStatus::Ready, Some(RunState::Stopping | RunState::Stopped)) => {
            let message = match workbench.stopped_by {
                Some(StopCause::Idle) => "It was stopped because nothing happened in it. Its files are kept.",
                _ => "Its files are kept.",
            };
            start_page(&format!("{name} is stopped"), message, "Start", START)
        }
        (WorkbenchStatus::Deleting | WorkbenchStatus::Deleted, _) => {
            message_page(StatusCode::GONE, &format!("{name} is being deleted"), "Its files will be removed.")
        }
        (WorkbenchStatus::NotInstalled, _) => {
            let message = "The platform has no backend that provides workbenches.";
            message_page(StatusCode::CONFLICT, &format!("{name} cannot run"), message)
        }
        (WorkbenchStatus::Failed, _) => {
            let reason = workbench.rejections.first().map_or("", |rejection| &rejection.message);
            start_page(&format!("{name} has failed"), reason, "Start again", START)
        }
        _ => waiting_page(&format!("{name} is starting"), "<p>This page loads again by itself.</p>"),
    }
}
