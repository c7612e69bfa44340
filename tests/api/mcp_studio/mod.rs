//! The studio, `/mcp/v1/studio`: coding assistants build workflows with it.

mod access;
mod answers;
mod assistant;
mod fixes;
mod paths;
mod protocol;

const WORKFLOWS: &str = "/builder/v1/workflows";
const STUDIO: &str = "/mcp/v1/studio";
const NOWHERE: &str = "019cb8e2-3f4a-7c21-9b6d-000000000000";
