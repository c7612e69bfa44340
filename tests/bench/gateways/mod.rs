//! The gateways that are compared.

mod envoy;
pub mod litellm;
mod portkey;
mod router;

use clap::ValueEnum;
use router::Router;

use crate::subject::{ATELIER, Folders, Name, Subject};
use crate::{Result, atelier, cores, legend};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Gateway {
    /// Atelier with keys, limits, money, its ledger and its database
    Atelier,
    /// Atelier with `guard: true` in each call
    Guarded,
    /// The gateway of `SGLang`, here in front of a provider (Rust)
    Smg,
    /// The router of vLLM, which sends calls to model servers (Rust)
    VllmRouter,
    /// Envoy as a plain proxy: the floor
    Envoy,
    /// Portkey (TypeScript)
    Portkey,
    /// `LiteLLM` (Python)
    Litellm,
}

/// The gateway of `SGLang`: it forwards calls to a provider with `OpenAI`'s API.
const SMG_ROUTER: Router =
    Router { name: SMG, version: "1.13.0", args: &["launch", "--backend", "openai", "--log-level", "warn"] };
/// The router of vLLM: it forwards calls to one of several model servers.
const VLLM_ROUTER: Router = Router { name: "vllm-router", version: "0.1.17", args: &["--log-level", "warning"] };

pub const SMG: Name = "smg";
pub const PORTKEY: Name = "portkey";
pub const LITELLM: Name = "litellm";

impl Gateway {
    /// The line of the legend.
    pub fn describe(self) -> String {
        let version = match self {
            Self::Atelier | Self::Guarded => "",
            Self::Smg => SMG_ROUTER.version,
            Self::VllmRouter => VLLM_ROUTER.version,
            Self::Envoy => envoy::VERSION,
            Self::Portkey => portkey::VERSION,
            Self::Litellm => litellm::VERSION,
        };
        legend::describe(self, self.name(), version)
    }

    pub fn name(self) -> Name {
        match self {
            Self::Atelier => ATELIER,
            Self::Guarded => "atelier+guard",
            Self::Smg => SMG,
            Self::VllmRouter => VLLM_ROUTER.name,
            Self::Envoy => "envoy",
            Self::Portkey => PORTKEY,
            Self::Litellm => LITELLM,
        }
    }

    /// Whether its program is built from this repository.
    pub fn is_built(self) -> bool {
        matches!(self, Self::Atelier | Self::Guarded)
    }

    /// Starts the gateway in front of the mock, moves it to a core if one is given, and warms it up.
    pub async fn start(self, folders: &Folders, mock_port: u16, core: Option<usize>) -> Result<Subject> {
        let (cache, folder) = (&folders.cache, folders.create(self.name())?);
        let started = match self {
            Self::Atelier => atelier::start_gateway(&folder, mock_port, false).await?,
            Self::Guarded => atelier::start_gateway(&folder, mock_port, true).await?,
            Self::Smg => SMG_ROUTER.start(cache, &folder, mock_port).await?,
            Self::VllmRouter => VLLM_ROUTER.start(cache, &folder, mock_port).await?,
            Self::Envoy => envoy::start(cache, &folder, mock_port).await?,
            Self::Portkey => portkey::start(cache, &folder, mock_port).await?,
            Self::Litellm => litellm::start(cache, &folder, mock_port).await?,
        };
        let subject = Subject::new(self.name(), started);
        for process in &subject.processes {
            if let Some(core) = core {
                cores::pin(process.id(), core).await?;
            }
        }
        subject.warm_up().await?;
        Ok(subject)
    }
}
