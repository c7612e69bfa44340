//! Scopes: what the token of a service account may do in each area of the APIs.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A part of the builder and workbenches APIs that scopes name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeArea {
    Agents,
    Workflows,
    Runs,
    Threads,
    Workbenches,
}

/// `<area>:read` allows requests that change nothing (GET). `<area>:write` allows all requests of the area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = ServiceTokenScope)]
pub enum Scope {
    #[serde(rename = "agents:read")]
    ReadAgents,
    #[serde(rename = "agents:write")]
    WriteAgents,
    #[serde(rename = "workflows:read")]
    ReadWorkflows,
    #[serde(rename = "workflows:write")]
    WriteWorkflows,
    #[serde(rename = "runs:read")]
    ReadRuns,
    #[serde(rename = "runs:write")]
    WriteRuns,
    #[serde(rename = "threads:read")]
    ReadThreads,
    #[serde(rename = "threads:write")]
    WriteThreads,
    #[serde(rename = "workbenches:read")]
    ReadWorkbenches,
    #[serde(rename = "workbenches:write")]
    WriteWorkbenches,
}

impl Scope {
    /// The scope that requests of an area need, with a method that is safe or not.
    pub fn needed(area: ScopeArea, is_safe: bool) -> Self {
        let (read, write) = match area {
            ScopeArea::Agents => (Self::ReadAgents, Self::WriteAgents),
            ScopeArea::Workflows => (Self::ReadWorkflows, Self::WriteWorkflows),
            ScopeArea::Runs => (Self::ReadRuns, Self::WriteRuns),
            ScopeArea::Threads => (Self::ReadThreads, Self::WriteThreads),
            ScopeArea::Workbenches => (Self::ReadWorkbenches, Self::WriteWorkbenches),
        };
        if is_safe { read } else { write }
    }

    /// Whether these scopes allow a request in the area: writing includes reading.
    pub fn allow(scopes: &[Self], area: ScopeArea, is_safe: bool) -> bool {
        scopes.contains(&Self::needed(area, false)) || (is_safe && scopes.contains(&Self::needed(area, true)))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_includes_reading_and_no_other_area() {
        let write = [Scope::WriteRuns];
        assert!(Scope::allow(&write, ScopeArea::Runs, true) && Scope::allow(&write, ScopeArea::Runs, false));
        let read = [Scope::ReadRuns];
        assert!(Scope::allow(&read, ScopeArea::Runs, true) && !Scope::allow(&read, ScopeArea::Runs, false));
        assert!(!Scope::allow(&write, ScopeArea::Threads, true) && !Scope::allow(&[], ScopeArea::Runs, true));
        assert_eq!(Scope::needed(ScopeArea::Workbenches, false).to_string(), "workbenches:write");
    }
}
