//! The node type `code`: computes a value with JavaScript.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::JavaScript;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeNode {
    /// The body of an async function. Its `return` gives the value of the node.
    #[schema(inline)]
    pub javascript: JavaScript,
}

impl NodeKind for CodeNode {
    const NAME: &'static str = "code";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Computes a value with JavaScript. The code sees input, nodes, vars and run, and returns a value. It has no access \
         to files, the network, timers or modules; call other systems with other nodes. Date and Math.random give the same \
         values when a run is repeated. console.log writes to the trace of the run.",
        "Calcula un valor con JavaScript. El código ve input, nodes, vars y run, y devuelve un valor. No tiene acceso a \
         archivos, la red, temporizadores ni módulos; llame a otros sistemas con otros nodos. Date y Math.random dan los \
         mismos valores cuando se repite una ejecución. console.log escribe en la traza de la ejecución.",
    );

    fn example() -> Value {
        json!({"javascript": "const paid = input.orders.filter((order) => order.paid);\nreturn { count: paid.length, total: paid.reduce((sum, order) => sum + order.price, 0) };"})
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        Ok(NodeAction::Return(fields.value("javascript")?.unwrap_or_default()))
    }
}
