//! The samples of each operation (`x-codeSamples`): its recorded request in curl, Python and TypeScript.

mod curl;
mod literal;
mod python;
mod tests;
mod typescript;

use reference::BASE_URL;
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::Operation;

use super::documents::is_gateway;
use super::examples::{Exchange, METHODS, operation};

/// The request that a sample sends.
struct Call<'e> {
    operation_id: &'e str,
    method: &'e str,
    url: String,
    /// The environment variable that holds the credential.
    credential: Option<&'static str>,
    headers: &'e [(String, String)],
    body: Option<&'e Value>,
    /// The parts of a form.
    form: &'e [(&'static str, &'static str)],
    is_stream: bool,
}

/// Adds the samples of each operation. An operation that can stream its response has samples of both forms, or of streams alone.
pub fn add_samples(openapi: &mut OpenApi, exchanges: &[Exchange]) {
    for (path, item) in &mut openapi.paths.paths {
        for method in METHODS {
            let Some(operation) = operation(item, method) else { continue };
            let successful = || {
                let own = exchanges.iter().filter(|exchange| (&exchange.method, exchange.path) == (&method, path));
                own.filter(|exchange| (200..300).contains(&exchange.status))
            };
            // The first exchange with a body shows the most.
            let whole = successful().filter(|exchange| !exchange.is_stream());
            let whole = whole.min_by_key(|exchange| (exchange.request.is_none(), exchange.status));
            let streamed = successful().find(|exchange| exchange.is_stream());
            let mut samples = Vec::new();
            if whole.is_some() || streamed.is_none() {
                samples.extend(render_samples(&describe_call(path, method, operation, whole), ""));
            }
            if streamed.is_some() {
                samples.extend(render_samples(&describe_call(path, method, operation, streamed), ", streamed"));
            }
            operation.extensions = Some(ExtensionsBuilder::new().add("x-codeSamples", samples).build());
        }
    }
}

/// The call that was recorded, or else one without parameters and a body.
fn describe_call<'e>(
    path: &str,
    method: &'e str,
    operation: &'e Operation,
    exchange: Option<&'e Exchange>,
) -> Call<'e> {
    let credential = match path {
        path if is_gateway(path) => "API_KEY",
        path if path.starts_with("/hooks/") => "WEBHOOK_TOKEN",
        _ => "ACCESS_TOKEN",
    };
    Call {
        operation_id: operation.operation_id.as_deref().unwrap_or_default(),
        method,
        url: exchange.map_or_else(|| format!("{BASE_URL}{path}"), |exchange| exchange.url.clone()),
        credential: operation.security.is_some().then_some(credential),
        headers: exchange.map_or(&[], |exchange| &exchange.headers),
        body: exchange.and_then(|exchange| exchange.request.as_ref()),
        form: exchange.map_or(&[], |exchange| exchange.form),
        is_stream: exchange.is_some_and(Exchange::is_stream),
    }
}

fn render_samples(call: &Call<'_>, form: &str) -> Vec<Value> {
    let samples = [
        ("Shell", "curl", curl::render(call)),
        ("Python", "Python", python::render(call)),
        ("TypeScript", "TypeScript", typescript::render(call)),
    ];
    let samples = samples.into_iter();
    samples
        .map(|(lang, label, source)| json!({"lang": lang, "label": format!("{label}{form}"), "source": source}))
        .collect()
}

/// The method of OpenAI's SDKs that makes the same call.
fn sdk_method(call: &Call<'_>) -> Option<&'static str> {
    match call.operation_id {
        "create_chat_completion" => Some("chat.completions.create"),
        "create_embeddings" => Some("embeddings.create"),
        _ => None,
    }
}
