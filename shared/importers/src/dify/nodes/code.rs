//! Converts nodes with code. JavaScript stays as it is; Python is translated, as far as it is known.

use serde_json::{Value, json};

use super::super::super::lenient::{list, scalar_text, text, truncate};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::redact_code;
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::python;

/// Dify calls the function `main` with an object of the variables.
pub fn code(node: Context) -> Translation {
    let mut notes = Notes::new();
    let values = values(node, &mut notes);
    let original = text(node.data("code"));
    let code = redact_code(original);
    if code != original {
        note(&mut notes, "its code has a secret, which is left out: write no secrets into code");
    }
    match text(node.data("code_language")) {
        "javascript" => {
            let code = format!("{}\n\nreturn main({values});", code.trim_end());
            Translation::new("code", json!({"javascript": code})).with_notes(notes)
        }
        language if language.starts_with("python") => {
            let names: Vec<String> =
                list(node.data("variables")).iter().take(100).map(|one| scalar_text(&one["variable"])).collect();
            match python::translate(&code, &names, &values) {
                Ok(code) => Translation::new("code", json!({"javascript": code})).with_notes(notes),
                Err(why) => {
                    to_be_written("Python", &code, &values, &format!(" ({} is not translated)", truncate(&why, 200)))
                }
            }
        }
        language => to_be_written(&truncate(language, 20), &code, &values, ""),
    }
}

/// A node that keeps the code for the person who writes it in JavaScript. Its runs fail until then.
fn to_be_written(language: &str, code: &str, values: &str, why: &str) -> Translation {
    let lines: String = code.trim_end().lines().map(|line| format!("// {line}\n")).collect();
    let javascript = format!(
        "// Write this in JavaScript, and remove the last line.\n{lines}const values = {values};\n\
         throw new Error('the code of this node is not JavaScript: write it in JavaScript');"
    );
    let why =
        format!("code runs in JavaScript only: the node has its {language} as a comment, write it in JavaScript{why}");
    Translation { unsupported: Some(why), ..Translation::new("code", json!({"javascript": javascript})) }
}

/// The variables as an object in JavaScript. One that a run does not have is undefined.
fn values(node: Context, notes: &mut Notes) -> String {
    let variables = list(node.data("variables")).iter().take(100);
    let fields = variables.map(|variable| {
        let name = Value::from(scalar_text(&variable["variable"]));
        format!("{name}: {}", node.selector_javascript(&variable["value_selector"], notes))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}
