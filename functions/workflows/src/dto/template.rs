//! Query parameters, request bodies and response bodies of workflow templates.

use domain::graph::Graph;
use domain::language::Translated;
use domain::page::{Page, PageRequest};
use domain::text;
use domain::workflow::WorkflowName;
use engine::templates::{self, TemplateCategory, WorkflowTemplate};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::language;
use web::paging::{CommaList, OrderIn, default_per_page, first_page, page_number, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListTemplates {
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
    /// Returns only templates whose slug, name, description or tags contain this text. The search is case-insensitive.
    #[param(nullable = false)]
    search: Option<String>,
    /// Returns only templates of one of these categories. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<TemplateCategory>, style = Form, explode = false, min_items = 1)]
    category: CommaList<TemplateCategory>,
    /// The field to sort by. Defaults to `name`.
    #[serde(default)]
    #[param(inline)]
    sort: TemplateSortIn,
    /// The sort order. Defaults to `asc`.
    #[serde(default = "ascending")]
    #[param(inline)]
    order: OrderIn,
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateSortIn {
    #[default]
    Name,
    Category,
}

fn ascending() -> OrderIn {
    OrderIn::Asc
}

impl ListTemplates {
    pub fn page(self) -> Page<&'static WorkflowTemplate> {
        let mut found: Vec<_> = templates::all().iter().collect();
        if let Some(search) = self.search.as_deref().map(text::folded) {
            let contains = |text: &str| text::folded(text).contains(&search);
            found.retain(|template| {
                contains(template.slug)
                    || template.name.all().into_iter().any(|name| contains(name))
                    || template.description.all().into_iter().any(|description| contains(description))
                    || template.tags.iter().flat_map(Translated::all).any(|tag| contains(tag))
            });
        }
        if !self.category.0.is_empty() {
            found.retain(|template| self.category.0.contains(&template.category));
        }
        let language = language::of_request();
        found.sort_by_cached_key(|template| match self.sort {
            TemplateSortIn::Name => (String::new(), text::sort_key(template.name.get(language))),
            TemplateSortIn::Category => {
                (format!("{:?}", template.category), text::sort_key(template.name.get(language)))
            }
        });
        if let OrderIn::Desc = self.order {
            found.reverse();
        }
        PageRequest { page: self.page, per_page: self.per_page }.slice(found)
    }
}

/// A template without its graph.
#[derive(Serialize, ToSchema)]
#[schema(title = "TemplateSummary")]
pub struct TemplateSummaryOut {
    id: Uuid,
    /// A readable identifier, accepted in place of `id`.
    #[schema(example = "support-triage")]
    slug: &'static str,
    name: &'static str,
    description: &'static str,
    category: TemplateCategory,
    tags: Vec<&'static str>,
}

impl From<&'static WorkflowTemplate> for TemplateSummaryOut {
    fn from(template: &'static WorkflowTemplate) -> Self {
        let WorkflowTemplate { id, slug, name, description, category, tags, .. } = template;
        let language = language::of_request();
        let (name, description) = (name.get(language), description.get(language));
        let tags = tags.iter().map(|tag| *tag.get(language)).collect();
        Self { id: *id, slug, name, description, category: *category, tags }
    }
}

/// A template with its graph.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Template")]
pub struct TemplateOut {
    #[serde(flatten)]
    template: TemplateSummaryOut,
    /// An example input for a test run.
    #[schema(value_type = Object)]
    example_input: &'static Value,
    /// The steps that remain after the template is instantiated.
    steps: Vec<&'static str>,
    /// The graph of the workflow.
    graph: &'static Graph,
}

impl From<&'static WorkflowTemplate> for TemplateOut {
    fn from(template: &'static WorkflowTemplate) -> Self {
        let language = language::of_request();
        Self {
            template: template.into(),
            example_input: &template.example_input,
            steps: template.steps.iter().map(|step| step.get(language).as_str()).collect(),
            graph: template.graph.get(language),
        }
    }
}

/// The options of creating a workflow from a template.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "Instantiate")]
pub struct InstantiateIn {
    /// The name of the workflow. Defaults to the name of the template.
    #[schema(value_type = Option<WorkflowName>)]
    pub name: Option<String>,
}
