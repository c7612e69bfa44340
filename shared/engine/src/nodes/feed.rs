//! The node type `feed`: reads an RSS, Atom or JSON feed.

use domain::language::Translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Jinja;
use super::{Category, Fields, NodeKind, NodeResult, Operation, address, policy::Policies};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeedNode<T = Jinja> {
    /// The address of the feed: a template, as in `https://example.com/feed.xml`.
    #[schema(inline)]
    pub url: T,
    /// The maximum number of entries, in the order of the feed; 50 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, nullable = false)]
    pub limit: Option<u32>,
    /// The credential of the workflow that authenticates the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub credential_id: Option<Uuid>,
}

impl NodeKind for FeedNode {
    const NAME: &'static str = "feed";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Reads an RSS, Atom or JSON feed; its value is {title, link, description, items}. Each item has an id, a title, \
         a link, texts, an author, times, categories and attachments; what the feed does not say is null.",
        "Lee un feed RSS, Atom o JSON; su valor es {title, link, description, items}. Cada elemento tiene un id, un título, \
         un enlace, textos, un autor, horas, categorías y adjuntos; lo que el feed no dice es null.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({"url": "https://example.com/{{ input.topic }}/feed.xml", "limit": 20})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let (text, list) = (json!({"type": ["string", "null"]}), |items: Value| json!({"type": "array", "items": items}));
        let time = json!({"type": ["string", "null"], "format": "date-time"});
        let attachment = json!({
            "type": "object", "required": ["url", "contentType", "bytes"], "additionalProperties": false,
            "properties": {"url": {"type": "string"}, "contentType": text, "bytes": {"type": ["integer", "null"]}},
        });
        let item = json!({
            "type": "object", "additionalProperties": false,
            "required": [
                "id", "title", "link", "summary", "content", "author", "published", "updated", "categories", "attachments",
            ],
            "properties": {
                "id": text, "title": text, "link": text, "summary": text, "content": text, "author": text,
                "published": time, "updated": time, "categories": list(json!({"type": "string"})),
                "attachments": list(attachment),
            },
        });
        json!({
            "type": "object", "required": ["title", "link", "description", "items"], "additionalProperties": false,
            "properties": {"title": text, "link": text, "description": text, "items": list(item)},
        })
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let problem = address::template_problem(&self.url);
        problem.map(|problem| ("url".to_owned(), problem.into())).into_iter().collect()
    }

    fn credential(&self) -> Option<(Uuid, &'static str)> {
        self.credential_id.map(|id| (id, "credentialId"))
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Feed)
    }
}
