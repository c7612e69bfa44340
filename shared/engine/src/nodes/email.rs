//! The node type `email`: sends an email through an SMTP server.

use std::time::Duration;

use domain::language::Translated;
use domain::run::OnUncertain;
use domain::translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::{Category, Fields, NodeKind, NodeResult, Operation};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmailNode<V = Cel, T = Jinja> {
    /// The SMTP server.
    #[schema(min_length = 1, max_length = 253, pattern = "^[A-Za-z0-9.-]+$", example = "smtp.example.com")]
    pub host: String,
    /// 587 by default, 465 with `tls`, and 25 with `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 65535, nullable = false)]
    pub port: Option<u16>,
    /// How the connection is encrypted; `starttls` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub security: Option<MailSecurity>,
    /// A credential of the type `basic`: the name and the password at the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub credential_id: Option<Uuid>,
    /// The sender, such as `Orders <orders@example.com>`.
    #[schema(inline)]
    pub from: T,
    /// The recipients, separated by commas.
    #[schema(inline)]
    pub to: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub cc: Option<T>,
    /// Recipients whom the others do not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub bcc: Option<T>,
    /// Where answers go, if not to the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub reply_to: Option<T>,
    #[schema(inline)]
    pub subject: T,
    /// The body as plain text. Set `text`, `html` or both.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub text: Option<T>,
    /// The body as HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub html: Option<T>,
    /// A list of files: `[{'name': 'report.csv', 'contentType': 'text/csv', 'text': input.csv}]`, or with `base64` instead of
    /// `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub attachments: Option<V>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailSecurity {
    /// The connection becomes encrypted before anything is sent.
    #[default]
    Starttls,
    /// The connection is encrypted from its begin.
    Tls,
    /// Nothing is encrypted.
    None,
}

impl MailSecurity {
    pub fn default_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Tls => 465,
            Self::None => 25,
        }
    }
}

impl NodeKind for EmailNode {
    const NAME: &'static str = "email";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Sends an email through an SMTP server; its value is {messageId, accepted, rejected}. `rejected` has the addresses \
         that the server refused, each with its answer. If it refuses all of them, the node fails.",
        "Envía un correo por un servidor SMTP; su valor es {messageId, accepted, rejected}. `rejected` tiene las direcciones \
         que el servidor rechazó, cada una con su respuesta. Si las rechaza todas, el nodo falla.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    const LOGS_IN: bool = true;
    const TIMEOUT: Duration = Duration::from_secs(60);
    /// Servers often ask a sender whom they do not know to come back later.
    const ATTEMPTS: u32 = 5;
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Ask;

    fn example() -> Value {
        json!({
            "host": "smtp.example.com", "from": "Orders <orders@example.com>", "to": "{{ input.email }}",
            "subject": "Your order {{ input.order }}", "text": "It is on its way.",
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        let (text, list) = (json!({"type": "string"}), |items: Value| json!({"type": "array", "items": items}));
        let rejected = json!({
            "type": "object", "required": ["address", "message"], "additionalProperties": false,
            "properties": {"address": text, "message": text},
        });
        json!({
            "type": "object", "required": ["messageId", "accepted", "rejected"], "additionalProperties": false,
            "properties": {"messageId": text, "accepted": list(text.clone()), "rejected": list(rejected)},
        })
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut problems = Vec::new();
        if self.text.is_none() && self.html.is_none() {
            let message = translated!("is missing; set `text`, `html` or both", "falta; indique `text`, `html` o los dos");
            problems.push(("text".to_owned(), message));
        }
        if self.credential_id.is_some() && self.security == Some(MailSecurity::None) {
            let message = translated!(
                "would be sent without encryption; choose `starttls` or `tls`, or remove the credential",
                "se enviaría sin cifrar; elija `starttls` o `tls`, o quite la credencial"
            );
            problems.push(("credentialId".to_owned(), message));
        }
        problems
    }

    fn credential(&self) -> Option<(Uuid, &'static str)> {
        self.credential_id.map(|id| (id, "credentialId"))
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Email)
    }
}
