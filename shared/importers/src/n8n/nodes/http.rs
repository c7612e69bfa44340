//! Translates HTTP requests.

use serde_json::{Map, Value, json};

use crate::call::HttpCall;
use crate::lenient::{entries, is_empty, list, number, scalar_text, text, truncate, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::{escape_sign, expression, is_computed, literal_text, quote, text_field};
use crate::notes::{Notes, note};
use crate::secrets::{is_removed, redact_body};
use crate::translation::Translation;
use domain::header;
use engine::nodes::http::header_problem;

const MAX_CONCURRENCY: u64 = 20;

pub fn http(node: Context) -> Translation {
    let mut call = HttpCall::default();
    let method = ["method", "requestMethod"].map(|name| text(node.parameter(name)));
    let method = method.into_iter().find(|method| !method.is_empty()).unwrap_or("GET");
    if !matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return Translation::unsupported("its HTTP method is computed or not supported");
    }
    if is_empty(node.parameter("url")) {
        return Translation::unsupported("it has no URL");
    }
    let mut query = pairs(node, "query", &mut call.notes);
    query.retain(|(_, value)| !is_removed(value));
    let (mut url, mut parameters) = (url(node, &mut call), Map::new());
    if let Some(query) = computed_query(node, &query) {
        let address = url["js"].as_str().map_or_else(|| url.to_string(), str::to_owned);
        url = json!({"js": format!("n8n.withQuery({address}, {query})")});
    } else {
        parameters.extend(query.into_iter().map(|(name, value)| (name, text_field(&value))));
    }
    let mut config = Map::from_iter([("method".to_owned(), Value::from(method)), ("url".to_owned(), url)]);
    let mut headers = headers(node, &mut call);
    if let Some(body) = body(node, &mut headers, &mut call.notes) {
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
    Translation::new("http", config.into()).with_notes(call.notes).with_reconnects(call.reconnect)
}

fn url(node: Context, call: &mut HttpCall) -> Value {
    let written = scalar_text(node.parameter("url"));
    if is_computed(&written) {
        return text_field(&format!("={}", call.address(&written[1..])).into());
    }
    let address = call.address(&literal_text(node.parameter("url")));
    if domain::address::problem(&address).is_none() {
        return text_field(&escape_sign(address));
    }
    note(&mut call.notes, format!("`{}` is no URL: write the one to call", truncate(&address, 80)));
    json!({"js": quote(&address)})
}

fn headers(node: Context, call: &mut HttpCall) -> Map<String, Value> {
    let mut headers = Map::new();
    for (name, value) in pairs(node, "header", &mut call.notes) {
        let field = text_field(&value);
        let is_secret = match &field {
            Value::String(text) => header::is_secret(&name, text),
            script => script["js"].as_str().is_some_and(|source| header::is_secret_in_js(&name, source)),
        };
        match () {
            () if is_removed(&value) => {}
            () if is_secret || name.eq_ignore_ascii_case("authorization") => {
                call.report_removed(&format!("header {name}"))
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

/// The query, if it or one of its names is computed: then it cannot be a list of names.
fn computed_query(node: Context, query: &[(String, Value)]) -> Option<String> {
    let whole = ["jsonQuery", "queryParametersJson"].map(|name| node.parameter(name));
    let whole = whole.into_iter().find(|whole| parse_pairs(whole).is_none() && !is_empty(whole));
    match whole {
        Some(whole) => Some(expression(whole)),
        None => query.iter().any(|(name, _)| is_computed(name)).then(|| list_pairs(query)),
    }
}

/// A list of names and values in JavaScript.
fn list_pairs(pairs: &[(String, Value)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| json!([name, value]));
    expression(&pairs.collect())
}

/// The names and values of headers, of a query or of a body, given one by one or as JSON.
fn pairs(node: Context, of: &str, notes: &mut Notes) -> Vec<(String, Value)> {
    let mut pairs = Vec::new();
    for all in [format!("{of}Parameters"), format!("{of}ParametersUi")].map(|name| node.parameter(&name)) {
        for pair in list(&all["parameters"]).iter().chain(list(&all["parameter"])) {
            pairs.push((scalar_text(&pair["name"]).trim().to_owned(), pair["value"].clone()));
        }
    }
    let new_json = match of {
        "header" => "jsonHeaders",
        "query" => "jsonQuery",
        _ => return pairs,
    };
    for written in [new_json, &format!("{of}ParametersJson")].map(|name| node.parameter(name)) {
        match parse_pairs(written) {
            Some(json) => pairs.extend(entries(&json).map(|(name, value)| (name.trim().to_owned(), with_sign(value)))),
            None if is_empty(written) || of == "query" => {}
            None => note(notes, format!("`{new_json}` is one computed value: write its fields one by one")),
        }
    }
    pairs.retain(|(name, _)| !name.is_empty());
    pairs
}

/// An object that is given as JSON, with expressions in its values.
fn parse_pairs(written: &Value) -> Option<Value> {
    let template = scalar_text(written);
    let json: Value = serde_json::from_str(&mark_expressions(template.strip_prefix('=').unwrap_or(&template))).ok()?;
    json.is_object().then_some(json)
}

/// A JSON template with quotes around the expressions that have none, so that it can be parsed.
fn mark_expressions(template: &str) -> String {
    let (mut marked, mut is_quoted, mut is_escaped, mut rest) = (String::new(), false, false, template);
    let end = template.rfind("}}").unwrap_or_default();
    while let Some(c) = rest.chars().next() {
        let has_end = template.len() - rest.len() < end;
        if let Some((code, after)) = rest.strip_prefix("{{").filter(|_| has_end).and_then(|code| code.split_once("}}"))
        {
            let expression = quote(&format!("{{{{{code}}}}}"));
            marked.push_str(if is_quoted { &expression[1..expression.len() - 1] } else { &expression });
            rest = after;
            continue;
        }
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        marked.push(c);
        rest = &rest[c.len_utf8()..];
    }
    marked
}

/// A text of a JSON template, as a parameter.
fn with_sign(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains("{{") => format!("={text}").into(),
        other => other.clone(),
    }
}

fn body(node: Context, headers: &mut Map<String, Value>, notes: &mut Notes) -> Option<Value> {
    let has_body = *node.parameter("sendBody") == true || node.source().version < 3.0;
    if !has_body {
        return None;
    }
    let kinds = [node.parameter("contentType"), node.parameter("bodyContentType"), node.option("bodyContentType")];
    let kind = kinds.map(text).into_iter().find(|kind| !kind.is_empty()).unwrap_or("json").trim_start_matches('=');
    let is_text = text(node.parameter("specifyBody")) == "string";
    match kind {
        _ if *node.parameter("sendBinaryData") == true => Some(file(node, "binaryPropertyName")),
        "binaryData" => Some(file(node, "inputDataFieldName")),
        "raw" => raw_body(node, headers, notes),
        "form-urlencoded" if is_text => {
            let body = text_field(&redact_body(text(node.parameter("body")), notes).into());
            set_content_type(headers, &"application/x-www-form-urlencoded".into());
            Some(json!({"type": "text", "text": body}))
        }
        "form-urlencoded" => {
            let fields = pairs(node, "body", notes).into_iter().map(|(name, value)| (name, text_field(&value)));
            Some(json!({"type": "form", "fields": Map::from_iter(fields)}))
        }
        "multipart-form-data" => Some(multipart(node)),
        _ => json_body(node, notes),
    }
}

fn raw_body(node: Context, headers: &mut Map<String, Value>, notes: &mut Notes) -> Option<Value> {
    let written = ["body", "bodyParametersJson"].map(|name| node.parameter(name));
    let written = written.into_iter().find(|body| !is_empty(body))?;
    let body = if written.is_string() { redact_body(text(written), notes).into() } else { written.clone() };
    let kinds = [node.parameter("rawContentType"), node.option("bodyContentCustomMimeType")];
    let kind = kinds.into_iter().find(|kind| !is_empty(kind)).cloned();
    set_content_type(headers, &kind.unwrap_or_else(|| "text/plain".into()));
    Some(json!({"type": "text", "text": text_field(&body)}))
}

/// Sets the content type of a body, unless a header does.
fn set_content_type(headers: &mut Map<String, Value>, kind: &Value) {
    if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
        headers.insert("content-type".to_owned(), text_field(kind));
    }
}

/// The file of the item.
fn file(node: Context, parameter: &str) -> Value {
    let name = match node.parameter(parameter) {
        Value::Null => quote("data"),
        name => expression(name),
    };
    json!({"type": "file", "file": {"js": format!("$binary[{name}]")}})
}

/// A form with files: the library writes it as one file.
fn multipart(node: Context) -> Value {
    let lists = ["bodyParameters", "bodyParametersUi"].map(|name| node.parameter(name));
    let fields = lists.into_iter().flat_map(|all| list(&all["parameters"]).iter().chain(list(&all["parameter"])));
    let parts = fields.map(|field| {
        let value = match text(&field["parameterType"]) {
            "formBinaryData" => format!("file: $binary[{}]", expression(&field["inputDataFieldName"])),
            _ => format!("value: {}", expression(&field["value"])),
        };
        format!("{{ name: {}, {value} }}", expression(&field["name"]))
    });
    let parts: Vec<String> = parts.collect();
    json!({"type": "file", "file": {"js": format!("n8n.multipart([{}])", parts.join(", "))}})
}

fn json_body(node: Context, notes: &mut Notes) -> Option<Value> {
    let written = ["jsonBody", "bodyParametersJson"].map(|name| node.parameter(name));
    let javascript = match written.into_iter().find(|json| !is_empty(json)) {
        Some(Value::String(text)) if is_computed(text) => {
            format!("n8n.jsonBody({})", expression(&text.as_str().into()))
        }
        Some(Value::String(text)) => match serde_json::from_str::<Value>(&literal_text(&text.as_str().into())) {
            Ok(json) => expression(&literal(&json)),
            Err(_) => {
                note(notes, "its body is no valid JSON");
                format!("n8n.jsonBody({})", quote(text))
            }
        },
        Some(json) => expression(json),
        None => {
            let fields = pairs(node, "body", notes);
            let is_path = |name: &str| name.starts_with('=') || name.contains(['.', '[']);
            match fields.iter().any(|(name, _)| is_path(name)) {
                _ if fields.is_empty() => return None,
                true => format!("n8n.bodyFields({})", list_pairs(&fields)),
                false => expression(&Value::Object(fields.into_iter().collect())),
            }
        }
    };
    Some(json!({"type": "json", "value": {"js": javascript}}))
}

/// A value whose texts are no expressions, as a parameter.
fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('=') => format!("={text}").into(),
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), literal(field))).collect(),
        other => other.clone(),
    }
}

