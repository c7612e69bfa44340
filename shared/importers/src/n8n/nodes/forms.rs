//! Translates pages with fields: the form that starts a run, and the pages after it. Fields have names of letters, digits and `_`
//! here, and are known by their labels in n8n.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::lenient::{is_empty, list, scalar_text, text, truncate};
use crate::n8n::context::Context;
use crate::n8n::javascript::{is_computed, literal_text, text_field};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::slug::Ids;
use crate::translation::Translation;

const MAX_FIELDS: usize = 50;

/// The fields of a page, and the JavaScript that gives their values the names of n8n.
pub struct Page {
    pub fields: Value,
    /// The entries of an object in JavaScript, which reads them from `values`.
    pub json: String,
    /// The field of an item that has its files.
    pub binary: String,
    pub notes: Notes,
}

pub fn page(node: Context) -> Page {
    let (mut fields, mut json, mut files, mut notes) = (Vec::new(), String::new(), Vec::new(), Notes::new());
    let parsed = parse_fields(node);
    let given = if parsed.is_empty() { list(&node.parameter("formFields")["values"]) } else { &parsed };
    if text(node.parameter("defineForm")) == "json" && parsed.is_empty() {
        note(&mut notes, "its fields are computed: add them");
    }
    let mut names = Ids::default();
    for (index, field) in given.iter().take(MAX_FIELDS).enumerate() {
        let kind = text(&field["fieldType"]);
        if kind == "html" {
            note(&mut notes, "its HTML is left out");
            continue;
        }
        let label = literal_text(&field["fieldLabel"]);
        let own = literal_text(&field["fieldName"]);
        let shown = [&own, &label].into_iter().find(|name| !name.trim().is_empty()).cloned();
        let shown = shown.unwrap_or_else(|| format!("field-{index}"));
        let name = names.assign(&[&format!("f_{shown}")]).trim_start_matches("f_").to_owned();
        let name = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("f_{name}") };
        fields.push(form_field(field, &name, &label, kind, &mut notes));
        let value = match kind {
            "file" => {
                files.push(format!("{}: values.{name}", quote(&binary_name(&shown))));
                let described = "{ filename: file.name, mimetype: file.contentType, size: Buffer.from(file.base64, \"base64\").length }";
                let described =
                    if field["multipleFiles"] == false { described.to_owned() } else { format!("[{described}]") };
                format!("((file) => file ? {described} : null)(values.{name})")
            }
            _ => format!("values.{name}"),
        };
        json.push_str(&format!("{}: {value}, ", quote(&shown)));
    }
    if !is_empty(node.option("customCss")) {
        note(&mut notes, "its style is left out");
    }
    let binary = if files.is_empty() { String::new() } else { format!(", binary: {{ {} }}", files.join(", ")) };
    Page { fields: fields.into(), json, binary, notes }
}

/// The name of a file in an item: n8n keeps ASCII letters, digits and `_`, and replaces each unit of UTF-16.
fn binary_name(field: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_';
    field.chars().map(|c| if is_kept(c) { c.to_string() } else { "_".repeat(c.len_utf16()) }).collect()
}

/// The fields that are given as JSON.
fn parse_fields(node: Context) -> Vec<Value> {
    let written = node.parameter("jsonOutput");
    match written {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        Value::Array(fields) => fields.clone(),
        _ => Vec::new(),
    }
}

fn form_field(field: &Value, name: &str, label: &str, kind: &str, notes: &mut Notes) -> Value {
    let (options, is_several) = options(field);
    let kind = match kind {
        "textarea" => "long_text",
        "email" => "email",
        "number" => "number",
        "date" => "date",
        "file" => "file",
        "hiddenField" => "hidden",
        "dropdown" | "checkbox" | "radio" if options.is_empty() => "text",
        "dropdown" if !is_several => "choice",
        "radio" => "choice",
        "dropdown" | "checkbox" => "choices",
        _ => "text",
    };
    if kind == "file" {
        note(notes, "a file has at most 512 KiB");
    }
    let mut made = Map::from_iter([("name".to_owned(), Value::from(name)), ("type".to_owned(), kind.into())]);
    if !label.trim().is_empty() && label != name {
        made.insert("label".to_owned(), cut(label, 200).into());
    }
    if field["requiredField"] == true && kind != "hidden" {
        made.insert("required".to_owned(), true.into());
    }
    if matches!(kind, "choice" | "choices") {
        made.insert("options".to_owned(), options.into());
    }
    Value::Object(made)
}

/// What people choose from, without repetitions, and whether they may choose several.
fn options(field: &Value) -> (Vec<String>, bool) {
    const MAX_OPTIONS: usize = 500;
    let mut seen = HashSet::new();
    let options = list(&field["fieldOptions"]["values"]).iter().map(|option| cut(&scalar_text(&option["option"]), 200));
    let options = options.filter(|option| !option.trim().is_empty() && seen.insert(option.clone()));
    (options.take(MAX_OPTIONS).collect(), field["multiselect"] == true)
}

/// A page in the middle of a run, or its end.
pub fn form(node: Context) -> Translation {
    if text(node.parameter("operation")) == "completion" {
        let texts =
            [node.parameter("completionTitle"), node.parameter("completionMessage"), node.parameter("responseText")];
        let texts: Vec<&Value> = texts.into_iter().filter(|text| !is_empty(text)).collect();
        let output = super::ai::join(&texts);
        let output = if output.is_object() { output } else { json!({"js": quote(text(&output))}) };
        let config = json!({"output": output, "itemMode": {"run": "all", "result": {"js": "$input.all()"}}});
        let style = (!is_empty(node.option("customCss"))).then_some("its style is left out");
        return Translation::new("send_result", config).with_notes(style);
    }
    form_page(node)
}

pub fn form_page(node: Context) -> Translation {
    let mut page = page(node);
    let titles = [node.option("formTitle"), node.parameter("formTitle")];
    let title = titles.into_iter().find(|title| !is_empty(title)).cloned().unwrap_or_else(|| node.source().name.into());
    // On later pages, the options are an expression.
    for field in page.fields.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(options) = field.get_mut("options") {
            *options = json!({"js": options.to_string()});
        }
    }
    let mut config = Map::from_iter([("title".to_owned(), text_field(&title)), ("fields".to_owned(), page.fields)]);
    let descriptions = [node.option("formDescription"), node.parameter("formDescription")];
    if let Some(description) = descriptions.into_iter().find(|description| !is_empty(description)) {
        config.insert("description".to_owned(), text_field(description));
    }
    match scalar_text(node.option("buttonLabel")) {
        label if is_computed(&label) => note(&mut page.notes, "the text of its button is computed: write it"),
        label if label.trim().is_empty() => {}
        label => drop(config.insert("button".to_owned(), cut(&label, 100).into())),
    }
    let items = format!(
        "((values) => ({{ json: {{ {}submittedAt: $now.toISO(), formMode: \"production\" }}{} }}))(output)",
        page.json, page.binary
    );
    config.insert("itemMode".to_owned(), json!({"run": "first", "result": {"js": items}}));
    Translation::new("form_page", config.into()).with_notes(page.notes)
}

/// The beginning of a text, with at most this many characters.
pub fn cut(text: &str, chars: usize) -> String {
    truncate(text, chars - 1)
}
