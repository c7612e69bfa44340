//! The workflow templates, one file each. To add one, write `<slug>.json` and add its name to `templates!` below.
//!
//! All templates run with the embedded models alone, without agents, credentials or other systems.

use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use domain::graph::Graph;
use domain::language::{Language, Translated};

macro_rules! templates {
    ($($slug:literal,)+) => {
        static ALL: LazyLock<Vec<WorkflowTemplate>> =
            LazyLock::new(|| vec![$(WorkflowTemplate::read($slug, include_str!(concat!($slug, ".json")))),+]);
    };
}

templates! {
    "support-triage",
    "faq-chat",
    "rag-answer",
    "index-document",
    "lead-scoring",
    "webhook-enrichment",
    "document-extraction",
    "meeting-actions",
    "contract-review",
    "content-moderation",
    "product-description",
    "translation-back-check",
    "release-notes",
    "multi-agent-research",
    "survey-sentiment",
    "scheduled-digest",
    "incident-escalation",
    "expense-approval",
}

/// All templates, in the order of the catalogue.
pub fn all() -> &'static [WorkflowTemplate] {
    &ALL
}

/// Finds a template by its id or its slug.
pub fn find(id: &str) -> Option<&'static WorkflowTemplate> {
    let uuid = Uuid::try_parse(id).ok();
    ALL.iter().find(|template| template.slug == id || Some(template.id) == uuid)
}

/// A workflow that users copy and adapt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowTemplate {
    pub id: Uuid,
    /// The name of its file, without the extension.
    #[serde(skip)]
    pub slug: &'static str,
    #[serde(borrow)]
    pub name: Translated<&'static str>,
    #[serde(borrow)]
    pub description: Translated<&'static str>,
    pub category: TemplateCategory,
    #[serde(borrow)]
    pub tags: Vec<Translated<&'static str>>,
    /// An input to try it with.
    pub example_input: Value,
    /// The steps that remain after it is instantiated.
    pub steps: Vec<Translated<String>>,
    /// The graph, with the names of its nodes in each language.
    #[serde(deserialize_with = "read_graph")]
    pub graph: Translated<Graph>,
}

/// The purpose of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TemplateCategory {
    Support,
    Knowledge,
    Sales,
    Documents,
    Content,
    Analysis,
    Operations,
}

impl WorkflowTemplate {
    /// Parses a template file. The files are compiled into the program, and a test reads every one of them.
    fn read(slug: &'static str, file: &'static str) -> Self {
        let read: Self = serde_json::from_str(file).unwrap_or_else(|error| panic!("{slug}.json: {error}"));
        Self { slug, ..read }
    }
}

/// Reads a graph in which the name of each node is written in each language.
fn read_graph<'de, D: Deserializer<'de>>(written: D) -> Result<Translated<Graph>, D::Error> {
    let written = Value::deserialize(written)?;
    let read = |language: Language| {
        let mut graph = written.clone();
        for node in graph["nodes"].as_array_mut().into_iter().flatten() {
            node["name"] = node["name"][language.code()].take();
        }
        Graph::deserialize(graph).map_err(D::Error::custom)
    };
    Ok(Translated::new(read(Language::English)?, read(Language::Spanish)?))
}

#[cfg(test)]
mod tests;
