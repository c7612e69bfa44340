//! A workflow is drawn, tried, published twice, compared, exported, copied and deleted.

use serde_json::json;
use tests::process::Result;

use super::graphs::{self, WORKFLOW};
use crate::visitor::Visitor;

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let mut graph = graphs::order("input", visitor);
    graphs::create(visitor, &graph).await?;
    visitor.get("/builder/v1/workflows").await?;
    visitor.get(WORKFLOW).await?;
    visitor.post("/builder/v1/workflows/{id}/validate", json!({})).await?;
    visitor.post("/builder/v1/workflows/{id}/preview", json!({"input": graphs::input()})).await?;
    let expression = json!({"expression": "sum(input.lines) > 10", "data": {"input": graphs::input()}});
    visitor.post("/builder/v1/workflows/expression/preview", expression).await?;
    graphs::publish(visitor).await?;
    graph["nodes"][3]["config"]["template"] = json!("You owe {{ nodes.total.output.total }}");
    visitor.patch(WORKFLOW, json!({"graph": graph})).await?;
    graphs::publish(visitor).await?;
    let releases = visitor.get("/builder/v1/workflows/{id}/releases").await?;
    visitor.set("release", &releases["data"][1]["id"])?;
    visitor.get("/builder/v1/workflows/{id}/releases/{release}/manifest").await?;
    visitor.get("/builder/v1/workflows/{id}/releases/{release}/diff/draft").await?;
    let exported = visitor.get("/builder/v1/workflows/{id}/export").await?;
    let own = json!(visitor.parameter("id"));
    let imported = visitor.post("/builder/v1/workflows/import", exported).await?;
    visitor.set("id", &imported["data"]["id"])?;
    graphs::delete(visitor).await?;
    visitor.set("id", &own)?;
    graphs::delete(visitor).await
}
