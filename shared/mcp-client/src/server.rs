//! What a server says of itself.

use domain::text::shorten_to;
use rmcp::model::ProtocolVersion;
use serde_json::Value;

use crate::limits::MAX_TITLE_CHARS;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerInfo {
    pub name: String,
    pub version: String,
    pub protocol_version: String,
}

impl ServerInfo {
    /// Reads how a server describes itself (`Implementation` in the protocol). A field that the server omits becomes an empty text.
    pub(crate) fn read(info: &Value, version: &ProtocolVersion) -> Self {
        let bounded = |text: &Value| shorten_to(text.as_str().unwrap_or_default(), MAX_TITLE_CHARS).into_owned();
        Self { name: bounded(&info["name"]), version: bounded(&info["version"]), protocol_version: version.to_string() }
    }
}
