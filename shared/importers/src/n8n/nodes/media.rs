//! Converts nodes that give images, sound, videos and documents to a model provider. Models read images and documents. The other
//! calls go to the API of the provider, with a credential of the workflow.

use serde_json::{Map, Value, json};

use super::ai::{answer, model_name};
use crate::lenient::{is_empty, scalar_text, text};
use crate::model::settings;
use crate::n8n::context::Context;
use crate::n8n::http_config::{FILE_LIMIT, call, json_body, multipart};
use crate::n8n::javascript::{expression, text_field};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::translation::{Translation, UNBOUND_MODEL};

const OPENAI: &str = "https://api.openai.com/v1";

/// None if the provider does something else.
pub fn media(node: Context) -> Option<Translation> {
    let [resource, operation] = ["resource", "operation"].map(|name| text(node.parameter(name)));
    Some(match (node.source().kind, resource, operation) {
        (_, "image", "analyze") => read(node, "image", "What's in this image?"),
        ("googleGemini" | "anthropic", "document", "" | "analyze") => {
            read(node, "document", "What's in this document?")
        }
        ("googleGemini", "audio", "" | "transcribe") => {
            gemini(node, "audio", Some("Generate a transcript of the speech"))
        }
        ("googleGemini", "audio" | "video", "analyze") => gemini(node, resource, None),
        ("openAi", "audio", "transcribe") => transcribe(node, "transcriptions"),
        ("openAi", "audio", "translate") => transcribe(node, "translations"),
        ("openAi", "audio", "" | "generate") => speak(node),
        ("openAi", "file", "" | "upload") => upload(node),
        ("mistralAi", "" | "document", "" | "extractText") => recognize_text(node),
        _ => return None,
    })
}

/// The names of the files of the item, or their addresses.
enum Files {
    Binary(String),
    Urls(String),
}

impl Files {
    fn new(node: Context, resource: &str) -> Self {
        let names = ["binaryPropertyName", "binaryProperty"].map(|name| node.parameter(name));
        let names = names.into_iter().find(|names| !is_empty(names)).map_or_else(|| quote("data"), expression);
        let urls = ["Urls", "Url"].map(|end| node.parameter(&format!("{resource}{end}")));
        let urls = urls.into_iter().chain([node.parameter("url")]).find(|urls| !is_empty(urls));
        let is_binary = matches!(text(node.parameter("inputType")), "binary" | "base64");
        match urls.filter(|_| !is_binary) {
            Some(urls) => Self::Urls(expression(urls)),
            None => Self::Binary(names),
        }
    }
}

/// A question about files to a model.
fn read(node: Context, resource: &str, question: &str) -> Translation {
    let mut notes = Notes::new();
    let model = model_name(node);
    let prompt = if is_empty(node.parameter("text")) { question.into() } else { text_field(node.parameter("text")) };
    let mut config = Map::from_iter([("model".to_owned(), model.clone().into()), ("prompt".to_owned(), prompt)]);
    settings(node.parameter("options"), &mut config, &mut notes);
    config.insert("itemMode".to_owned(), json!({"result": {"js": read_answer(node)}}));
    let read = |files: String, mut config: Map<String, Value>| {
        config.insert("files".to_owned(), json!({"js": files}));
        config
    };
    let translation = match Files::new(node, resource) {
        Files::Binary(names) => Translation::new("model", read(format!("n8n.filesNamed({names})"), config).into()),
        Files::Urls(urls) if resource == "image" => {
            Translation::new("model", read(format!("n8n.names({urls})"), config).into())
        }
        Files::Urls(urls) => {
            note(&mut notes, FILE_LIMIT);
            let config = read("[$binary.file]".to_owned(), config).into();
            download(&urls).before("file", "model", config)
        }
    };
    translation.with_notes(notes).with_reconnects([format!("model {model}")])
}

fn read_answer(node: Context) -> String {
    let source = node.source();
    let is_simple = *node.parameter("simplify") != false;
    match source.kind {
        "openAi" if source.version < 2.0 && is_simple => "({ content: output })".to_owned(),
        "openAi" if source.version >= 2.0 && is_simple => {
            let content = "content: [{ type: \"output_text\", text: output }]";
            format!("({{ 0: {{ type: \"message\", role: \"assistant\", {content} }} }})")
        }
        _ => answer(node, false),
    }
}

/// An item with the file at an address.
fn download(urls: &str) -> Translation {
    let url = format!("n8n.names({urls})[0]");
    let items = "({ json: $json, binary: { ...$binary, file: n8n.bodyFile(output.body, undefined, output.headers['content-type']) } })";
    Translation::new("http", call("GET", json!({"js": url}), None, items))
}

fn fields_body(fields: &[(&str, String)]) -> Value {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    json_body(format!("{{ {} }}", fields.join(", ")))
}

fn form(file: &str, fields: &[(&str, String)]) -> Value {
    let fields = fields.iter().map(|(name, value)| format!("{{ name: {}, value: {value} }}", quote(name)));
    let parts: Vec<String> = [format!("{{ name: \"file\", file: {file} }}")].into_iter().chain(fields).collect();
    multipart(&parts)
}

