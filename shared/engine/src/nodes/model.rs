//! The node type `model`: calls a chat model of the gateway.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::{Category, Fields, NodeKind, NodeResult, Operation, SLOW, policy::Policies};
use domain::language::Translated;
use domain::catalog::Purpose;
use domain::reference::Reference;
use crate::schema::{FieldProblem, faults};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelNode<V = Cel, T = Jinja> {
    /// A chat model that `GET /builder/v1/models` lists.
    #[schema(min_length = 1, max_length = 200, example = "dev-chat")]
    pub model: String,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub system: Option<T>,
    /// The user prompt.
    #[schema(inline)]
    pub prompt: T,
    /// Whether the model knows the earlier messages of the conversation, if a message started the run; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub memory: Option<bool>,
    /// Whether the prompt has the images and text files of the message that started the run; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attachments: Option<bool>,
    /// A list of files that the prompt has: each `{base64, contentType, name}`, or the URL of an image. The model must be able to
    /// read them: images, PDF documents and other texts, MP3 and WAV audio.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub files: Option<V>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 2, nullable = false, value_type = Option<f64>)]
    pub temperature: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2147483647, nullable = false)]
    pub max_tokens: Option<u32>,
    /// The JSON Schema (draft 2020-12) of the answer. With it, the value is JSON and not a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub schema: Option<Map<String, Value>>,
}

impl NodeKind for ModelNode {
    const NAME: &'static str = "model";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Calls a chat model of the gateway; its value is the text of the answer, or JSON that matches its \
         schema.",
        "Llama a un modelo de chat de la pasarela; su valor es el texto de la respuesta, o JSON que \
         cumple su esquema.",
    );
    const EFFECTS: bool = true;
    const MODEL_PURPOSE: Option<Purpose> = Some(Purpose::Chat);
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({"model": "dev-chat", "system": "Answer in one sentence.", "prompt": "{{ input.question }}", "temperature": 0.2})
    }

    fn output_schema(&self, _port: &str) -> Value {
        self.schema.clone().map_or_else(|| json!({"type": "string"}), Value::Object)
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let schema = self.schema.clone().map(Value::Object);
        schema.map(|schema| faults(&schema, "schema")).unwrap_or_default()
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Model(self.model.clone()), "model")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Model)
    }
}
