//! A small program for the labs of tests. It refuses requests without its token, shows the headers and the environment variables that it gets, echoes
//! what a client sends after a protocol switch, allocates the memory that a request asks for, and exits on request.
#![expect(clippy::unwrap_used, reason = "a test fails if its program fails")]

use std::path::PathBuf;
use std::sync::Mutex;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, SET_COOKIE, UPGRADE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::{get, post};
use clap::Parser;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::io::{copy, split};
use tokio::net::{TcpListener, UnixListener};

#[derive(Parser)]
struct Cli {
    #[arg(long)]
    port: Option<u16>,
    #[arg(long)]
    socket: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Amount {
    mib: usize,
}

static HELD: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cli = Cli::parse();
    let token = std::env::var("ATELIER_TOKEN").unwrap();
    let router = Router::new()
        .route("/", get(async || std::env::current_dir().unwrap().display().to_string()))
        .route("/headers", get(show_headers))
        .route("/variable", get(show_variable))
        .route("/echo", get(echo))
        .route("/cookie", get(set_cookies))
        .route("/hold", post(hold))
        .route("/exit", post(async || -> () { std::process::exit(3) }))
        .layer(from_fn_with_state(token, check_token));
    match cli.socket {
        Some(socket) => axum::serve(UnixListener::bind(socket).unwrap(), router).await.unwrap(),
        None => {
            let listener = TcpListener::bind(("127.0.0.1", cli.port.unwrap())).await.unwrap();
            axum::serve(listener, router).await.unwrap();
        }
    }
}

/// Tries to set the cookies of sessions too.
async fn set_cookies() -> impl IntoResponse {
    let cookies = ["atelier_lab=forged", "svc_session=forged; Domain=localhost", "mine=1"];
    AppendHeaders(cookies.map(|cookie| (SET_COOKIE, cookie)))
}

async fn check_token(State(token): State<String>, request: Request, next: Next) -> Response {
    let expected = format!("Bearer {token}");
    match request.headers().get(AUTHORIZATION) {
        Some(given) if *given == *expected => next.run(request).await,
        _ => StatusCode::FORBIDDEN.into_response(),
    }
}

async fn show_headers(headers: HeaderMap) -> String {
    let lines = headers.iter().filter(|(name, _)| *name != AUTHORIZATION);
    lines.map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()))).collect()
}

#[derive(Deserialize)]
struct Variable {
    name: String,
}

async fn show_variable(Query(Variable { name }): Query<Variable>) -> String {
    std::env::var(name).unwrap_or_else(|_| "not set".to_owned())
}

async fn echo(mut request: Request) -> Response {
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let (mut reader, mut writer) = split(TokioIo::new(upgrade.await.unwrap()));
        let _ = copy(&mut reader, &mut writer).await;
    });
    (StatusCode::SWITCHING_PROTOCOLS, [(UPGRADE, "echo"), (CONNECTION, "upgrade")]).into_response()
}

/// Holds this amount of memory from now on.
async fn hold(Query(Amount { mib }): Query<Amount>) -> String {
    // Written, because untouched memory is not resident.
    let block = vec![1_u8; mib << 20];
    HELD.lock().unwrap().push(block);
    format!("holds {mib} MiB more")
}
