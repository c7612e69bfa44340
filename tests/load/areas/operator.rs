//! What an operator looks at, and changes.

use serde_json::json;
use tests::process::Result;

use crate::visitor::Visitor;

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    for route in [
        "/gateway/v1/admin/models",
        "/gateway/v1/admin/orgs",
        "/gateway/v1/admin/users",
        "/gateway/v1/admin/audit?limit=100",
        "/gateway/v1/billing/admin/balances",
        "/gateway/v1/billing/admin/usage",
    ] {
        visitor.get(route).await?;
    }
    visitor.set("alias", &json!(visitor.name))?;
    visitor.put("/gateway/v1/admin/aliases/{alias}", json!({"model": "dev-chat"})).await?;
    visitor.delete("/gateway/v1/admin/aliases/{alias}").await.map(drop)
}
