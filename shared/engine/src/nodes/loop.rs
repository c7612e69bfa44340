//! The node type `loop`: runs its body once for each element of a list. The body begins at the port `item` and ends at
//! the port `next`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, IN, InputPort, NodeAction, NodeKind, NodeResult, StepError};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopNode {
    /// A list. In the body, `vars.item` is the element and `vars.index` its index, from 0.
    #[schema(inline)]
    pub items: Cel,
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
}

/// The output port where the body begins.
pub const ITEM: &str = "item";
/// The input port where the body ends, with the result of the element.
pub const NEXT: &str = "next";

/// The output port that continues after the loop, with the list of results.
pub const DONE: &str = "done";

pub(super) const INPUTS: &[InputPort] = &[InputPort { name: IN, optional: false }, InputPort { name: NEXT, optional: true }];

impl NodeKind for LoopNode {
    const NAME: &'static str = "loop";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Runs its body for each element of a list: the body begins at the port item and ends at the port \
         next; the port done has the list of results.",
        "Ejecuta su cuerpo para cada elemento de una lista: el cuerpo empieza en el puerto item y termina \
         en el puerto next; el puerto done tiene la lista de resultados.",
    );

    const IS_LOOP: bool = true;

    fn example() -> Value {
        json!({"items": "input.lines", "concurrency": 4, "onItemError": "skip"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![ITEM.into(), DONE.into()]
    }

    fn output_schema(&self, port: &str) -> Value {
        if port == DONE { json!({"type": "array"}) } else { json!({}) }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        self.start("items", fields)
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
        }))
    }
}
