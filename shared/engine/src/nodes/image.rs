//! The node type `image`: generates images from a prompt.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, Fields, NodeKind, NodeResult, Operation, SLOW, policy::Policies};
use domain::language::Translated;
use domain::catalog::Purpose;
use domain::reference::Reference;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageNode<T = Jinja> {
    /// An image model of the catalog.
    #[schema(min_length = 1, max_length = 200, example = "dev-image")]
    pub preset: String,
    #[schema(inline)]
    pub prompt: T,
    /// The number of images; one by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 4, nullable = false)]
    pub n: Option<u32>,
    /// The size in pixels; `1024x1024` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 3, max_length = 20, nullable = false, example = "1024x1024")]
    pub size: Option<String>,
}

impl NodeKind for ImageNode {
    const NAME: &'static str = "image";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Generates images; its value is the list of images, each {url}. A URL is valid for an hour.",
        "Genera imágenes; su valor es la lista de imágenes, cada una {url}. Una URL es válida durante una \
         hora.",
    );
    const EFFECTS: bool = true;
    const MODEL_PURPOSE: Option<Purpose> = Some(Purpose::Images);
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({"preset": "dev-image", "prompt": "A banner for {{ input.title }}", "n": 1})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let image = json!({"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}});
        json!({"type": "array", "items": image})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Model(self.preset.clone()), "preset")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Image)
    }
}
