//! What is written can be read, and is exactly what was given.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use documents::write;
use domain::run::StepError;
use serde_json::{Value, json};

use crate::support::read;

fn written(data: Value, format: Value) -> Result<Value, StepError> {
    let node = json!({"data": data, "format": format});
    write(&serde_json::from_value(node).unwrap())
}

fn text_of(file: &Value) -> String {
    String::from_utf8(BASE64_STANDARD.decode(file["base64"].as_str().unwrap()).unwrap()).unwrap()
}

#[test]
fn a_workbook_is_read_as_it_was_written() {
    let data = json!([
        {"id": 1, "name": "Ana Muñoz", "paid": true, "note": null},
        {"id": 2.5, "name": "=1+1", "more": {"a": [1]}},
        {"id": 9007199254740993u64, "name": " <&>\u{1} "},
    ]);
    let file = written(data.clone(), json!({"type": "xlsx", "sheet": "Añadidos"})).unwrap();
    assert_eq!(file["name"], "file.xlsx");
    let table = read(file, Value::Null).unwrap();
    assert_eq!(table["sheets"], json!(["Añadidos"]));
    let rows = json!([
        {"id": 1, "name": "Ana Muñoz", "paid": true, "more": null},
        {"id": 2.5, "name": "=1+1", "paid": null, "more": "{\"a\":[1]}"},
        {"id": "9007199254740993", "name": " <&>\u{1} ", "paid": null, "more": null},
    ]);
    // The column `note` has no value.
    let mut found = table["rows"].clone();
    found.as_array_mut().unwrap().iter_mut().for_each(|row| {
        assert_eq!(row.as_object_mut().unwrap().remove("note"), Some(Value::Null));
    });
    assert_eq!(found, rows);
    let lists = written(json!([[1, "a"], [], [null, false]]), json!({"type": "xlsx"})).unwrap();
    let read_lists = read(lists, json!({"type": "xlsx", "headerRow": 0})).unwrap();
    assert_eq!(read_lists["rows"], json!([[1, "a"], [null, false]]));
}

#[test]
fn csv_is_quoted() {
    let data = json!([{"a,b": "x\"y", "n": 1.5}, {"n": -2, "c": "line\nbreak"}, {"c": true}]);
    let file = written(data.clone(), json!({"type": "csv"})).unwrap();
    assert_eq!(file["contentType"], "text/csv; charset=utf-8");
    assert_eq!(text_of(&file), "\"a,b\",n,c\r\n\"x\"\"y\",1.5,\r\n,-2,\"line\nbreak\"\r\n,,true\r\n");
    let options = json!({"type": "csv", "delimiter": "semicolon", "header": false, "byteOrderMark": true});
    assert_eq!(
        text_of(&written(data, options).unwrap()),
        "\u{feff}\"x\"\"y\";1.5;\r\n;-2;\"line\nbreak\"\r\n;;true\r\n"
    );
    assert_eq!(text_of(&written(json!([[1, 2], ["a"]]), json!({"type": "csv"})).unwrap()), "1,2\r\na\r\n");
    assert_eq!(text_of(&written(json!([]), json!({"type": "csv"})).unwrap()), "");
}

#[test]
fn formulas_are_escaped_if_wanted() {
    let cells = json!([["=1+1", "+34 600", "-5", -5, "@x", "a=b", "\t=1", "＝1"]]);
    let escaped = written(cells.clone(), json!({"type": "csv", "escapeFormulas": true})).unwrap();
    assert_eq!(text_of(&escaped), "'=1+1,'+34 600,-5,-5,'@x,a=b,'\t=1,'＝1\r\n");
    let exact = written(cells, json!({"type": "csv"})).unwrap();
    assert_eq!(text_of(&exact), "=1+1,+34 600,-5,-5,@x,a=b,\t=1,＝1\r\n");
}

#[test]
fn texts_and_json_are_written_as_they_are() {
    for (data, format, content_type, name, text) in [
        (json!({"a": [1]}), "json", "application/json", "file.json", "{\"a\":[1]}"),
        (json!("<p>ñ"), "html", "text/html; charset=utf-8", "file.html", "<p>ñ"),
        (json!("ñ"), "text", "text/plain; charset=utf-8", "file.txt", "ñ"),
    ] {
        let file = written(data, json!({"type": format})).unwrap();
        assert_eq!((&file["contentType"], &file["name"]), (&json!(content_type), &json!(name)));
        assert_eq!(text_of(&file), text);
    }
    let named = json!({"data": "", "format": {"type": "text"}, "name": " ../a\n.txt "});
    assert_eq!(write(&serde_json::from_value(named).unwrap()).unwrap()["name"], ".._a_.txt");
}

#[test]
fn what_cannot_be_written_is_explained() {
    for (data, format, code, part) in [
        (json!("text"), json!({"type": "csv"}), "data_invalid", "config.data: must be a list"),
        (json!([[1], {}]), json!({"type": "xlsx"}), "data_invalid", "element 1"),
        (json!([{}, 7]), json!({"type": "csv"}), "data_invalid", "element 1"),
        (json!({}), json!({"type": "text"}), "data_invalid", "must be a text"),
        (json!([]), json!({"type": "xlsx", "sheet": "a/b"}), "data_invalid", "config.format.sheet: "),
        (json!([["a".repeat(40_000)]]), json!({"type": "xlsx"}), "file_too_large", "32,767"),
        (json!([vec![1; 20_000]]), json!({"type": "xlsx"}), "file_too_large", "16,384 columns"),
        (json!("a".repeat(900_000)), json!({"type": "text"}), "file_too_large", "767 KiB"),
        (many_names(), json!({"type": "csv"}), "file_too_large", "different fields"),
    ] {
        let error = written(data, format).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

/// Few bytes, which would be a table of many cells.
fn many_names() -> Value {
    (0..5_000).map(|index| json!({format!("{index}"): 1})).collect()
}
