//! References from one entity to another that must exist for it to work.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::id::{AgentId, CredentialId, NotAnId, WebhookId, WorkflowId};
use super::language::Language;

/// A reference. Its text form is `agent:<id>`, `model:<name>`, `workflow:<id>`, `credential:<workflow>/<id>` or
/// `webhook:<id>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Reference {
    Agent(AgentId),
    Model(String),
    Workflow(WorkflowId),
    /// A credential belongs to the workflow that refers to it.
    Credential(WorkflowId, CredentialId),
    Webhook(WebhookId),
}

impl Reference {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Agent(_) => "agent",
            Self::Model(_) => "model",
            Self::Workflow(_) => "workflow",
            Self::Credential(..) => "credential",
            Self::Webhook(_) => "webhook",
        }
    }

    /// The kind with its article, such as `the agent`.
    pub fn describe_kind(&self, language: Language) -> &'static str {
        match self {
            Self::Agent(_) => language.choose("the agent", "el agente"),
            Self::Model(_) => language.choose("the model", "el modelo"),
            Self::Workflow(_) => language.choose("the workflow", "el flujo"),
            Self::Credential(..) => language.choose("the credential", "la credencial"),
            Self::Webhook(_) => language.choose("the webhook", "el webhook"),
        }
    }

    /// The last letter of the Spanish adjectives of the kind, as in `el agente indicado` and `la credencial indicada`.
    pub fn spanish_ending(&self) -> char {
        match self {
            Self::Agent(_) | Self::Model(_) | Self::Workflow(_) | Self::Webhook(_) => 'o',
            Self::Credential(..) => 'a',
        }
    }

    /// The id or the name of the target.
    pub fn target(&self) -> String {
        match self {
            Self::Agent(id) => id.to_string(),
            Self::Model(name) => name.clone(),
            Self::Workflow(id) => id.to_string(),
            Self::Credential(_, id) => id.to_string(),
            Self::Webhook(id) => id.to_string(),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(id) => write!(f, "agent:{id}"),
            Self::Model(name) => write!(f, "model:{name}"),
            Self::Workflow(id) => write!(f, "workflow:{id}"),
            Self::Credential(workflow, id) => write!(f, "credential:{workflow}/{id}"),
            Self::Webhook(id) => write!(f, "webhook:{id}"),
        }
    }
}

impl FromStr for Reference {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        match text.split_once(':') {
            Some(("agent", id)) => id.parse().map(Self::Agent),
            Some(("model", name)) => Ok(Self::Model(name.to_owned())),
            Some(("workflow", id)) => id.parse().map(Self::Workflow),
            Some(("credential", place)) => {
                let (workflow, id) = place.split_once('/').ok_or(NotAnId)?;
                Ok(Self::Credential(workflow.parse()?, id.parse()?))
            }
            Some(("webhook", id)) => id.parse().map(Self::Webhook),
            _ => Err(NotAnId),
        }
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.to_string()
    }
}

impl TryFrom<String> for Reference {
    type Error = NotAnId;

    fn try_from(text: String) -> Result<Self, NotAnId> {
        text.parse()
    }
}
