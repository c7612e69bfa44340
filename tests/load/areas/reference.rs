//! The pages, and what the console loads first.

use tests::process::Result;

use crate::visitor::Visitor;

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    for route in [
        "/health",
        "/docs/index.html",
        "/console",
        "/builder/v1/openapi.json",
        "/gateway/v1/me",
        "/builder/v1/members",
        "/builder/v1/models",
        "/builder/v1/workflows/node-types",
        "/builder/v1/workflows/templates",
        "/builder/v1/workflows/services",
    ] {
        visitor.get(route).await?;
    }
    Ok(())
}
