//! The engines of workflows that are compared.

mod dbos;
mod node_red;
mod postgres;
mod restate;

use std::fs;
use std::path::Path;

use clap::ValueEnum;
use reqwest::Method;
use serde_json::Value;

use crate::flow::Flow;
use crate::load::Target;
use crate::subject::{ATELIER, Folders, Name, Subject};
use crate::{Result, atelier, legend};
use tests::process::{Process, client};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Atelier, which records every step
    Atelier,
    /// Atelier with `--sync full`: every acknowledged write is on the disk, as it is with Restate and DBOS
    AtelierFull,
    /// Restate, which records every step with `ctx.run`
    Restate,
    /// Restate, which records only the arrival and the answer of a run
    RestateEnds,
    /// DBOS on Postgres, which records every step
    Dbos,
    /// DBOS on Postgres, which records only the arrival and the answer of a run
    DbosEnds,
    /// Node-RED, which records nothing
    NodeRed,
}

pub const RESTATE: Name = "restate";
pub const RESTATE_ENDS: Name = "restate-ends";
pub const DBOS: Name = "dbos";
pub const DBOS_ENDS: Name = "dbos-ends";
pub const NODE_RED: Name = "node-red";

/// What an engine serves.
pub struct Served {
    /// Runs that are answered with their result.
    pub runs: Target,
    /// Runs that are answered at once.
    pub starts: Option<Starts>,
}

/// What an engine serves, and its processes: often a server, and the program that performs the steps.
pub type Running = (Served, Vec<Process>);

pub struct Starts {
    pub target: Target,
    pub ended: Counter,
}

/// A request whose answer has the number of runs that have completed so far.
pub struct Counter {
    pub method: Method,
    pub url: String,
    pub token: Option<String>,
    pub body: Value,
    /// The JSON pointer of the number.
    pub pointer: &'static str,
}

impl Engine {
    /// The line of the legend.
    pub fn describe(self) -> String {
        let version = match self {
            Self::Atelier | Self::AtelierFull => "",
            Self::Restate | Self::RestateEnds => restate::VERSION,
            Self::Dbos | Self::DbosEnds => dbos::VERSION,
            Self::NodeRed => node_red::VERSION,
        };
        legend::describe(self, self.name(), version)
    }

    pub fn name(self) -> Name {
        match self {
            Self::Atelier => ATELIER,
            Self::AtelierFull => "atelier-full",
            Self::Restate => RESTATE,
            Self::RestateEnds => RESTATE_ENDS,
            Self::Dbos => DBOS,
            Self::DbosEnds => DBOS_ENDS,
            Self::NodeRed => NODE_RED,
        }
    }

    /// Starts the engine with a flow, and warms it up with runs.
    pub async fn start(self, folders: &Folders, flow: Flow, mock_port: u16) -> Result<(Subject, Option<Starts>)> {
        let (cache, folder) = (&folders.cache, folders.create(self.name())?);
        let (served, processes) = match self {
            Self::Atelier => atelier::start_engine(&folder, flow, mock_port, false).await?,
            Self::AtelierFull => atelier::start_engine(&folder, flow, mock_port, true).await?,
            Self::Restate => restate::start(cache, &folder, flow, mock_port, true).await?,
            Self::RestateEnds => restate::start(cache, &folder, flow, mock_port, false).await?,
            Self::Dbos => dbos::start(cache, &folder, flow, mock_port, true).await?,
            Self::DbosEnds => dbos::start(cache, &folder, flow, mock_port, false).await?,
            Self::NodeRed => node_red::start(cache, &folder, flow, mock_port).await?,
        };
        let subject = Subject { name: self.name(), target: served.runs, processes };
        subject.warm_up().await?;
        Ok((subject, served.starts))
    }
}

impl Counter {
    pub async fn read(&self) -> Result<usize> {
        let mut request = client()?.request(self.method.clone(), &self.url).header("accept", "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if !self.body.is_null() {
            request = request.json(&self.body);
        }
        let answer: Value = request.send().await?.json().await?;
        let number = answer.pointer(self.pointer).and_then(Value::as_u64);
        number.map(|number| number as usize).ok_or_else(|| format!("no number of ended runs: {answer}").into())
    }
}

/// The programs that perform the flows for Restate and DBOS, with the names of their files.
const PROGRAMS: [(&str, &str); 3] = [
    ("steps.mjs", include_str!("steps.mjs")),
    ("restate.mjs", include_str!("restate.mjs")),
    ("dbos.mjs", include_str!("dbos.mjs")),
];

/// Writes the programs beside the packages that they import.
fn write_programs(folder: &Path) -> Result<()> {
    for (name, text) in PROGRAMS {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
