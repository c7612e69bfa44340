//! The node type `switch`: continues at one of several ports.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, ERROR, Fields, NodeAction, NodeKind, NodeResult};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SwitchNode {
    /// The cases in order: the first one whose expression is true is taken.
    #[schema(inline, min_items = 1, max_items = 50)]
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name of the output port.
    #[schema(min_length = 1, max_length = 64, example = "urgent")]
    pub name: String,
    #[schema(inline)]
    pub expression: Cel,
}

const DEFAULT: &str = "default";

impl NodeKind for SwitchNode {
    const NAME: &'static str = "switch";
    const CATEGORY: Category = Category::Logic;
    const HAS_CONDITIONS: bool = true;
    const DESCRIPTION: Translated = Translated::new(
        "Continues at the port of the first case that is true, otherwise at default: its ports are the \
         names of its cases, and default. Its value is its input.",
        "Continúa por el puerto del primer caso verdadero; si no hay ninguno, por default: sus puertos \
         son los nombres de sus casos, y default. Su valor es su entrada.",
    );
    const CAN_REPEAT: bool = false;
    const CAN_WORK_ON_ITEMS: bool = false;

    fn example() -> Value {
        json!({"cases": [
            {"name": "urgent", "expression": "input.priority > 2"}, {"name": "question", "expression": "input.text.endsWith('?')"},
        ]})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        let cases = self.cases.iter().map(|case| Cow::Owned(case.name.clone()));
        cases.chain([Cow::Borrowed(DEFAULT)]).collect()
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut names = HashSet::new();
        let problems = self.cases.iter().enumerate().filter_map(|(index, Case { name, .. })| {
            let problem = match name.as_str() {
                DEFAULT | ERROR => translated!(
                    "`{name}` is the name of another port; rename the case",
                    "`{name}` es el nombre de otro puerto; cambie el nombre del caso"
                ),
                name if !names.insert(name) => translated!(
                    "there is already a case `{name}`; rename this one",
                    "ya hay un caso `{name}`; cambie el nombre de este"
                ),
                _ => return None,
            };
            Some((format!("cases[{index}].name"), problem))
        });
        problems.collect()
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        for (index, case) in self.cases.iter().enumerate() {
            if fields.holds(&format!("cases[{index}].expression"))? {
                return Ok(NodeAction::Choose(case.name.clone().into()));
            }
        }
        Ok(NodeAction::Choose(DEFAULT.into()))
    }
}
