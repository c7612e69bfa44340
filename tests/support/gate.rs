//! Gates: they hold one call until the test releases it, so that a race has a fixed order, or stop all calls after a number of them,
//! as if their process had crashed. One is in front of DynamoDB and S3.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use local::services::Endpoints;
use tokio::sync::oneshot;

use crate::proxy::{StartProxy, Upstream, start_in_front};

#[derive(Clone, Default)]
pub struct CallGate(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    waiting: Option<Waiting>,
    cut: Option<Cut>,
}

/// No call passes after `left` more.
struct Cut {
    left: usize,
    reached: Option<oneshot::Sender<()>>,
}

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
        self.0.lock().unwrap().waiting = Some(Waiting { operation, call });
        held
    }

    /// Lets some calls pass, and stops all later ones until the gate reopens. The receiver gets a message when the first call is stopped.
    pub fn cut_after(&self, calls: usize) -> oneshot::Receiver<()> {
        let (reached, is_reached) = oneshot::channel();
        self.0.lock().unwrap().cut = Some(Cut { left: calls, reached: Some(reached) });
        is_reached
    }

    /// Lets new calls pass. Those that were stopped get no answer.
    pub fn reopen(&self) {
        self.0.lock().unwrap().cut = None;
    }

    fn take(&self, operation: &str) -> Option<Waiting> {
        let waiting = &mut self.0.lock().unwrap().waiting;
        if waiting.as_ref().is_some_and(|waiting| waiting.operation == operation) { waiting.take() } else { None }
    }

    /// Whether a call may pass. Each call is counted.
    fn may_pass(&self) -> bool {
        let Some(cut) = &mut self.0.lock().unwrap().cut else { return true };
        if cut.left == 0 {
            cut.reached.take().map(|reached| reached.send(()));
            return false;
        }
        cut.left -= 1;
        true
    }

    pub(crate) fn proxy(&self) -> StartProxy {
        let (dynamodb, s3) = (self.clone(), self.clone());
        Box::new(move |services| Endpoints {
            dynamodb: start_in_front(services.dynamodb, |upstream| dynamodb.router(upstream)),
            s3: start_in_front(services.s3, |upstream| s3.router(upstream)),
            ..services
        })
    }

    fn router(self, upstream: Upstream) -> Router {
        let upstream = Arc::new(upstream);
        Router::new().fallback(async move |request: Request| {
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            if !self.may_pass() {
                std::future::pending::<()>().await;
            }
            let target = parts.headers.get("x-amz-target").and_then(|value| value.to_str().ok());
            let operation = target.and_then(|target| target.rsplit('.').next()).unwrap_or_default();
            if let Some(Waiting { call, .. }) = self.take(operation) {
                call.wait().await;
            }
            upstream.send(&parts, body).await
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