fn options(node: Context, config: &mut Map<String, Value>, notes: &mut Notes) {
    let response = &node.option("response")["response"];
    if let Some(timeout) = whole_number(node.option("timeout")) {
        config.insert("timeoutMs".to_owned(), timeout.clamp(100, 600_000).into());
    }
    let never_fails = response["neverError"] == true || *node.option("ignoreResponseCode") == true;
    if !never_fails {
        config.insert("failOnStatus".to_owned(), true.into());
    }
    let mut item_mode = Map::from_iter([("result".to_owned(), json!({"js": items(node, config)}))]);
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

/// What becomes the items: the elements of a list, an object, a text or a file.
fn items(node: Context, config: &mut Map<String, Value>) -> String {
    let response = &node.option("response")["response"];
    let format = [&response["responseFormat"], node.parameter("responseFormat")].map(text);
    let format = format.into_iter().find(|format| !format.is_empty()).unwrap_or("autodetect");
    let mut options = Map::new();
    match format {
        "json" => drop(config.insert("response".to_owned(), "json".into())),
        "text" | "string" => {
            config.insert("response".to_owned(), "text".into());
            options.insert("responseFormat".to_owned(), "text".into());
        }
        "file" => {
            options.insert("responseFormat".to_owned(), "file".into());
            options.insert("url".to_owned(), node.parameter("url").clone());
        }
        _ => {}
    }
    let property = [&response["outputPropertyName"], node.parameter("dataPropertyName")];
    if let Some(property) = property.into_iter().find(|property| !is_empty(property) && **property != "data") {
        options.insert("outputPropertyName".to_owned(), property.clone());
    }
    if response["fullResponse"] == true || *node.option("fullResponse") == true {
        options.insert("fullResponse".to_owned(), true.into());
    }
    match options.is_empty() {
        true => "n8n.httpItems(output)".to_owned(),
        false => format!("n8n.httpItems(output, {})", expression(&options.into())),
    }
}
