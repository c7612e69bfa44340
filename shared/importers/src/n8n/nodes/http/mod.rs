//! Translates HTTP requests.

mod body;
mod pairs;

use serde_json::{Map, Value, json};

use crate::call::HttpCall;
use crate::lenient::{entries, is_empty, list, number, scalar_text, text, truncate, whole_number};
use crate::n8n::context::Context;
use crate::n8n::http_config::FILE_LIMIT;
use crate::n8n::javascript::{escape_sign, expression, is_computed, literal_text, text_field};
use crate::n8n::policies::OnError;
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::secrets::{is_removed, with_path_place};
use crate::translation::Translation;
use domain::header;
use engine::nodes::http::header_problem;
use pairs::{computed_query, read_pairs};

const MAX_CONCURRENCY: u64 = 20;

pub fn http(node: Context) -> Translation {
    let mut call = HttpCall::default();
    let method = ["method", "requestMethod"].map(|name| literal_text(node.parameter(name)));
    let method = method.iter().map(|method| method.trim()).find(|method| !method.is_empty()).unwrap_or("GET");
    if !matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return Translation::unsupported("its HTTP method is computed or not supported");
    }
    if is_empty(node.parameter("url")) {
        return Translation::unsupported("it has no URL");
    }
    let mut query = read_pairs(node, "query", &mut call.notes);
    query.retain(|(_, value)| !is_removed(value));
    let (mut url, mut parameters) = (url(node, &mut call), Map::new());
    if let Some(query) = computed_query(node, &query) {
        let address = url["js"].as_str().map_or_else(|| url.to_string(), str::to_owned);
        let lists = match text(node.option("queryParameterArrays")) {
            "" => String::new(),
            lists => format!(", {}", quote(lists)),
        };
        url = json!({"js": format!("n8n.withQuery({address}, {query}{lists})")});
    } else {
        parameters.extend(query.into_iter().map(|(name, value)| (name, text_field(&value))));
    }
    let mut config = Map::from_iter([("method".to_owned(), Value::from(method)), ("url".to_owned(), url)]);
    let mut headers = headers(node, &mut call);
    if let Some(body) = body::translate(node, method, &mut headers, &mut call.notes) {
        let body = body::as_content_type(body, &headers);
        match method {
            "HEAD" => note(&mut call.notes, "a call with the method HEAD has no body"),
            _ => drop(config.insert("body".to_owned(), body)),
        }
    }
    for (name, map) in [("headers", headers), ("query", parameters)] {
        if !map.is_empty() {
            config.insert(name.to_owned(), map.into());
        }
    }
    options(node, &mut config, &mut call.notes);
    if method == "HEAD" {
        // n8n reads the body that is missing like any other: without it, JSON is not valid.
        config.insert("response".to_owned(), "text".into());
    }
    call.reconnect.extend(missing_credential(node));
    Translation::new("http", config.into()).with_notes(call.notes).with_reconnects(call.reconnect)
}

/// The credential of the call, if the file does not have its name.
fn missing_credential(node: Context) -> Option<String> {
    let kind = match text(node.parameter("authentication")) {
        "" | "none" => return None,
        "genericCredentialType" => text(node.parameter("genericAuthType")),
        "predefinedCredentialType" => text(node.parameter("nodeCredentialType")),
        old => old,
    };
    let is_listed = entries(&node.source().raw["credentials"]).next().is_some();
    (!is_listed).then(|| format!("a credential ({})", truncate(kind, 60)))
}

fn url(node: Context, call: &mut HttpCall) -> Value {
    let written = scalar_text(node.parameter("url"));
    let placed = with_path_place(&written);
    if placed.is_some() {
        call.reconnect.push("a credential of the type `path` for the secret in the path of the URL".to_owned());
    }
    let written = placed.unwrap_or(written);
    if is_computed(&written) {
        let address = call.address(&written[1..]);
        let field = text_field(&format!("={address}").into());
        return match &field["js"] {
            // The value of the expression may be no URL.
            Value::String(script) if address.starts_with("{{") => json!({"js": format!("n8n.url({script})")}),
            _ => field,
        };
    }
    let address = call.address(&literal_text(&written.into()));
    let address = domain::address::encode(&address).into_owned();
    if domain::address::problem(&address).is_none() {
        return text_field(&escape_sign(address));
    }
    note(&mut call.notes, format!("`{}` is no URL: write the one to call", truncate(&address, 80)));
    json!({"js": quote(&address)})
}

fn headers(node: Context, call: &mut HttpCall) -> Map<String, Value> {
    let mut headers = Map::new();
    for (name, value) in read_pairs(node, "header", &mut call.notes) {
        let field = text_field(&value);
        let is_secret = match &field {
            Value::String(text) => header::is_secret(&name, text),
            script => script["js"].as_str().is_some_and(|source| {
                // The variables of the server of n8n have its secrets.
                let is_of_server = header::is_secret(&name, "x") && source.contains("$vars");
                is_of_server || header::is_secret_in_js(&name, source)
            }),
        };
        match () {
            () if is_removed(&value) => {}
            // A text with braces that is no expression.
            () if is_secret || (name.eq_ignore_ascii_case("authorization") && field.is_string()) => {
                call.report_removed(&format!("header {name}"));
            }
            () if call.is_own_header(&name) => {}
            () if header_problem(&name, "").is_some() => {
                note(&mut call.notes, format!("its header {} is not imported", truncate(&name, 60)));
            }
            () => drop(headers.insert(name, field)),
        }
    }
    headers
}

