//! A workbench is created, runs its program, gets a variable, and is deleted.

use std::path::Path;

use serde_json::{Value, json};
use tests::process::Result;

use crate::visitor::Visitor;

const WORKBENCH: &str = "/workbenches/v1/{workbench}";

/// A plan whose labs run this program.
pub fn plan(program: &Path) -> Value {
    let resources = json!({"cpu": "1", "memory": "1Gi", "storage": "1Gi"});
    let image = json!({"name": "base", "reference": "base:1", "command": [program, "--socket", "{socket}"]});
    json!({"name": "Load", "workbenches": {
        "sizes": [{"name": "small", "resources": resources}], "default_size": "small",
        "ceiling": resources, "capacity": {"cpu": "500", "memory": "500Gi", "storage": "500Gi"},
        "max_workbenches": 500, "images": [image], "idle_stop_minutes": 30, "provisioning_timeout_minutes": 10,
    }})
}

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    // The name is taken until the deletion has ended.
    let name = format!("lab-{}", uuid::Uuid::now_v7().simple());
    let created = visitor.post("/workbenches/v1", json!({"name": name})).await?;
    visitor.set("workbench", &created["id"])?;
    visitor.get("/workbenches/v1").await?;
    visitor.until(WORKBENCH, |workbench| workbench["status"] == "ready").await?;
    visitor.get("/workbenches/v1/{workbench}/events").await?;
    visitor.get("/workbenches/v1/{workbench}/members").await?;
    visitor.delete(WORKBENCH).await.map(drop)
}
