//! Handlers for the catalogue of services: operations of other systems, from which `http` nodes are made.

use std::str::FromStr;

use domain::Error;
use domain::body_problem::BodyProblem;
use domain::id::{Id, NotAnId};
use engine::schema::FieldProblem;
use services::{Service, build_node};
use web::builder::{Caller, Data, ErrorBody, ErrorResponses, NotJson};
use web::language::{self, AcceptLanguageHeaders};
use web::{Json, Path, Query, Result};

use crate::dto::service::{ListServices, ServiceNodeIn, ServiceNodeOut, ServiceOut, ServiceSummaryOut};

/// A path parameter that resolves to a service.
pub struct ServiceRef(&'static Service);

impl FromStr for ServiceRef {
    type Err = NotAnId;

    fn from_str(text: &str) -> std::result::Result<Self, NotAnId> {
        services::find(text).map(Self).ok_or(NotAnId)
    }
}

impl Id for ServiceRef {
    const KIND: &'static str = "service";
}

/// The path parameter of an operation. Whether it exists depends on the service.
pub struct OperationName(String);

impl FromStr for OperationName {
    type Err = NotAnId;

    fn from_str(text: &str) -> std::result::Result<Self, NotAnId> {
        Ok(Self(text.to_owned()))
    }
}

impl Id for OperationName {
    const KIND: &'static str = "operation";
}

/// List services
///
/// Returns other systems of whose operations `http` nodes can be made, in the order of their names, with what each operation does.
/// Names and descriptions are in English.
#[utoipa::path(
    get, path = "/builder/v1/workflows/services", tag = "workflows", params(ListServices, AcceptLanguageHeaders),
    responses((status = 200, description = "The services", body = Data<Vec<ServiceSummaryOut>>), ErrorResponses),
)]
pub async fn list_services(_: Caller, Query(query): Query<ListServices>) -> Result<Data<Vec<ServiceSummaryOut>>> {
    Ok(Data { data: query.find().map(ServiceSummaryOut::from).collect() })
}

/// Read a service
///
/// Returns a service with its operations, each with a form of its parameters.
#[utoipa::path(
    get, path = "/builder/v1/workflows/services/{service_id}", tag = "workflows",
    params(("service_id" = String, Path, description = "The service"), AcceptLanguageHeaders),
    responses(
        (status = 200, description = "The service", body = Data<ServiceOut>),
        (status = 404, description = "The service does not exist", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn get_service(_: Caller, Path(ServiceRef(service)): Path<ServiceRef>) -> Result<Data<ServiceOut>> {
    Ok(Data { data: service.into() })
}

/// Make a node of an operation
///
/// Returns an `http` node that carries out an operation with these values and expressions. Nothing is stored: the caller adds the
/// node to a graph. What is left out leaves no empty query parameter and no empty field in the request.
#[utoipa::path(
    post, path = "/builder/v1/workflows/services/{service_id}/operations/{operation_id}/node", tag = "workflows",
    params(
        ("service_id" = String, Path, description = "The service"),
        ("operation_id" = String, Path, description = "The operation"),
        AcceptLanguageHeaders,
    ),
    request_body = ServiceNodeIn,
    responses(
        (status = 200, description = "The node", body = Data<ServiceNodeOut>),
        (status = 404, description = "The service or the operation does not exist", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn create_service_node(
    _: Caller,
    Path((ServiceRef(service), OperationName(operation))): Path<(ServiceRef, OperationName)>,
    Json(node): Json<ServiceNodeIn>,
) -> Result<Data<ServiceNodeOut>> {
    let not_found = || Error::NotFound { kind: OperationName::KIND };
    let operation = service.find_operation(&operation).ok_or_else(not_found)?;
    let (arguments, credential_id) = node.into_arguments();
    let config = build_node(service, operation, &arguments).map_err(invalid_arguments)?;
    Ok(Data { data: ServiceNodeOut::new(service, operation, config, credential_id)? })
}

fn invalid_arguments(problems: Vec<FieldProblem>) -> Error {
    let language = language::of_request();
    let problems = problems.iter().map(|(field, problem)| BodyProblem::new(field, problem.get(language)));
    Error::invalid_fields(problems.collect())
}