fn openai(config: Value) -> Translation {
    Translation::new("http", config).with_reconnects(["a credential for OpenAI: its API key as a bearer token"])
}

fn or(value: &Value, default: &str) -> String {
    if is_empty(value) { quote(default) } else { expression(value) }
}

fn file_of(node: Context) -> String {
    format!("n8n.filesNamed({})[0]", or(node.parameter("binaryPropertyName"), "data"))
}

fn transcribe(node: Context, path: &str) -> Translation {
    let options = ["language", "temperature"].map(|name| (name, node.option(name)));
    let options = options.into_iter().filter(|(_, value)| !is_empty(value));
    let fields = [("model", quote("whisper-1"))].into_iter();
    let fields: Vec<_> = fields.chain(options.map(|(name, value)| (name, expression(value)))).collect();
    let body = form(&file_of(node), &fields);
    openai(call("POST", format!("{OPENAI}/audio/{path}"), Some(body), "output.body")).with_notes([FILE_LIMIT])
}

fn speak(node: Context) -> Translation {
    let format = or(node.option("response_format"), "mp3");
    let mut fields = vec![
        ("model", or(node.parameter("model"), "tts-1")),
        ("input", expression(node.parameter("input"))),
        ("voice", or(node.parameter("voice"), "alloy")),
        ("response_format", format.clone()),
    ];
    if !is_empty(node.option("speed")) {
        fields.push(("speed", expression(node.option("speed"))));
    }
    let property = or(node.option("binaryPropertyOutput"), "data");
    let file = format!("n8n.bodyFile(output.body, `audio.${{{format}}}`, `audio/${{{format}}}`)");
    let items = format!("({{ json: {{}}, binary: {{ ...$binary, [{property}]: {file} }} }})");
    openai(call("POST", format!("{OPENAI}/audio/speech"), Some(fields_body(&fields)), &items)).with_notes([FILE_LIMIT])
}

fn upload(node: Context) -> Translation {
    let purpose = or(node.option("purpose"), "assistants");
    let body = form(&file_of(node), &[("purpose", purpose)]);
    openai(call("POST", format!("{OPENAI}/files"), Some(body), "output.body")).with_notes([FILE_LIMIT])
}

/// Sound and videos go to Gemini's own API: those of other providers take few formats.
fn gemini(node: Context, resource: &str, prompt: Option<&str>) -> Translation {
    let mut notes = Notes::new();
    note(&mut notes, FILE_LIMIT);
    let model = model_name(node);
    if model == UNBOUND_MODEL {
        note(&mut notes, "write the name of the model in its URL");
    }
    let model = if model.starts_with("models/") { model } else { format!("models/{model}") };
    let url = format!("https://generativelanguage.googleapis.com/v1beta/{model}:generateContent");
    let default = if resource == "audio" { "What's in this audio?" } else { "What's in this video?" };
    let prompt = prompt.map_or_else(|| or(node.parameter("text"), default), quote);
    let is_simple = *node.parameter("simplify") != false;
    let items = if is_simple { "output.body.candidates" } else { "output.body" };
    let (files, before) = match Files::new(node, resource) {
        Files::Binary(names) => (format!("n8n.filesNamed({names})"), None),
        Files::Urls(urls) => ("[$binary.file]".to_owned(), Some(download(&urls))),
    };
    let parts = format!("[...n8n.geminiFiles({files}), {{ text: {prompt} }}]");
    let mut fields = vec![("contents", format!("[{{ role: \"user\", parts: {parts} }}]"))];
    if !is_empty(node.option("maxOutputTokens")) {
        let most = expression(node.option("maxOutputTokens"));
        fields.push(("generationConfig", format!("{{ maxOutputTokens: {most} }}")));
    }
    let config = call("POST", url, Some(fields_body(&fields)), items);
    let translation = match before {
        Some(before) => before.before("file", "http", config),
        None => Translation::new("http", config),
    };
    let credential = "a credential for Google Gemini: its API key in the header x-goog-api-key";
    translation.with_notes(notes).with_reconnects([credential])
}

/// The text of an image or a PDF document.
fn recognize_text(node: Context) -> Translation {
    let is_image = text(node.parameter("documentType")) == "image_url";
    let kind = if is_image { "image_url" } else { "document_url" };
    let url = match Files::new(node, "document") {
        Files::Binary(names) => format!("n8n.dataUrl(n8n.filesNamed({names})[0])"),
        Files::Urls(urls) => urls,
    };
    let model = scalar_text(node.parameter("model"));
    let model = if model.is_empty() { "mistral-ocr-latest" } else { &model };
    let fields =
        [("model", or(&model.into(), "")), ("document", format!("{{ type: {}, {kind}: {url} }}", quote(kind)))];
    let items = "n8n.mistralPages(output.body)";
    Translation::new("http", call("POST", "https://api.mistral.ai/v1/ocr", Some(fields_body(&fields)), items))
        .with_notes([FILE_LIMIT])
        .with_reconnects(["a credential for Mistral: its API key as a bearer token"])
}
