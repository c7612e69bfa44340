//! The Graph API of Meta: calls of any node, and files of WhatsApp.

use serde_json::{Map, Value, json};

use super::source::{Arg, Source, text_field};
use crate::lenient::{list, scalar_text, text};
use crate::n8n::http_config::{FILE_LIMIT, json_body, multipart};
use crate::secrets::is_secret;
use crate::syntax::escape_jinja;
use crate::translation::Translation;

const HOST: &str = "https://graph.facebook.com";
/// The host for uploads of videos.
const VIDEO_HOST: &str = "https://graph-video.facebook.com";
const VERSION: &str = "v23.0";

fn call(method: &str, host: &str, path: Vec<Arg>, source: &Source) -> Map<String, Value> {
    let path = path.iter().map(|segment| match segment.value() {
        Some(value) => scalar_text(&value).trim_matches('/').to_owned(),
        None => format!("${{{}}}", segment.script(source.js)),
    });
    let path = path.filter(|segment| !segment.is_empty()).collect::<Vec<_>>().join("/");
    let url = match path.contains("${") {
        true => json!({"js": format!("`{host}/{path}`")}),
        false => escape_jinja(&format!("{host}/{path}")).into(),
    };
    Map::from_iter([
        ("method".to_owned(), json!(method)),
        ("url".to_owned(), url),
        ("failOnStatus".to_owned(), true.into()),
        ("itemMode".to_owned(), json!({"result": {"js": "output.body"}})),
    ])
}

fn translation(config: Map<String, Value>) -> Translation {
    Translation::new("http", config.into()).with_reconnects(["a credential for the Graph API of Meta"])
}

pub fn graph(source: &Source) -> Option<Translation> {
    if source.is_true("sendBinaryData") {
        return None;
    }
    let method = source.text("httpRequestMethod");
    let method = if matches!(method, "POST" | "DELETE") { method } else { "GET" };
    let version = source.argument_or("graphApiVersion", VERSION);
    let segments = ["node", "edge"].iter().filter_map(|path| source.find(path));
    let path = std::iter::once(version).chain(segments.map(|segment| Arg::Parameter(segment.clone())));
    let path: Vec<Arg> = path.collect();
    let has_stray = path.iter().filter_map(Arg::value).any(|value| text(&value).contains(['`', '$', '\\']));
    if has_stray {
        return None;
    }
    let host = if source.text("hostUrl").starts_with("graph-video.") { VIDEO_HOST } else { HOST };
    let mut config = call(method, host, path, source);
    let mut query = Map::new();
    let mut notes = Vec::new();
    for pair in list(source.get("options.queryParameters.parameter")) {
        let name = scalar_text(&pair["name"]);
        match name.as_str() {
            "" => {}
            name if is_secret(name) => {
                notes.push(format!("its query parameter {name} is left out: keep secrets in a credential"))
            }
            name => drop(query.insert(name.to_owned(), text_field(source, &pair["value"]))),
        }
    }
    let fields: Vec<String> =
        list(source.get("options.fields.field")).iter().map(|field| scalar_text(&field["name"])).collect();
    if !fields.is_empty() {
        query.insert("fields".to_owned(), escape_jinja(&fields.join(",")).into());
    }
    if source.find("options.queryParametersJson").is_some() {
        notes.push("its query in JSON is not imported: write its parameters one by one".to_owned());
    }
    if !query.is_empty() {
        config.insert("query".to_owned(), query.into());
    }
    Some(translation(config).with_notes(notes))
}

/// The address of a file that someone sent over WhatsApp.
pub fn media_url(source: &Source) -> Option<Translation> {
    let id = source.find_any(&["mediaGetId", "mediaId"])?;
    Some(translation(call("GET", HOST, vec![Arg::text(VERSION), Arg::Parameter(id.clone())], source)))
}

/// A file with an address, sent over WhatsApp.
pub fn send_media(source: &Source) -> Option<Translation> {
    let kind = match source.text("messageType") {
        kind @ ("image" | "document" | "audio" | "video") => kind,
        _ => return None,
    };
    let mut media: Vec<(String, Arg)> = Vec::new();
    match source.text("mediaPath") {
        "" | "useMediaLink" => media.push(("link".to_owned(), Arg::Parameter(source.find("mediaLink")?.clone()))),
        "useMediaId" => media.push(("id".to_owned(), Arg::Parameter(source.find("mediaId")?.clone()))),
        // The answer to the upload.
        "useMedian8n" => media.push(("id".to_owned(), Arg::Script("output.body.id".to_owned()))),
        _ => return None,
    }
    for (path, name) in [("additionalFields.mediaCaption", "caption"), ("additionalFields.mediaFilename", "filename")] {
        media.extend(source.find(path).map(|value| (name.to_owned(), Arg::Parameter(value.clone()))));
    }
    let message = message(source, kind, Arg::Object(media));
    if source.text("mediaPath") != "useMedian8n" {
        return Some(translation(post(source, "messages", &message)));
    }
    let file = format!("n8n.filesNamed({})[0]", source.js_or("mediaPropertyName", "\"data\""));
    let product = "{ name: \"messaging_product\", value: \"whatsapp\" }".to_owned();
    let mut upload = post(source, "media", "");
    upload.insert("body".to_owned(), multipart(&[product, format!("{{ name: \"file\", file: {file} }}")]));
    let phone = source.js("phoneNumberId");
    upload.insert(
        "itemMode".to_owned(),
        json!({"result": {"js": format!("({{ phone: {phone}, message: {message} }})")}}),
    );
    let phone = Arg::Script("$json.phone".to_owned());
    let mut sent = call("POST", HOST, vec![Arg::text(VERSION), phone, Arg::text("messages")], source);
    sent.insert("body".to_owned(), json_body("$json.message"));
    Some(translation(upload).before("upload", "http", sent.into()).with_notes([FILE_LIMIT]))
}

/// A message of WhatsApp from a template, such as `hello|en_US`.
pub fn send_template(source: &Source) -> Option<Translation> {
    let template = (source.js)(source.find("template")?);
    let components = source.js_or("components.component", "[]");
    let template = Arg::Script(format!("n8n.whatsAppTemplate({template}, {components})"));
    Some(translation(post(source, "messages", &message(source, "template", template))))
}

/// The body of a message of WhatsApp.
fn message(source: &Source, kind: &str, content: Arg) -> String {
    let to = source.js("recipientPhoneNumber");
    let body = Arg::Object(vec![
        ("messaging_product".to_owned(), Arg::text("whatsapp")),
        ("to".to_owned(), Arg::Script(format!("String({to}).replace(/[^\\d]/g, '')"))),
        ("type".to_owned(), Arg::text(kind)),
        (kind.to_owned(), content),
    ]);
    body.script(source.js)
}

fn post(source: &Source, path: &str, body: &str) -> Map<String, Value> {
    let phone = Arg::Parameter(source.get("phoneNumberId").clone());
    let mut config = call("POST", HOST, vec![Arg::text(VERSION), phone, Arg::text(path)], source);
    config.insert("body".to_owned(), json!({"type": "json", "value": {"js": body}}));
    config
}
