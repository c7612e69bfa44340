//! Gates: they hold one call until the test releases it, so that a race has a fixed order. One is in front of DynamoDB.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use tokio::sync::oneshot;

use crate::proxy::{StartProxy, in_front_of_dynamodb};

#[derive(Clone, Default)]
pub struct CallGate(Arc<Mutex<Option<Waiting>>>);

struct Waiting {
    operation: &'static str,
    call: WaitingCall,
}

/// The side of a held call that waits.
pub struct WaitingCall {
    arrived: oneshot::Sender<()>,
    released: oneshot::Receiver<()>,
}

/// A call that waits at the gate now, or will.
pub struct HeldCall {
    arrived: oneshot::Receiver<()>,
    release: oneshot::Sender<()>,
}

impl CallGate {
    /// Holds the next call of this operation. Later calls pass.
    pub fn hold(&self, operation: &'static str) -> HeldCall {
        let (call, held) = hold();
        *self.0.lock().unwrap() = Some(Waiting { operation, call });
        held
    }

    fn take(&self, operation: &str) -> Option<Waiting> {
        let mut waiting = self.0.lock().unwrap();
        if waiting.as_ref().is_some_and(|waiting| waiting.operation == operation) { waiting.take() } else { None }
    }

    pub(crate) fn proxy(&self) -> StartProxy {
        let gate = self.clone();
        in_front_of_dynamodb(move |upstream| {
            let upstream = Arc::new(upstream);
            Router::new().fallback(async move |request: Request| {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap();
                let target = parts.headers.get("x-amz-target").and_then(|value| value.to_str().ok());
                let operation = target.and_then(|target| target.rsplit('.').next()).unwrap_or_default();
                if let Some(Waiting { call, .. }) = gate.take(operation) {
                    call.wait().await;
                }
                upstream.send(&parts, body).await
            })
        })
    }
}

/// Both sides of a call that is held.
pub fn hold() -> (WaitingCall, HeldCall) {
    let ((arrived, has_arrived), (release, released)) = (oneshot::channel(), oneshot::channel());
    (WaitingCall { arrived, released }, HeldCall { arrived: has_arrived, release })
}

impl WaitingCall {
    /// Waits until the test releases the call, or drops its side.
    pub async fn wait(self) {
        let _ = self.arrived.send(());
        let _ = self.released.await;
    }
}

impl HeldCall {
    /// Waits until the call is at the gate, and returns the sender that releases it.
    pub async fn arrived(self) -> oneshot::Sender<()> {
        self.arrived.await.unwrap();
        self.release
    }
}
