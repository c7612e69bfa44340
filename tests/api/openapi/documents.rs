//! Generates the OpenAPI documents from the code of the functions: one document for each area.

use tokio::sync::OnceCell;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, RefOr, ServerBuilder};

use super::{error_examples, examples, list, samples, tour};

/// The security schemes of the gateway, beside `bearer`.
const API_KEY_HEADER: &str = "x-api-key";
const ACCESS_TOKEN: &str = "access_token";
/// The security scheme of webhooks.
const WEBHOOK: &str = "webhook";

/// The document of an area, and the file that `reference` embeds.
pub struct Document {
    pub file: &'static str,
    pub openapi: OpenApi,
    /// Path and method of every route of the area, from the functions' route tables. A wildcard parameter (`{*path}`)
    /// is written as an ordinary one.
    pub routes: Vec<(String, &'static str)>,
    /// Schema names that functions use for different schemas.
    pub ambiguous_names: Vec<String>,
}

impl Document {
    pub fn json(&self) -> String {
        let json = self.openapi.to_pretty_json().unwrap_or_default();
        format!("{json}\n")
    }
}

pub fn documents() -> [Document; 3] {
    let mut builder = document(
        "Atelier: agents and workflows",
        include_str!("builder.md"),
        "An access token of the platform's issuer. On your own machine: \
         `cargo run -p local -- token --user ada --org acme --role admin`",
    );
    add_webhook_credential(&mut builder);
    let mut gateway = document(
        "Atelier: model gateway",
        include_str!("gateway.md"),
        "An API key, `sk-svc-…`. On your own machine: `cargo run -p local -- credentials`",
    );
    add_gateway_credentials(&mut gateway);
    let lab = document(
        "Atelier: workbenches",
        include_str!("workbenches.md"),
        "An access token of the platform's issuer. On your own machine: \
         `cargo run -p local -- token --user ada --org acme`",
    );
    [
        merge(
            "builder.json",
            builder,
            [
                agents::document(),
                invocations::document(),
                run_events::document(),
                team::document(),
                workflows::document(),
                channels::document(),
                previews::document(),
                runs::document(),
                conversations::document(),
                service_tokens::document(),
                hooks::document(),
                reference_part(|path| !is_gateway(path) && !is_workbenches(path)),
            ],
        ),
        merge(
            "gateway.json",
            gateway,
            [
                account::document(),
                admin::document(),
                batches::document(),
                billing::document(),
                catalog::document(),
                inference::document(),
                mcp_gateway::document(),
                reference_part(is_gateway),
            ],
        ),
        merge("workbenches.json", lab, [workbenches::document(), reference_part(is_workbenches)]),
    ]
}

pub fn is_gateway(path: &str) -> bool {
    path.starts_with("/gateway/")
}

fn is_workbenches(path: &str) -> bool {
    path.starts_with("/workbenches/")
}

/// The routes of `reference` that belong to one area: each document describes the route that serves it.
fn reference_part(is_area: impl Fn(&str) -> bool) -> ApiPart {
    let (mut openapi, mut routes) = reference::document();
    openapi.paths.paths.retain(|path, _| is_area(path));
    routes.retain(|(path, _)| is_area(path));
    (openapi, routes)
}

type ApiPart = (OpenApi, Vec<(&'static str, &'static str)>);

fn merge(file: &'static str, mut openapi: OpenApi, parts: impl IntoIterator<Item = ApiPart>) -> Document {
    let (mut routes, mut ambiguous_names) = (Vec::new(), Vec::new());
    for (part, served) in parts {
        ambiguous_names.extend(find_ambiguous_names(&openapi, &part));
        openapi.merge(part);
        routes.extend(served.into_iter().map(|(path, method)| (path.replace("{*", "{"), method)));
    }
    refuse_large_bodies(&mut openapi);
    require_tokens(&mut openapi);
    Document { file, openapi, routes, ambiguous_names }
}

/// Adds the response 413 to every operation that can get a body, in the error format of the operation. Oversized bodies
/// are refused before they are parsed, even where the operation ignores its body.
fn refuse_large_bodies(openapi: &mut OpenApi) {
    for item in openapi.paths.paths.values_mut() {
        for operation in [&mut item.post, &mut item.put, &mut item.patch].into_iter().flatten() {
            let responses = &mut operation.responses.responses;
            let Some(RefOr::T(mut refused)) = responses.get("400").cloned() else { continue };
            refused.description = "The body is larger than 4 MB".to_owned();
            responses.insert("413".to_owned(), RefOr::T(refused));
        }
    }
}

/// Adds the security requirements to every operation with the response 401. Those of the gateway take an API key in two
/// headers. All of them but the calls of models, which can be answered with 402, and those of MCP servers also take an access token.
fn require_tokens(openapi: &mut OpenApi) {
    for (path, item) in &mut openapi.paths.paths {
        for operation in operations(item) {
            let responses = &operation.responses.responses;
            // Messaging providers sign what they deliver, each in its own way.
            if !responses.contains_key("401") || path.starts_with("/hooks/v1/messages/") {
                continue;
            }
            let takes_keys_only = responses.contains_key("402") || path.starts_with("/gateway/v1/mcp");
            let schemes = match (is_gateway(path), takes_keys_only) {
                (false, _) if path.starts_with("/hooks/") => &[WEBHOOK][..],
                (false, _) => &["bearer"],
                (true, true) => &["bearer", API_KEY_HEADER],
                (true, false) => &["bearer", API_KEY_HEADER, ACCESS_TOKEN],
            };
            operation.security =
                Some(schemes.iter().map(|scheme| SecurityRequirement::new(*scheme, [""; 0])).collect());
            if is_gateway(path) {
                let description = operation.description.get_or_insert_default();
                description.push_str(match schemes.contains(&ACCESS_TOKEN) {
                    true => "\n\nTakes an API key or an access token.",
                    false => "\n\nTakes an API key.",
                });
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, patch, delete, .. } = item;
    [get, put, post, patch, delete].into_iter().flatten()
}

/// Schemas of `part` whose names the document uses for other schemas already: merging would lose one of the two.
fn find_ambiguous_names(openapi: &OpenApi, part: &OpenApi) -> Vec<String> {
    let schemas = |openapi: &OpenApi| openapi.components.as_ref().map(|all| all.schemas.clone()).unwrap_or_default();
    let known = schemas(openapi);
    let others = schemas(part).into_iter();
    let others = others.filter(|(name, schema)| known.get(name).is_some_and(|known| known != schema));
    others.map(|(name, _)| name).collect()
}

/// The documents as they are served, with examples and samples of calls that are recorded from a separate platform.
pub async fn with_examples() -> &'static [Document; 3] {
    static DOCUMENTS: OnceCell<[Document; 3]> = OnceCell::const_new();
    DOCUMENTS.get_or_init(record_examples).await
}

async fn record_examples() -> [Document; 3] {
    let tours = [tour::record_builder().await, tour::record_gateway().await, tour::record_workbenches().await];
    let mut documents = documents();
    let errors = error_examples::render_errors().await;
    for (document, exchanges) in documents.iter_mut().zip(tours) {
        examples::add_examples(&mut document.openapi, &exchanges, &errors);
        samples::add_samples(&mut document.openapi, &exchanges);
    }
    documents
}

/// The files that `reference` embeds, with their contents: the documents, and the list of their operations.
pub async fn render_files() -> Vec<(&'static str, String)> {
    let documents = with_examples().await;
    let list = ("operations.html", list::render_list(documents));
    documents.iter().map(|document| (document.file, document.json())).chain([list]).collect()
}

/// Adds the credentials that only the gateway takes.
fn add_gateway_credentials(openapi: &mut OpenApi) {
    let in_header = ApiKeyValue::with_description(API_KEY_HEADER, "The same API key, as Anthropic's clients send it");
    let credential = "An access token of the platform's issuer. It reaches what its user may read and change, but calls \
                      no models";
    let components = openapi.components.get_or_insert_default();
    components.add_security_scheme(API_KEY_HEADER, SecurityScheme::ApiKey(ApiKey::Header(in_header)));
    components.add_security_scheme(ACCESS_TOKEN, bearer(credential));
}

/// Adds the credential of webhooks.
fn add_webhook_credential(openapi: &mut OpenApi) {
    let credential = "The token of the webhook, `whk_…`. It is shown once, when the webhook is created";
    openapi.components.get_or_insert_default().add_security_scheme(WEBHOOK, bearer(credential));
}

fn document(title: &str, introduction: &str, credential: &str) -> OpenApi {
    let components = ComponentsBuilder::new().security_scheme("bearer", bearer(credential)).build();
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title(title).description(Some(introduction)).version("1").build())
        // A URL relative to the document; `reference` replaces it by the base URL of the request.
        .servers(Some([ServerBuilder::new().url(reference::HERE).build()]))
        .components(Some(components))
        .build()
}

fn bearer(description: &str) -> SecurityScheme {
    let http = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description));
    SecurityScheme::Http(http.build())
}
