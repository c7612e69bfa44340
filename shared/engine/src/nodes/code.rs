//! The node type `code`: computes a value with JavaScript.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::JavaScript;
use super::port::{self, PortName};
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, OUT, StepError};
use crate::schema::FieldProblem;
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeNode {
    /// The body of an async function. Its `return` gives the value of the node.
    #[schema(inline)]
    pub javascript: JavaScript,
    /// The names of its input ports; `in` by default. With `itemMode`, `$inputs` has the items of each.
    #[serde(default)]
    #[schema(inline, min_items = 1, max_items = 10, nullable = false)]
    pub inputs: Option<Vec<PortName>>,
    /// The names of its output ports; `out` by default. With them, the value is a map from ports to values: the run continues at
    /// each port that it names.
    #[serde(default)]
    #[schema(inline, min_items = 1, max_items = 50, nullable = false)]
    pub outputs: Option<Vec<PortName>>,
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

    fn inputs(&self) -> Option<Vec<Cow<'static, str>>> {
        self.inputs.as_deref().map(port::names)
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        self.outputs.as_deref().map_or_else(|| vec![OUT.into()], port::names)
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let lists = [("inputs", &self.inputs), ("outputs", &self.outputs)];
        lists.into_iter().flat_map(|(field, names)| port::problems(field, names.as_deref().unwrap_or_default())).collect()
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let value = fields.value("javascript")?.unwrap_or_default();
        let Some(outputs) = &self.outputs else { return Ok(NodeAction::Return(value)) };
        let names: Vec<&str> = outputs.iter().map(|PortName(name)| name.as_str()).collect();
        match value {
            Value::Object(values) if values.keys().all(|name| names.contains(&name.as_str())) => {
                Ok(NodeAction::Split(values))
            }
            _ => {
                let message = format!("the JavaScript must return a map from its outputs to values; they are {}", names.join(", "));
                Err(StepError::new("code_result", message))
            }
        }
    }
}
