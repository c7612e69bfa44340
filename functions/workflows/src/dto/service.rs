//! Query parameters, request bodies and response bodies of the catalogue of services.

use std::collections::BTreeMap;

use domain::{Error, Result};
use engine::nodes;
use engine::nodes::NodeKind;
use engine::nodes::http::{HttpNode, Method};
use engine::schema::check_config;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use services::{Arguments, Authentication, Operation, Paging, Returns, Service, ServiceCategory};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::language;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListServices {
    /// Returns only services whose id, name, description or operations contain this text. The search is case-insensitive.
    #[param(nullable = false)]
    q: Option<String>,
}

impl ListServices {
    pub fn find(self) -> impl Iterator<Item = &'static Service> {
        let lower = self.q.map(|text| text.trim().to_lowercase()).unwrap_or_default();
        services::all().iter().filter(move |service| service.matches(&lower))
    }
}

/// What a service is, and how to authenticate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ServiceHead")]
pub struct ServiceHeadOut {
    #[schema(example = "google-sheets")]
    id: &'static str,
    #[schema(example = "Google Sheets")]
    name: &'static str,
    description: &'static str,
    categories: &'static [ServiceCategory],
    /// The ways to authenticate. The simplest one is first.
    authentication: &'static [Authentication],
    operation_count: usize,
}

impl From<&'static Service> for ServiceHeadOut {
    fn from(service: &'static Service) -> Self {
        Self {
            id: &service.id,
            name: &service.name,
            description: &service.description,
            categories: &service.categories,
            authentication: &service.authentication,
            operation_count: service.operations.len(),
        }
    }
}

/// A service, and what its operations do.
#[derive(Serialize, ToSchema)]
#[schema(title = "ServiceSummary")]
pub struct ServiceSummaryOut {
    #[serde(flatten)]
    head: ServiceHeadOut,
    operations: Vec<OperationHeadOut>,
}

impl From<&'static Service> for ServiceSummaryOut {
    fn from(service: &'static Service) -> Self {
        Self { head: service.into(), operations: service.operations.iter().map(OperationHeadOut::from).collect() }
    }
}

/// A service with its operations.
#[derive(Serialize, ToSchema)]
#[schema(title = "Service")]
pub struct ServiceOut {
    #[serde(flatten)]
    head: ServiceHeadOut,
    /// The page that documents the API of the service.
    documentation: &'static str,
    operations: Vec<OperationOut>,
}

impl From<&'static Service> for ServiceOut {
    fn from(service: &'static Service) -> Self {
        Self {
            head: service.into(),
            documentation: &service.documentation,
            operations: service.operations.iter().map(|operation| OperationOut::new(service, operation)).collect(),
        }
    }
}

/// What an operation does.
#[derive(Serialize, ToSchema)]
#[schema(title = "ServiceOperationHead")]
pub struct OperationHeadOut {
    #[schema(example = "append-rows")]
    id: &'static str,
    #[schema(example = "Append rows")]
    name: &'static str,
    description: &'static str,
}

impl From<&'static Operation> for OperationHeadOut {
    fn from(operation: &'static Operation) -> Self {
        Self { id: &operation.id, name: &operation.name, description: &operation.description }
    }
}

/// An operation of a service: one HTTP request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ServiceOperation")]
pub struct OperationOut {
    #[serde(flatten)]
    head: OperationHeadOut,
    #[schema(inline)]
    method: Method,
    /// The JSON Schema of the values of its parameters. `x-expression` marks a parameter that can be an expression, and names
    /// the language: `cel` or `jinja`. A parameter with a default is sent even if it is left out.
    #[schema(value_type = Object)]
    form: Value,
    /// Example values of all parameters.
    #[schema(value_type = Object)]
    example: &'static Map<String, Value>,
    /// How further pages are requested. Null if the answer has no pages.
    #[schema(required)]
    paging: Option<&'static Paging>,
    /// What the body of the answer is. Null if the answer has no body.
    #[schema(required)]
    returns: Option<&'static Returns>,
}

impl OperationOut {
    fn new(service: &'static Service, operation: &'static Operation) -> Self {
        Self {
            head: operation.into(),
            method: operation.method,
            form: service.form(operation),
            example: &operation.example,
            paging: operation.paging.as_ref(),
            returns: operation.returns.as_ref(),
        }
    }
}

/// The values of the parameters of an operation.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[derive(Default)]
#[schema(title = "ServiceNodeArguments")]
pub struct ServiceNodeIn {
    /// Values that match the form of the operation. They are sent as they are, also if they contain braces.
    #[schema(example = json!({"range": "Orders!A:C", "spreadsheetId": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms"}))]
    values: Map<String, Value>,
    /// Expressions for parameters without a value, in the language that the form names.
    #[schema(example = json!({"values": "[[input.name, input.age]]"}))]
    expressions: BTreeMap<String, String>,
    /// The credential of the workflow that authenticates the call.
    credential_id: Option<Uuid>,
}

impl ServiceNodeIn {
    pub fn into_arguments(self) -> (Arguments, Option<Uuid>) {
        let Self { values, expressions, credential_id } = self;
        (Arguments { values, expressions, ..Arguments::default() }, credential_id)
    }
}

/// An `http` node.
#[derive(Serialize, ToSchema)]
#[schema(title = "ServiceNode")]
pub struct ServiceNodeOut {
    #[schema(example = "http")]
    r#type: &'static str,
    /// A name for the node.
    #[schema(example = "Google Sheets: Append rows")]
    name: String,
    #[schema(value_type = Object)]
    config: Map<String, Value>,
}

impl ServiceNodeOut {
    /// The node, if the engine accepts it. Long values can make an expression or a URL too long for a node.
    pub fn new(
        service: &Service,
        operation: &Operation,
        mut config: Map<String, Value>,
        credential_id: Option<Uuid>,
    ) -> Result<Self> {
        if let Some(id) = credential_id {
            config.insert("credentialId".to_owned(), id.to_string().into());
        }
        let schema = nodes::find(HttpNode::NAME).map(|node_type| &node_type.schema);
        let findings = schema.map(|schema| check_config(schema, &config.clone().into(), "config"));
        if let Some((field, problem)) = findings.iter().flat_map(|findings| &findings.violations).next() {
            return Err(Error::invalid_body(field, problem.get(language::of_request())));
        }
        Ok(Self { r#type: HttpNode::NAME, name: format!("{}: {}", service.name, operation.name), config })
    }
}
