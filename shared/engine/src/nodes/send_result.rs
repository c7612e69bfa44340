//! What a run gives back.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Kind};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendResult {
    /// The run's output; what came in when left out.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub output: Option<Cel>,
}

impl Kind for SendResult {
    const NAME: &'static str = "send_result";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: &'static str = "Gives the run's output, which is what a waiting webhook answers.";

    fn example() -> Value {
        json!({"output": "{'answer': input}"})
    }
}
