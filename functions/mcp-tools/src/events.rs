//! The events of the stream of a call. Their ids say what a client needs to resume: its request, and the number of the last event
//! of the run that it has. So nothing is stored for streams.

use std::pin::Pin;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::{AssistantSessionId, RunId};
use domain::{Error, Result};
use futures::stream;
use mcp::rmcp::model::{
    JsonRpcMessage, ProgressNotification, ProgressNotificationParam, ProgressToken, RequestId, ServerJsonRpcMessage,
    ServerNotification, ServerResult,
};
use mcp::rmcp::transport::common::server_side_http::ServerSseMessage;
use mcp::rmcp::transport::streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::progress;
use crate::server::ToolServer;
use crate::workflow_call::Followed;

/// When it is full, the run is read no further until the client has taken the messages.
const CAPACITY: usize = 16;

/// The streams of the calls of a session.
pub struct CallEvents {
    pub server: ToolServer,
    pub session: AssistantSessionId,
}

/// Where the stream of a call is.
#[derive(Clone, Serialize, Deserialize)]
struct Place {
    #[serde(rename = "r")]
    request: RequestId,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    progress_token: Option<ProgressToken>,
    /// The number of the last event of the run that the client has.
    #[serde(rename = "n")]
    after: u32,
}

impl Place {
    fn encode(&self) -> Result<EventId> {
        Ok(URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).map_err(Error::internal)?))
    }

    fn decode(id: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(id).ok()?).ok()
    }
}

impl CallEvents {
    async fn resume(self: Arc<Self>, id: &str) -> Result<EventStream> {
        let place =
            Place::decode(id).ok_or_else(|| Error::invalid_query("Last-Event-ID", "no event of this server"))?;
        let (stores, caller) = (&self.server.stores, &self.server.caller);
        let run = stores.find_call(self.session, &place.request).await?;
        let run = run.ok_or_else(|| Error::invalid_query("Last-Event-ID", "the call has started no run"))?;
        // The caller may have lost their access since.
        let found = stores.find_result(caller, run).await?;
        if place.after == u32::MAX {
            let message = JsonRpcMessage::response(ServerResult::CallToolResult(found), place.request.clone());
            let last = ServerSseMessage::new(id, message);
            return Ok(Box::pin(stream::iter([last])));
        }
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let server = self.server.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = send_rest(&server, run, place, &sender) => {}
                () = sender.closed() => {}
            }
        });
        let messages = stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)));
        Ok(Box::pin(messages))
    }
}

/// Sends what the stream of a call did not have yet: its progress, and its result.
async fn send_rest(server: &ToolServer, run: RunId, place: Place, sender: &mpsc::Sender<ServerSseMessage>) {
    let (token, request) = (place.progress_token.clone(), place.request.clone());
    let result = match server.stores.follow_run(run, place.after, server.until()).await {
        Ok(mut follower) => loop {
            let event = match follower.next().await {
                Ok(Followed::Event(event)) => event,
                Ok(Followed::Result(result)) => break Ok(result),
                Err(error) => break Err(error),
            };
            let Some(progress) = token.as_ref().and_then(|token| progress::notification(token, &event)) else {
                continue;
            };
            let after = u32::try_from(event.number).unwrap_or(u32::MAX);
            send(sender, Place { after, ..place.clone() }, notify(progress)).await;
        },
        Err(error) => Err(error),
    };
    let message = match result {
        Ok(result) => JsonRpcMessage::response(ServerResult::CallToolResult(result), request),
        Err(error) => JsonRpcMessage::error(ToolServer::protocol_error(&error), Some(request)),
    };
    send(sender, Place { after: u32::MAX, ..place }, message).await;
}

/// Sends a message. A client that has left resumes the stream again.
async fn send(sender: &mpsc::Sender<ServerSseMessage>, place: Place, message: ServerJsonRpcMessage) {
    if let Ok(id) = place.encode() {
        let _ = sender.send(ServerSseMessage::new(id, message)).await;
    }
}

fn notify(progress: ProgressNotificationParam) -> ServerJsonRpcMessage {
    JsonRpcMessage::notification(ServerNotification::ProgressNotification(ProgressNotification::new(progress)))
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The streams of a session, as the SDK uses them.
pub struct SessionEvents(pub Arc<CallEvents>);

impl EventStore for SessionEvents {
    fn store_event<'a, 'b, 'c, 'd>(
        &'a self,
        _: &'b str,
        event: &'c ServerSseMessage,
    ) -> Boxed<'d, Result<EventId, EventStoreError>>
    where
        'a: 'd,
        'b: 'd,
        'c: 'd,
        Self: 'd,
    {
        let after = match event.message.as_deref() {
            Some(ServerJsonRpcMessage::Notification(notification)) => match &notification.notification {
                ServerNotification::ProgressNotification(progress) => progress.params.progress as u32,
                _ => 0,
            },
            Some(_) => u32::MAX,
            None => 0,
        };
        let assistant = &self.0.server.assistant;
        let id = assistant.request.clone().map(|request| {
            Place { request, progress_token: assistant.progress_token.clone(), after }.encode().map_err(Into::into)
        });
        Box::pin(async move { id.unwrap_or_else(|| Err("a stream belongs to no request".into())) })
    }

    fn replay_events_after<'a, 'b, 'd>(&'a self, id: &'b str) -> Boxed<'d, Result<EventStream, EventStoreError>>
    where
        'a: 'd,
        'b: 'd,
        Self: 'd,
    {
        Box::pin(async move { self.0.clone().resume(id).await.map_err(Into::into) })
    }
}
