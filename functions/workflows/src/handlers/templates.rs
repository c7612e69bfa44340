//! Handlers for templates: prebuilt workflows that a caller can instantiate.

use std::str::FromStr;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::id::{Id, NotAnId, WorkflowId};
use domain::workflow::{NewWorkflow, Workflow};
use engine::templates::{self, WorkflowTemplate};
use web::builder::{Caller, Created, Data, DataList, ErrorBody, ErrorResponses, KeyReused, NotJson};
use web::etag::ETag;
use web::idempotency::{self, IdempotencyHeaders};
use web::language::{self, AcceptLanguageHeaders};
use web::responses::Replayed;
use web::{Hashed, OptionalJson, Path, Query, Result};

use super::definition::create_and_respond;
use crate::Stores;
use crate::dto::template::{InstantiateIn, ListTemplates, TemplateOut, TemplateSummaryOut};
use crate::dto::workflow::WorkflowOut;

/// A path parameter that resolves to a template, by its id or its slug.
pub struct TemplateRef(&'static WorkflowTemplate);

impl FromStr for TemplateRef {
    type Err = NotAnId;

    fn from_str(text: &str) -> std::result::Result<Self, NotAnId> {
        templates::find(text).map(Self).ok_or(NotAnId)
    }
}

impl Id for TemplateRef {
    const KIND: &'static str = "template";
}

/// List templates
///
/// Returns prebuilt workflows that can be instantiated.
#[utoipa::path(
    get, path = "/builder/v1/workflows/templates", tag = "templates", params(ListTemplates, AcceptLanguageHeaders),
    responses((status = 200, description = "A page of templates", body = DataList<TemplateSummaryOut>), ErrorResponses),
)]
pub async fn list_templates(_: Caller, Query(query): Query<ListTemplates>) -> Result<DataList<TemplateSummaryOut>> {
    let page = query.page();
    let meta = (&page).into();
    Ok(DataList { data: page.items.into_iter().map(TemplateSummaryOut::from).collect(), meta })
}

/// Read a template
#[utoipa::path(
    get, path = "/builder/v1/workflows/templates/{template_id}", tag = "templates",
    params(
        ("template_id" = String, Path, description = "The template, by its id or its slug"), AcceptLanguageHeaders,
    ),
    responses(
        (status = 200, description = "The template with its graph", body = Data<TemplateOut>),
        (status = 404, description = "The template does not exist", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn get_template(_: Caller, Path(TemplateRef(template)): Path<TemplateRef>) -> Result<Data<TemplateOut>> {
    Ok(Data { data: template.into() })
}

/// Create a workflow from a template
///
/// Creates a draft that is independent of the template. Its name, its description and the names of its nodes have the language
/// of the request.
#[utoipa::path(
    post, path = "/builder/v1/workflows/templates/{template_id}/instantiate", tag = "templates",
    params(
        ("template_id" = String, Path, description = "The template, by its id or its slug"), IdempotencyHeaders,
        AcceptLanguageHeaders,
    ),
    request_body = Option<InstantiateIn>,
    responses(
        Created<WorkflowOut, (ETag, Replayed)>,
        (status = 404, description = "The template does not exist", body = ErrorBody),
        KeyReused, NotJson, ErrorResponses,
    ),
)]
pub async fn instantiate_template(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(TemplateRef(template)): Path<TemplateRef>,
    headers: HeaderMap,
    Hashed { body: OptionalJson(InstantiateIn { name }), hash, .. }: Hashed<OptionalJson<InstantiateIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let language = language::of_request();
    let given = NewWorkflow {
        name: Some(name.unwrap_or_else(|| (*template.name.get(language)).to_owned())),
        description: Some((*template.description.get(language)).to_owned()),
        graph: template.graph.get(language).clone(),
    };
    let workflow = Workflow::new(WorkflowId::new(), caller.account(), given)?;
    create_and_respond(&stores, &caller, workflow, &format!("templates/{}", template.slug), idempotency_key).await
}
