//! The node type `placeholder`: a node that is still to be made.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::policy::Policies;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, OUT};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

/// An import puts one in the place of each node that it cannot translate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceholderNode {
    /// What is to be done.
    #[schema(min_length = 1, max_length = 2_000)]
    pub message: String,
    /// The names of its output ports; `out` by default.
    #[serde(default)]
    #[schema(inline, min_items = 1, max_items = 50, nullable = false)]
    pub outputs: Option<Vec<PortName>>,
    /// The node of the platform that the workflow was imported from.
    #[serde(default)]
    #[schema(value_type = Object, nullable = false)]
    pub original: Option<Value>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(min_length = 1, max_length = 64)]
pub struct PortName(pub String);

impl NodeKind for PlaceholderNode {
    const NAME: &'static str = "placeholder";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Stands for a node that is still to be made: the workflow cannot be published with it. In a preview it passes on its \
         input, or its pinned output.",
        "Ocupa el lugar de un nodo que aún falta: el flujo no se puede publicar con él. En una vista previa pasa su entrada, o \
         su salida fijada.",
    );
    const POLICIES: Policies = Policies::NONE;
    const CAN_REPEAT: bool = false;

    fn example() -> Value {
        json!({"message": "Read the rows of the sheet"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        match &self.outputs {
            None => vec![OUT.into()],
            Some(names) => names.iter().map(|PortName(name)| name.clone().into()).collect(),
        }
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut names = HashSet::new();
        let repeated = self.outputs.iter().flatten().enumerate().filter(|(_, PortName(name))| !names.insert(name));
        let problem = |(index, PortName(name)): (usize, &PortName)| {
            let message = translated!("there is already a port `{name}`", "ya hay un puerto `{name}`");
            (format!("outputs[{index}]"), message)
        };
        repeated.map(problem).collect()
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        let first = self.outputs().swap_remove(0);
        Ok(if first == OUT { NodeAction::Pass } else { NodeAction::Choose(first) })
    }
}
