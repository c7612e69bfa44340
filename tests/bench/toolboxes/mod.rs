//! The MCP servers that are compared: each has a tool that answers `Ada owes 42`.

mod fastmcp;

use clap::ValueEnum;
use serde_json::{Value, json};
use tests::assistant::{LATEST, introduce};

use crate::call::Service;
use crate::flow::{self, Flow};
use crate::gateways::litellm;
use crate::load::Target;
use crate::subject::{ATELIER, DIRECT, Folders, Name, Subject};
use crate::{Result, atelier, direct, legend};

/// The name of the tool everywhere.
pub const TOOL: &str = "bill";
/// The path of the mock's MCP server.
pub const MOCK_PATH: &str = "/mcp";

pub const FASTMCP: Name = "fastmcp";
pub const DOOR: Name = "atelier door";
pub const LITELLM_DOOR: Name = "litellm door";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Toolbox {
    /// The mock's tool, which computes nothing
    Direct,
    /// A published workflow of five steps as a tool: each call is a run that records every step
    Atelier,
    /// A function in the official SDK for Python: it records nothing
    Fastmcp,
    /// The mock's tool behind Atelier's gateway, with keys, allowed tools, limits and the log of calls
    AtelierDoor,
    /// The mock's tool behind `LiteLLM`, with its master key
    LitellmDoor,
}

impl Toolbox {
    /// The line of the legend.
    pub fn describe(self) -> String {
        let version = match self {
            Self::Direct | Self::Atelier | Self::AtelierDoor => "",
            Self::Fastmcp => fastmcp::VERSION,
            Self::LitellmDoor => litellm::VERSION,
        };
        legend::describe(self, self.name(), version)
    }

    pub fn name(self) -> Name {
        match self {
            Self::Direct => DIRECT,
            Self::Atelier => ATELIER,
            Self::Fastmcp => FASTMCP,
            Self::AtelierDoor => DOOR,
            Self::LitellmDoor => LITELLM_DOOR,
        }
    }

    /// Starts the server, and warms it up with calls.
    pub async fn start(self, folders: &Folders, mock_port: u16) -> Result<Subject> {
        let (cache, folder) = (&folders.cache, folders.create(self.name())?);
        let started = match self {
            Self::Direct => {
                let (_, process) = direct::start(&folder, mock_port).await?;
                (target(mock_port, MOCK_PATH, Vec::new()), process)
            }
            Self::Atelier => atelier::start_tool(&folder, Flow::Pure).await?,
            Self::Fastmcp => fastmcp::start(cache, &folder).await?,
            Self::AtelierDoor => atelier::start_door(&folder, mock_port).await?,
            Self::LitellmDoor => litellm::start_door(cache, &folder, mock_port).await?,
        };
        let subject = Subject::new(self.name(), started);
        subject.warm_up().await?;
        Ok(subject)
    }
}

/// An MCP server. Each call is a request of its own, without a session.
pub fn target(port: u16, path: &str, headers: Vec<(String, String)>) -> Target {
    target_of(port, path, headers, TOOL)
}

/// The same, for a server that has the tool under another name.
pub fn target_of(port: u16, path: &str, mut headers: Vec<(String, String)>, tool: &str) -> Target {
    let own = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", LATEST),
        ("mcp-method", "tools/call"),
        ("mcp-name", tool),
    ];
    headers.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Target { port, path: path.to_owned(), headers, service: Service::Tool { name: tool.to_owned() } }
}

/// The message that calls the tool.
pub fn message(tool: &str) -> Value {
    let mut params = json!({"name": tool, "arguments": flow::input()});
    introduce(&mut params, "bench", "1");
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}