fn options(node: Context, config: &mut Map<String, Value>, notes: &mut Notes) {
    let response = &node.option("response")["response"];
    if let Some(timeout) = whole_number(node.option("timeout")) {
        config.insert("timeoutMs".to_owned(), timeout.clamp(100, 600_000).into());
    }
    let never_fails = response["neverError"] == true || *node.option("ignoreResponseCode") == true;
    let mut item_mode = Map::from_iter([("result".to_owned(), json!({"js": items(node, never_fails, config, notes)}))]);
    if OnError::read(node).is_some() {
        // The items of an error status have the error of n8n: `n8n.httpItems` makes it from the answer.
        item_mode.insert("error".to_owned(), json!({"js": "n8n.callError(output)"}));
    } else if !never_fails {
        config.insert("failOnStatus".to_owned(), true.into());
    }
    let batch = &node.option("batching")["batch"];
    if let Some(size) = number(&batch["batchSize"]).filter(|size| *size >= 1.0) {
        item_mode.insert("concurrency".to_owned(), (size as u64).clamp(1, MAX_CONCURRENCY).into());
    }
    config.insert("itemMode".to_owned(), item_mode.into());
    let waits = [&batch["batchInterval"], node.option("batchInterval")].into_iter().find_map(number);
    if let Some(milliseconds) = waits.filter(|milliseconds| *milliseconds > 0.0 && batch["batchSize"] != 0) {
        note(notes, format!("it waited {milliseconds} ms between calls: the wait is not imported"));
    }
    for (name, what) in [
        ("pagination", "only the first page is requested: pagination is not imported"),
        ("proxy", "the proxy is not imported"),
        ("allowUnauthorizedCerts", "certificates are always verified"),
    ] {
        if !matches!(node.option(name), Value::Null | Value::Bool(false)) {
            note(notes, what);
        }
    }
    if node.option("redirect")["redirect"]["followRedirects"] == false || *node.option("followRedirect") == false {
        note(notes, "redirects are always followed");
    }
}

/// Whether a node after the call reads a file.
fn leads_to_reader_of_files(node: Context) -> bool {
    const NAMES: [&str; 3] = ["binaryPropertyName", "binaryProperty", "inputDataFieldName"];
    let workflow = node.workflow;
    workflow.wiring.outgoing(node.node).any(|wire| {
        let parameters = &workflow.parameters[wire.to].value;
        let is_named = NAMES.iter().any(|name| !is_empty(&parameters[*name]));
        let is_sent = ["binaryData", "sendBinaryData"].iter().any(|name| parameters[*name] == true);
        let mut fields = list(&parameters["bodyParameters"]["parameters"]).iter();
        let is_field = fields.any(|field| field["parameterType"] == "formBinaryData");
        is_named || is_sent || is_field || matches!(text(&parameters["inputType"]), "base64" | "binary")
    })
}

/// What becomes the items: the elements of a list, an object, a text or a file.
fn items(node: Context, never_fails: bool, config: &mut Map<String, Value>, notes: &mut Notes) -> String {
    let response = &node.option("response")["response"];
    let format = [&response["responseFormat"], node.parameter("responseFormat")].map(text);
    let is_old = node.source().version < 3.0;
    let default = if is_old { "json" } else { "autodetect" };
    let format = format.into_iter().find(|format| !format.is_empty()).unwrap_or(default);
    let mut options = Map::new();
    match format {
        "json" => {
            // For old versions, the script reports invalid JSON, because their message is another one.
            if !is_old {
                config.insert("response".to_owned(), "json".into());
            }
            options.insert("responseFormat".to_owned(), "json".into());
        }
        "text" | "string" => {
            config.insert("response".to_owned(), "text".into());
            options.insert("responseFormat".to_owned(), "text".into());
        }
        "file" => {
            note(notes, FILE_LIMIT);
            options.insert("responseFormat".to_owned(), "file".into());
            options.insert("url".to_owned(), node.parameter("url").clone());
        }
        _ if leads_to_reader_of_files(node) => note(notes, FILE_LIMIT),
        _ => {}
    }
    let property = [&response["outputPropertyName"], node.parameter("dataPropertyName")];
    if let Some(property) = property.into_iter().find(|property| !is_empty(property) && **property != "data") {
        options.insert("outputPropertyName".to_owned(), property.clone());
    }
    if response["fullResponse"] == true || *node.option("fullResponse") == true {
        options.insert("fullResponse".to_owned(), true.into());
    }
    if never_fails {
        options.insert("neverError".to_owned(), true.into());
    }
    if is_old && format != "file" {
        options.insert("isOld".to_owned(), true.into());
        if *node.option("splitIntoItems") == true {
            options.insert("splitsLists".to_owned(), true.into());
        }
    }
    match options.is_empty() {
        true => "n8n.httpItems(output)".to_owned(),
        false => format!("n8n.httpItems(output, {})", expression(&options.into())),
    }
}
