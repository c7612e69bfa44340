//! Sessions of servers. A client gets the id of a session sealed for its server and its key, so another key cannot use it, and a
//! server never gets an id that another server has given.

use auth::ApiCaller;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::mcp_server::McpServer;
use domain::{Error, Result};
use platform::Context;
use platform::secrets::{Sealed, Secrets};

use crate::headers::SESSION;

/// The longest id that a server may give.
const MAX_ID_BYTES: usize = 512;
/// The longest sealed id that is read.
const MAX_SEALED_BYTES: usize = 4_096;

pub struct Sessions(Secrets);

impl Sessions {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self(Secrets::of_mcp(context)?))
    }

    /// The server's id of the session that a client names. `Ok(None)` if it names none. An id that was not sealed for this key and
    /// server is like that of a session that has ended.
    pub async fn open(
        &self,
        headers: &HeaderMap,
        server: &McpServer,
        caller: &ApiCaller,
    ) -> Result<Option<HeaderValue>> {
        let Some(sealed) = headers.get(SESSION) else { return Ok(None) };
        let ended = || Error::NotFound { kind: "MCP session" };
        let sealed = sealed.as_bytes();
        if sealed.len() > MAX_SEALED_BYTES {
            return Err(ended());
        }
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| ended())?;
        let sealed: Sealed = serde_json::from_slice(&sealed).map_err(|_| ended())?;
        let id = match self.0.open(&place(server, caller), &sealed).await {
            Ok(id) => id,
            Err(error @ Error::Unavailable { .. }) => return Err(error),
            Err(_) => return Err(ended()),
        };
        HeaderValue::from_bytes(&id).map(Some).map_err(|_| ended())
    }

    pub async fn seal(&self, id: &HeaderValue, server: &McpServer, caller: &ApiCaller) -> Result<HeaderValue> {
        let is_visible = id.as_bytes().iter().all(u8::is_ascii_graphic);
        if id.is_empty() || id.len() > MAX_ID_BYTES || !is_visible {
            return Err(crate::upstream::invalid_answer(
                "the id of its session is not a short text of visible ASCII characters",
            ));
        }
        let sealed = self.0.seal(&place(server, caller), id.as_bytes()).await?;
        let sealed = serde_json::to_vec(&sealed).map_err(Error::internal)?;
        HeaderValue::try_from(URL_SAFE_NO_PAD.encode(sealed)).map_err(Error::internal)
    }
}

/// The associated data of a sealed id. The URL is part of it, because the sessions of a server end when it moves.
fn place(server: &McpServer, caller: &ApiCaller) -> String {
    format!("session/{}/{}/{}", server.id, caller.key.id, server.url)
}
