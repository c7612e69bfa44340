//! What the endpoint needs to know of a message before the SDK reads it, and the errors of requests that the SDK cannot read.

use domain::run::AssistantClient;
use http::HeaderMap;
use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, InitializeRequestParams, ProgressToken,
    ProtocolVersion, RequestId,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub const INITIALIZE: &str = "initialize";
pub const CALL_TOOL: &str = "tools/call";
pub const CANCELLED: &str = "notifications/cancelled";

const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// A message of a client.
#[derive(Default, Deserialize)]
pub struct MessageHead {
    #[serde(default)]
    pub method: String,
    #[serde(default)]
    pub id: Option<RequestId>,
    #[serde(default)]
    params: Params,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    /// The request that a client cancels.
    #[serde(default)]
    request_id: Option<RequestId>,
    #[serde(default)]
    client_info: Option<ClientInfo>,
    #[serde(default, rename = "_meta")]
    meta: Meta,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(default, rename = "progressToken")]
    progress_token: Option<ProgressToken>,
    #[serde(default, rename = "io.modelcontextprotocol/protocolVersion")]
    protocol_version: Option<String>,
    #[serde(default, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<ClientInfo>,
}

#[derive(Deserialize)]
struct ClientInfo {
    #[serde(default)]
    name: String,
    #[serde(default)]
    version: String,
}

impl MessageHead {
    /// `None` if the body is not a JSON object, as for a batch.
    pub fn read(body: &[u8]) -> Option<Self> {
        // A derived struct would take an array, too.
        body.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(body).ok()).flatten()
    }

    /// Whether the message opens a session. One with wrong parameters does not.
    pub fn opens_session(&self, message: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Message {
            #[serde(rename = "params")]
            _params: InitializeRequestParams,
        }
        self.method == INITIALIZE && serde_json::from_slice::<Message>(message).is_ok()
    }

    /// The request that the message cancels.
    pub fn cancelled(&self) -> Option<&RequestId> {
        self.params.request_id.as_ref().filter(|_| self.method == CANCELLED)
    }

    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.params.meta.progress_token.clone()
    }

    /// The client, as it names itself in this message.
    pub fn client(&self) -> AssistantClient {
        let Params { client_info, meta, .. } = &self.params;
        let client = client_info.as_ref().or(meta.client_info.as_ref());
        client.map_or_else(AssistantClient::default, |client| AssistantClient::new(&client.name, &client.version))
    }

    /// Whether the message belongs to a version of the protocol that has sessions.
    pub fn has_session(&self, headers: &HeaderMap) -> bool {
        let header = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
        let version = self.params.meta.protocol_version.as_deref().or(header);
        // The versions are dates.
        version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28.as_str())
            && self.method != "server/discover"
    }
}

/// The error of a request that the SDK does not know: its method is not served, or its parameters are wrong.
pub fn unknown_request(CustomRequest { method, params, .. }: CustomRequest) -> ErrorData {
    let params = params.unwrap_or_default();
    let problem = match method.as_str() {
        INITIALIZE => problem_of::<InitializeRequestParams>(params),
        CALL_TOOL => problem_of::<CallToolRequestParams>(params),
        _ => None,
    };
    match problem {
        Some(problem) => ErrorData::invalid_params(format!("the params of {method} are wrong: {problem}"), None),
        None => {
            let message = format!("this server has no method {method}; tools/list shows its tools");
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
        }
    }
}

/// Why a value is not of the type, with the place of the problem.
fn problem_of<T: DeserializeOwned>(value: Value) -> Option<String> {
    serde_path_to_error::deserialize::<_, T>(value).err().map(|error| error.to_string())
}
