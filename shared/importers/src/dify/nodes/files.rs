//! Converts nodes that read files.

use serde_json::json;

use super::super::super::notes::Notes;
use super::super::super::translation::Translation;
use super::super::context::Context;

/// The text of a file, or of each file of a list.
pub fn document_extractor(node: Context) -> Translation {
    let mut notes = Notes::new();
    let file = node.selector_cel(node.data("variable_selector"), &mut notes);
    let translation = match node.data("is_array_file") == true {
        true => {
            let each = json!({"file": "vars.item", "each": {"items": file}});
            let fields = json!({"fields": {"text": "input.map(file, has(file.text) ? file.text : null)"}});
            Translation::new("read_file", each).before("files", "transform", fields)
        }
        false => Translation::new("read_file", json!({"file": file})),
    };
    translation.with_notes(notes).with_notes([
        "a file in the run's input is {base64, contentType, name}",
        "tables (CSV, XLSX) give `rows` instead of `text`; Word, PowerPoint and e-book files cannot be read",
    ])
}
