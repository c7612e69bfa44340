//! The same for each element of a list. What hangs on `item` is its body, up to where it comes back to `next`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, IN, Input, Kind};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Loop {
    /// A list. Within the body, `vars.item` is the element and `vars.index` its place, from 0.
    #[schema(inline)]
    pub items: Cel,
    /// How many elements are worked on at once; one when left out.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 20, nullable = false)]
    pub concurrency: Option<u32>,
    /// What follows when the body fails for an element; `fail` when left out.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub on_item_error: Option<OnItemError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnItemError {
    /// The loop fails.
    Fail,
    /// The result leaves the element out.
    Skip,
    /// Its result is null.
    Null,
}

/// Where the body begins.
pub const ITEM: &str = "item";
/// Where it comes back to, with the element's result.
pub const NEXT: &str = "next";

/// Where the list of results goes on.
pub const DONE: &str = "done";

pub(super) const INPUTS: &[Input] = &[Input { name: IN, optional: false }, Input { name: NEXT, optional: true }];

impl Kind for Loop {
    const NAME: &'static str = "loop";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: &'static str =
        "Goes through a list: item leads into the body, which comes back to next; done has the list of results.";

    fn example() -> Value {
        json!({"items": "input.lines", "concurrency": 4, "onItemError": "skip"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![ITEM.into(), DONE.into()]
    }
}
