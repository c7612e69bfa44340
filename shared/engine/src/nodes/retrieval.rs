//! The node type `retrieval`: finds relevant passages by vector similarity.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, NodeKind, SLOW, policy::Policies};
use domain::catalog::Purpose;
use domain::reference::Reference;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetrievalNode {
    /// An embeddings model that `GET /builder/v1/models` lists.
    #[schema(min_length = 1, max_length = 200, example = "dev-embed")]
    pub model: String,
    #[schema(inline)]
    pub query: Jinja,
    #[schema(inline, min_items = 1, max_items = 64)]
    pub sources: Vec<PassageSource>,
    /// The maximum number of passages; 5 by default.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 50, nullable = false)]
    pub top_k: Option<u32>,
    /// Passages with a lower score are left out.
    #[serde(default)]
    #[schema(minimum = -1, maximum = 1, nullable = false)]
    pub min_score: Option<f64>,
}

/// The origin of passages.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum PassageSource {
    Text {
        #[schema(min_length = 1, max_length = 200)]
        name: String,
        #[schema(min_length = 1, max_length = 65536)]
        text: String,
    },
    Url {
        #[schema(min_length = 1, max_length = 200)]
        name: String,
        #[schema(min_length = 1, max_length = 2000)]
        url: String,
    },
}

impl NodeKind for RetrievalNode {
    const NAME: &'static str = "retrieval";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: &'static str =
        "Finds the passages of its sources that are relevant to a query; its value is the list of passages, each \
         {source, text, score}, the best first.";
    const EFFECTS: bool = true;
    const MODEL_PURPOSE: Option<Purpose> = Some(Purpose::Embeddings);
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({
            "model": "dev-embed", "query": "{{ input.question }}", "topK": 3,
            "sources": [{"type": "text", "name": "Returns", "text": "Goods can be returned within 30 days."}],
        })
    }

    fn problems(&self) -> Vec<(String, String)> {
        let problems = self.sources.iter().enumerate().filter_map(|(index, source)| match source {
            PassageSource::Url { url, .. } => Some((format!("sources[{index}].url"), domain::address::problem(url)?.to_owned())),
            PassageSource::Text { .. } => None,
        });
        problems.collect()
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Model(self.model.clone()), "model")]
    }
}
