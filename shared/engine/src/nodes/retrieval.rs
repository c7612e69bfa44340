//! The node type `retrieval`: finds relevant passages by vector similarity.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, Fields, NodeKind, NodeResult, Operation, SLOW, policy::Policies};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::agent::AgentSource;
use domain::catalog::Purpose;
use domain::reference::Reference;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetrievalNode<T = Jinja> {
    /// An embeddings model that `GET /builder/v1/models` lists.
    #[schema(min_length = 1, max_length = 200, example = "dev-embed")]
    pub model: String,
    #[schema(inline)]
    pub query: T,
    #[schema(inline, min_items = 1, max_items = 64)]
    pub sources: Vec<PassageSource>,
    /// The maximum number of passages; 5 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 50, nullable = false)]
    pub top_k: Option<u32>,
    /// Passages with a lower score are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1, maximum = 1, nullable = false)]
    pub min_score: Option<f64>,
}

/// The origin of passages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
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
    /// A small text file, embedded in the workflow.
    #[serde(rename_all = "camelCase")]
    File {
        #[schema(min_length = 1, max_length = 200)]
        name: String,
        /// HTML, JSON, XML, YAML or another text, such as `text/markdown`.
        #[schema(min_length = 1, max_length = 200, example = "text/markdown")]
        media_type: String,
        /// At most 256 KiB.
        #[schema(min_length = 1, max_length = 349528)]
        base64: String,
    },
}

impl From<AgentSource> for PassageSource {
    fn from(source: AgentSource) -> Self {
        match source {
            AgentSource::Text { name, text } => Self::Text { name, text },
            AgentSource::Url { name, url } => Self::Url { name, url },
            AgentSource::File { name, media_type, base64 } => Self::File { name, media_type, base64 },
        }
    }
}

/// How the text of a document is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// The text without its markup.
    Html,
    /// The text as it is.
    Plain,
}

impl TextFormat {
    /// The format of a media type. None for documents that are no texts, such as PDF.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        match domain::media_type::without_parameters(media_type).as_str() {
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "application/json" | "application/xml" | "application/yaml" | "application/x-yaml" | "application/toml"
            | "application/x-ndjson" => Some(Self::Plain),
            // RTF has more markup than text.
            "text/rtf" => None,
            other if other.starts_with("text/") => Some(Self::Plain),
            other if other.starts_with("application/") && (other.ends_with("+json") || other.ends_with("+xml")) => {
                Some(Self::Plain)
            }
            _ => None,
        }
    }
}

impl PassageSource {
    pub fn name(&self) -> &str {
        match self {
            Self::Text { name, .. } | Self::Url { name, .. } | Self::File { name, .. } => name,
        }
    }

    /// The field that is not valid, and the reason.
    fn problem(&self) -> Option<(&'static str, Translated)> {
        match self {
            Self::Text { .. } => None,
            Self::Url { url, .. } => domain::address::problem(url).map(|problem| ("url", problem)),
            Self::File { media_type, .. } if TextFormat::from_media_type(media_type).is_none() => {
                let problem = Translated::new(
                    "is not the type of a text; convert the file to Markdown, HTML or plain text",
                    "no es un tipo de texto; convierta el archivo a Markdown, HTML o texto sin formato",
                );
                Some(("mediaType", problem))
            }
            Self::File { base64, .. } => {
                let problem = Translated::new("not base64", "no es base64");
                BASE64_STANDARD.decode(base64).is_err().then_some(("base64", problem))
            }
        }
    }
}

/// The maximum number of passages, if the configuration sets none.
pub const DEFAULT_TOP_K: u32 = 5;

impl NodeKind for RetrievalNode {
    const NAME: &'static str = "retrieval";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Finds the passages of its sources that are relevant to a query, by the similarity of their \
         embeddings; its value is the list of passages, each {source, text, score}, the best first. \
         Sources are texts, small text files and URLs, which are read again in each call.",
        "Busca en sus fuentes los pasajes relevantes para una consulta, por la similitud de sus \
         embeddings; su valor es la lista de pasajes, cada uno {source, text, score}, el mejor primero. \
         Las fuentes son textos, archivos de texto pequeños y URL, que se leen de nuevo en cada llamada.",
    );
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

    fn output_schema(&self, _port: &str) -> Value {
        let passage = json!({
            "type": "object", "required": ["source", "text", "score"], "additionalProperties": false,
            "properties": {
                "source": {"type": "string"}, "text": {"type": "string"},
                "score": {"type": "number", "minimum": -1, "maximum": 1},
            },
        });
        json!({"type": "array", "maxItems": self.top_k.unwrap_or(DEFAULT_TOP_K), "items": passage})
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let problems = self.sources.iter().enumerate().filter_map(|(index, source)| {
            let (field, problem) = source.problem()?;
            Some((format!("sources[{index}].{field}"), problem.into()))
        });
        problems.collect()
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Model(self.model.clone()), "model")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Retrieval)
    }
}
