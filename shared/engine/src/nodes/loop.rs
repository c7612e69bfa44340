//! The node type `loop`: runs its body once for each element of a list, or in rounds. The body begins at the port `item` and
//! ends at the port `next`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, IN, InputPort, NodeAction, NodeKind, NodeResult, StepError};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopNode {
    /// A list. In the body, `vars.item` is the element and `vars.index` its index, from 0.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub items: Option<Cel>,
    /// Instead of `items`: the body runs in rounds, at most this number. The first round gets the input of the node, and each
    /// further one what came back to the port `next`. When nothing came back, the loop ends: its value is the last one that
    /// reached the port `result`. It fails if something comes back after the last round. In the body, `vars.item` is what the
    /// round got and `vars.index` its number, from 0.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1_000, nullable = false)]
    pub max_rounds: Option<u32>,
    /// The number of elements that are processed at once; one by default.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 20, nullable = false)]
    pub concurrency: Option<u32>,
    /// What happens when the body fails for an element; `fail` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub on_item_error: Option<OnItemError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnItemError {
    /// The loop fails.
    Fail,
    /// The element is left out of the result.
    Skip,
    /// The result of the element is null.
    Null,
}

/// A loop that begins.
#[derive(Debug)]
pub struct LoopStart {
    pub items: Vec<Value>,
    pub concurrency: usize,
    pub on_item_error: OnItemError,
    /// The most rounds of a loop without a list. Its only item is what the first round gets.
    pub max_rounds: Option<usize>,
}

/// The output port where the body begins.
pub const ITEM: &str = "item";
/// The input port where the body ends, with the result of the element, or with what the next round gets.
pub const NEXT: &str = "next";
/// The input port of a loop in rounds for its value.
pub const RESULT: &str = "result";
/// The field that makes a loop run in rounds.
pub const MAX_ROUNDS: &str = "maxRounds";

/// The output port that continues after the loop, with the list of results.
pub const DONE: &str = "done";

pub(super) const INPUTS: &[InputPort] = &[InputPort { name: IN, optional: false }, InputPort { name: NEXT, optional: true }];

impl NodeKind for LoopNode {
    const NAME: &'static str = "loop";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Runs its body for each element of a list: the body begins at the port item and ends at the port \
         next; the port done has the list of results. With maxRounds, it repeats its body as long as \
         something comes back to next; the port done has what reached the port result.",
        "Ejecuta su cuerpo para cada elemento de una lista: el cuerpo empieza en el puerto item y termina \
         en el puerto next; el puerto done tiene la lista de resultados. Con maxRounds, repite su cuerpo \
         mientras algo vuelva a next; el puerto done tiene lo que llegó al puerto result.",
    );

    const IS_LOOP: bool = true;

    fn example() -> Value {
        json!({"items": "input.lines", "concurrency": 4, "onItemError": "skip"})
    }

    fn inputs(&self) -> Option<Vec<Cow<'static, str>>> {
        self.max_rounds.map(|_| vec![IN.into(), NEXT.into(), RESULT.into()])
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![ITEM.into(), DONE.into()]
    }

    fn output_schema(&self, port: &str) -> Value {
        if port == DONE && self.max_rounds.is_none() { json!({"type": "array"}) } else { json!({}) }
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let of_items = [
            ("items", self.items.is_some()),
            ("concurrency", self.concurrency.is_some()),
            ("onItemError", self.on_item_error.is_some()),
        ];
        match self.max_rounds {
            Some(_) => {
                let not_allowed = || {
                    translated!(
                        "is not allowed with maxRounds; remove one of them",
                        "no se permite con maxRounds; quite uno de los dos"
                    )
                };
                let given = of_items.into_iter().filter(|(_, is_given)| *is_given);
                given.map(|(field, _)| (field.to_owned(), not_allowed())).collect()
            }
            None if self.items.is_none() => {
                let message = translated!(
                    "is missing; write the list, or maxRounds to repeat the body",
                    "falta; escriba la lista, o maxRounds para repetir el cuerpo"
                );
                vec![("items".to_owned(), message)]
            }
            None => Vec::new(),
        }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let Some(most) = self.max_rounds else { return self.start("items", fields) };
        Ok(NodeAction::Loop(LoopStart {
            items: vec![Value::clone(fields.input)],
            concurrency: 1,
            on_item_error: OnItemError::Fail,
            max_rounds: Some(most as usize),
        }))
    }
}

impl LoopNode {
    /// Begins the loop over the list in this field.
    pub fn start(&self, items: &str, fields: &Fields) -> NodeResult {
        let Some(Value::Array(items)) = fields.value(items)? else {
            return Err(StepError::new("invalid_value", format!("config.{items}: the value must be a list")));
        };
        Ok(NodeAction::Loop(LoopStart {
            items,
            concurrency: self.concurrency.unwrap_or(1).max(1) as usize,
            on_item_error: self.on_item_error.unwrap_or(OnItemError::Fail),
            max_rounds: None,
        }))
    }
}
