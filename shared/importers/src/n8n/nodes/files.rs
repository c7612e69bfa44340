//! Translates nodes that read and write files of formats that the library of the sandbox does not know: PDF and XLSX.

use serde_json::{Map, Value, json};

use super::data;
use crate::lenient::{is_empty, scalar_text, text, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, text_field};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::translation::Translation;

pub fn file(node: Context) -> Translation {
    let given = |name: &str| text(node.parameter(name));
    let reads = match node.source().kind {
        "extractFromFile" | "readPDF" => true,
        "spreadsheetFile" => given("operation") != "toFile",
        _ => false,
    };
    let format = match node.source().kind {
        "readPDF" => "pdf",
        "spreadsheetFile" => given("fileFormat"),
        _ => given("operation"),
    };
    match (reads, format) {
        (true, "pdf") => read_pdf(node),
        (true, "xlsx") => read_workbook(node),
        (true, "" | "autodetect") if node.source().kind == "spreadsheetFile" => read_workbook(node),
        (false, "xlsx" | "xls" | "ods") => write_workbook(node),
        (false, "") if node.source().kind == "spreadsheetFile" => write_workbook(node),
        (true, "xls" | "ods" | "rtf") | (false, "rtf") => {
            Translation::unsupported(format!("files of the format {format} are not supported: use XLSX"))
        }
        _ => data::data(node),
    }
}

/// The file of the item.
fn binary(node: Context) -> String {
    let name = ["binaryPropertyName", "inputDataFieldName"].map(|name| node.parameter(name));
    let name = name.into_iter().find(|name| !name.is_null()).map_or_else(|| quote("data"), expression);
    format!("$binary[{name}]")
}

fn read_pdf(node: Context) -> Translation {
    let mut format = json!({"type": "pdf"});
    if let Some(pages) = whole_number(node.option("maxPages")).filter(|pages| *pages > 0) {
        format["lastPage"] = pages.min(100_000).into();
    }
    let joined = if *node.option("joinPages") == false { "output.pages" } else { "output.text" };
    let items = format!("({{ numpages: output.pageCount, numrender: output.pageCount, text: {joined} }})");
    let config = json!({"file": {"js": binary(node)}, "format": format, "itemMode": {"result": {"js": items}}});
    Translation::new("read_file", config)
}

fn read_workbook(node: Context) -> Translation {
    let mut notes = Notes::new();
    let mut format = Map::from_iter([("type".to_owned(), json!("xlsx"))]);
    set_sheet(node, &mut format);
    if *node.option("headerRow") == false {
        format.insert("headerRow".to_owned(), 0.into());
    }
    let is_plain = format.len() == 1;
    if !scalar_text(node.option("range")).is_empty() {
        note(&mut notes, "it reads the whole sheet: its range is not imported");
    }
    // n8n leaves out empty cells.
    let row = match *node.option("includeEmptyCells") == true || *node.option("headerRow") == false {
        true => "json: row",
        false => "json: Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null))",
    };
    let rows = format!("output.rows.map((row) => ({{ {row} }}))");
    let file = binary(node);
    // Without settings for a workbook, the file decides its format: n8n reads a text in another way.
    let is_detected =
        node.source().kind == "spreadsheetFile" && text(node.parameter("fileFormat")) != "xlsx" && is_plain;
    let items = match is_detected {
        true => {
            let options = Some(node.parameter("options")).filter(|options| options.is_object());
            let options = options.map_or_else(|| "{}".to_owned(), expression);
            format!("n8n.tableOfText({file}, {options}, {}) ?? {rows}", node.source().version)
        }
        false => rows,
    };
    let mut config = json!({"file": {"js": file}, "itemMode": {"result": {"js": items}}});
    if !is_detected {
        config["format"] = format.into();
    }
    Translation::new("read_file", config).with_notes(notes)
}

fn write_workbook(node: Context) -> Translation {
    let mut format = Map::from_iter([("type".to_owned(), json!("xlsx"))]);
    set_sheet(node, &mut format);
    if *node.option("headerRow") == false {
        format.insert("header".to_owned(), false.into());
    }
    let property = node.parameter("binaryPropertyName");
    let property = if property.is_null() { quote("data") } else { expression(property) };
    let items = format!("({{ json: {{}}, binary: {{ [{property}]: output }} }})");
    let mut config = json!({
        "data": {"js": "$input.all().map((item) => item.json)"}, "format": format,
        "itemMode": {"run": "all", "result": {"js": items}},
    });
    if !scalar_text(node.option("fileName")).is_empty() {
        config["name"] = text_field(node.option("fileName"));
    }
    Translation::new("write_file", config)
}

fn set_sheet(node: Context, format: &mut Map<String, Value>) {
    if !scalar_text(node.option("sheetName")).is_empty() {
        format.insert("sheet".to_owned(), text_field(node.option("sheetName")));
    }
}

/// A file of the item that n8n wrote on the disk of its server. It stays in the item.
pub fn kept(node: Context) -> Translation {
    let (property, name) = (node.parameter("dataPropertyName"), node.parameter("fileName"));
    let property = if is_empty(property) { quote("data") } else { expression(property) };
    let javascript = format!("return n8n.keptFiles(() => {property}, () => {});", expression(name));
    Translation::new("code", json!({"javascript": javascript, "itemMode": {"run": "all"}}))
        .with_notes(["there is no disk: the file stays in the output of this node; store it with a node of a service"])
}
