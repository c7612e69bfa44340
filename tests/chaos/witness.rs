//! The witness: an HTTP server that runs call. It honours `Idempotency-Key` as a careful receiver does: it performs a key
//! once, and answers a repeated call at once as the first one. It notes when each call arrived.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use domain::time::Time;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::{Result, mcp_witness};

#[derive(Clone)]
pub struct Witness(Arc<Inner>);

struct Inner {
    manner: Manner,
    effects: Mutex<HashMap<String, Effect>>,
    performed: watch::Sender<usize>,
}

/// How the witness answers.
#[derive(Clone, Copy)]
pub struct Manner {
    /// How many of a hundred keys are refused with 503.
    pub refused_percent: u64,
    /// The longest time before a call is performed, and again before it is answered.
    pub longest_wait: Duration,
    /// Whether all calls take the longest time.
    pub is_steady: bool,
}

/// What the witness knows about one key.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// The run and the step: `{run}/{node}`, `{run}/{node}/{index}` in a loop, or `agent`.
    pub path: String,
    pub arrivals: Vec<Time>,
    pub is_performed: bool,
    pub is_refused: bool,
}

impl Witness {
    pub async fn start(manner: Manner) -> Result<(Self, SocketAddr)> {
        let inner = Inner { manner, effects: Mutex::default(), performed: watch::Sender::new(0) };
        let witness = Self(Arc::new(inner));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/effects/{*path}", post(receive))
            .route("/mcp/{*path}", post(mcp_witness::receive))
            .with_state(witness.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((witness, address))
    }

    /// The number of performed keys, and each change of it.
    pub fn performed(&self) -> watch::Receiver<usize> {
        self.0.performed.subscribe()
    }

    pub fn effects(&self) -> HashMap<String, Effect> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Effect>> {
        self.0.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs a key, unless an earlier call with it has done so.
    fn perform(&self, key: &str, is_refused: bool) {
        let mut effects = self.lock();
        let effect = effects.entry(key.to_owned()).or_default();
        effect.is_refused = is_refused;
        if !std::mem::replace(&mut effect.is_performed, true) {
            self.0.performed.send_modify(|performed| *performed += 1);
        }
    }

    /// A part of the longest wait. The key decides, so that a seed gives the same waits.
    fn wait(&self, number: u64) -> Duration {
        let Manner { longest_wait, is_steady, .. } = self.0.manner;
        if is_steady { longest_wait } else { longest_wait.mul_f64((number % 100) as f64 / 100.0) }
    }
}

async fn receive(State(witness): State<Witness>, Path(path): Path<String>, headers: HeaderMap) -> Response {
    match receive_call(&witness, &path, &headers).await {
        Ok(answer) => Json(answer).into_response(),
        Err(status) => status.into_response(),
    }
}

/// Notes a call, and performs it unless an earlier call with its key was performed.
pub async fn receive_call(
    witness: &Witness,
    path: &str,
    headers: &HeaderMap,
) -> std::result::Result<Value, StatusCode> {
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).ok_or(StatusCode::BAD_REQUEST)?;
    let number = u64::from_str_radix(key.get(..8).unwrap_or_default(), 16).unwrap_or_default();
    let is_refused = number % 100 < witness.0.manner.refused_percent;
    let is_known = {
        let mut effects = witness.lock();
        let effect = effects.entry(key.to_owned()).or_default();
        path.clone_into(&mut effect.path);
        effect.arrivals.push(Time::now());
        effect.is_performed
    };
    if !is_known {
        // A platform that is killed during the first wait has not reached the receiver; during the second, it does not
        // learn of the outcome.
        sleep(witness.wait(number / 100)).await;
        witness.perform(key, is_refused);
        sleep(witness.wait(number / 10_000)).await;
    }
    if is_refused { Err(StatusCode::SERVICE_UNAVAILABLE) } else { Ok(json!({"key": key, "path": path})) }
}
