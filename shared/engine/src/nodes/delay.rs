//! A wait, which holds nothing but its place.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Kind};

/// Either how long, or until when.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delay {
    #[serde(default)]
    #[schema(minimum = 1, maximum = 2592000, nullable = false)]
    pub seconds: Option<u64>,
    /// A time, such as `timestamp(input.dueAt)`.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub until: Option<Cel>,
}

impl Kind for Delay {
    const NAME: &'static str = "delay";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: &'static str = "Waits, up to 30 days; its value is what came in.";

    fn example() -> Value {
        json!({"seconds": 3600})
    }

    fn problems(&self) -> Vec<(String, String)> {
        match (self.seconds, &self.until) {
            (Some(_), Some(_)) => vec![("until".to_owned(), "either seconds or until".to_owned())],
            (None, None) => vec![("seconds".to_owned(), "is missing".to_owned())],
            _ => Vec::new(),
        }
    }
}
