//! The route table of the workflows API.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::builder::Data;
use web::{finish, routes};

use crate::Stores;
use crate::dto::version::PublishedOut;
use crate::handlers::definition::*;
use crate::handlers::exchange::*;
use crate::handlers::expressions::*;
use crate::handlers::lifecycle::*;
use crate::handlers::node_types::*;
use crate::handlers::services::*;
use crate::handlers::templates::*;
use crate::handlers::tool_marks::*;
use crate::handlers::versions::*;

routes! { Stores;
    "/builder/v1/workflows" => get(list_workflows?), post(create_workflow);
    "/builder/v1/workflows/node-types" => get(list_node_types);
    "/builder/v1/workflows/services" => get(list_services?);
    "/builder/v1/workflows/services/{service_id}" => get(get_service);
    "/builder/v1/workflows/services/{service_id}/operations/{operation_id}/node" => post(create_service_node);
    "/builder/v1/workflows/expression/preview" => post(preview_expression);
    "/builder/v1/workflows/templates" => get(list_templates?);
    "/builder/v1/workflows/templates/{template_id}" => get(get_template);
    "/builder/v1/workflows/templates/{template_id}/instantiate" => post(instantiate_template);
    "/builder/v1/workflows/import" => post(import_workflow);
    "/builder/v1/workflows/batch/archive" => post(archive_workflows);
    "/builder/v1/workflows/{id}" => get(get_workflow), patch(update_workflow), delete(delete_workflow);
    "/builder/v1/workflows/{id}/tool" => put(mark_workflow_as_tool), delete(unmark_workflow_as_tool);
    "/builder/v1/workflows/{id}/delete-impact" => get(get_delete_impact);
    "/builder/v1/workflows/{id}/export" => get(export_workflow);
    "/builder/v1/workflows/{id}/import-report" => get(get_import_report);
    "/builder/v1/workflows/{id}/clone" => post(clone_workflow);
    "/builder/v1/workflows/{id}/validate" => post(validate_workflow);
    "/builder/v1/workflows/{id}/publish" => post(publish_workflow);
    "/builder/v1/workflows/{id}/pause" => post(pause_workflow);
    "/builder/v1/workflows/{id}/resume" => post(resume_workflow);
    "/builder/v1/workflows/{id}/archive" => post(archive_workflow);
    "/builder/v1/workflows/{id}/restore" => post(restore_workflow);
    "/builder/v1/workflows/{id}/releases" => get(list_releases?);
    "/builder/v1/workflows/{id}/releases/{release_id}" => get(get_release);
    "/builder/v1/workflows/{id}/releases/{release_id}/manifest" => get(get_manifest);
    "/builder/v1/workflows/{id}/releases/{release_id}/runtime-status" => get(get_runtime_status);
    "/builder/v1/workflows/{id}/releases/{release_id}/diff/{other}" => get(diff_releases);
    "/builder/v1/workflows/{id}/deployments" => get(list_deployments?);
    "/builder/v1/workflows/{id}/deployments/{deployment_id}/activate" => post(activate_deployment);
    schemas(Data<PublishedOut>);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Workflows)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
