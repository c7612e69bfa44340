//! The node type `embeddings`: computes the embeddings of texts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, NodeKind, NodeResult, Operation, SLOW, policy::Policies};
use domain::language::Translated;
use domain::catalog::Purpose;
use domain::reference::Reference;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddingsNode<V = Cel> {
    /// An embeddings model that `GET /builder/v1/models` lists.
    #[schema(min_length = 1, max_length = 200, example = "dev-embed")]
    pub model: String,
    /// A string, or a list of strings.
    #[schema(inline)]
    pub input: V,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 10000, nullable = false)]
    pub dimensions: Option<u32>,
}

impl NodeKind for EmbeddingsNode {
    const NAME: &'static str = "embeddings";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Computes the embeddings of texts; its value is the list of vectors, in the order of the texts.",
        "Calcula los embeddings de textos; su valor es la lista de vectores, en el orden de los textos.",
    );
    const EFFECTS: bool = true;
    const MODEL_PURPOSE: Option<Purpose> = Some(Purpose::Embeddings);
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({"model": "dev-embed", "input": "input.sentences"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Model(self.model.clone()), "model")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Embeddings)
    }
}
