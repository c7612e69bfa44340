//! Files that other programs wrote: see `files/README.md`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::support::{load, read, read_bytes};

fn read_named(name: &str, format: Value) -> Value {
    read_bytes(&load(name), format).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn code_of(file: Value, format: Value) -> (String, String) {
    let error = read(file, format).unwrap_err();
    assert!(error.message.starts_with("config."), "{error}");
    (error.code, error.message)
}

#[test]
fn csv_of_all_dialects_is_the_same_table() {
    let people = json!({
        "columns": ["name", "city", "amount"],
        "rows": [
            {"name": "Ana Muñoz", "city": "León", "amount": "1,5"},
            {"name": "Bob \"the\" Builder", "city": "Line\nbreak", "amount": ""},
            {"name": "Zoë", "city": "a;b", "amount": "-3"},
        ],
        "hasMore": false,
    });
    for name in ["excel.csv", "mark-semicolon.csv", "windows-1252-semicolon.csv", "utf-16-tab.csv", "unix.csv"] {
        assert_eq!(read_named(name, json!({"type": "csv"})), people, "{name}");
    }
    let named = json!({"type": "csv", "delimiter": "semicolon", "encoding": "windows-1252"});
    assert_eq!(read_named("windows-1252-semicolon.csv", named), people);
}

#[test]
fn ragged_rows_keep_their_cells() {
    let table = read_named("ragged.csv", json!({"type": "csv"}));
    let rows = json!([
        {"a": "1", "b": null, "a_2": null},
        {"a": "1", "b": "2", "a_2": "3", "column_5": "5"},
        {"a": "", "b": "", "a_2": "3"},
    ]);
    assert_eq!(table, json!({"columns": ["a", "b", "a_2", "column_5"], "rows": rows, "hasMore": false}));
    let lists = read_named("ragged.csv", json!({"type": "csv", "headerRow": 0}));
    assert_eq!(lists["rows"][0], json!(["a", "b", "a", ""]));
    assert_eq!(lists["columns"], json!([]));
}

#[test]
fn rows_are_selected() {
    let text = "Report\n\nid;n\n1;a\n2;b\n3;c\n";
    let format = json!({"type": "csv", "headerRow": 3, "skip": 1, "maxRows": 1});
    let expected = json!({"columns": ["id", "n"], "rows": [{"id": "2", "n": "b"}], "hasMore": true});
    assert_eq!(read(json!(text), format.clone()), Ok(expected.clone()));
    // The first line of some programs says which delimiter follows.
    let hinted = format!("sep=;\r\n{}", text.replace("Report\n", ""));
    assert_eq!(read(json!(hinted), format), Ok(expected));
    let all = json!({"type": "csv", "headerRow": 3, "maxRows": 3});
    assert_eq!(read(json!(text), all).unwrap()["hasMore"], false);
}

#[test]
fn cells_of_a_workbook_have_types() {
    let table = read_named("openpyxl.xlsx", json!({"type": "xlsx", "headerRow": 3}));
    let rows = json!([
        {
            "id": 1, "ordered": "2026-03-02", "at": "2026-03-02T14:30:15", "lasts": "36:00:00", "share": 0.25, "paid": true,
            "name": "Ana Muñoz", "column_8": "unnamed", "name_2": "x", "total": 1234.5,
        },
        {
            "id": 2, "ordered": null, "at": "14:30:15", "lasts": null, "share": 1, "paid": false, "name": "  Bob ",
            "name_2": null, "total": -1e300,
        },
    ]);
    assert_eq!(table["rows"], rows);
    let columns = ["id", "ordered", "at", "lasts", "share", "paid", "name", "column_8", "name_2", "total"];
    assert_eq!(table["columns"], json!(columns));
    // The first visible sheet.
    assert_eq!((&table["sheet"], &table["sheets"]), (&json!("Orders"), &json!(["Hidden", "Orders", "Empty"])));
    let empty = read_named("openpyxl.xlsx", json!({"type": "xlsx", "sheet": "Empty"}));
    assert_eq!((&empty["rows"], &empty["columns"]), (&json!([]), &json!([])));
}

#[test]
fn formulas_have_the_values_that_were_stored() {
    let table = read_named("xlsxwriter.xlsx", json!({"type": "xlsx"}));
    let rows = json!([
        {"when": "2026-12-31", "net": 100, "gross": 121, "note": "ab", "wrong": "#DIV/0!"},
        {"when": "merged", "net": null, "gross": null, "note": null, "wrong": null},
    ]);
    assert_eq!(table["rows"], rows);
    let lists = read_named("xlsxwriter.xlsx", json!({"type": "xlsx", "sheet": "Second", "headerRow": 0}));
    assert_eq!(lists["rows"], json!([["a", "b"]]));
}

#[test]
fn pages_of_a_pdf_have_their_text() {
    let pages = read_named("reportlab.pdf", json!({"type": "pdf"}));
    let (first, second) = ("First page: Muñoz, 12 €\n\nSecond line", "Second page");
    let text = format!("{first}\n\n{second}");
    assert_eq!(pages, json!({"text": text, "pages": [first, second], "pageCount": 2}));
    let last = read_named("reportlab.pdf", json!({"type": "pdf", "firstPage": 2}));
    assert_eq!(last, json!({"text": second, "pages": [second], "pageCount": 2}));

    let printed = read_named("chromium.pdf", json!({"type": "pdf"}));
    assert_eq!(printed["pageCount"], 2);
    let text = printed["text"].as_str().unwrap();
    for part in ["Invoice 2026-014", "To Ana Muñoz: 1.234,50 €", "Coffee filter", "30 days"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Only printing is forbidden.
    assert_eq!(read_named("reportlab-no-printing.pdf", json!({"type": "pdf"}))["text"], "protected");
}

#[test]
fn files_that_cannot_be_read_are_explained() {
    for (name, format, code, part) in [
        ("reportlab-password.pdf", json!({"type": "pdf"}), "file_encrypted", "password"),
        ("reportlab-scan.pdf", json!({"type": "pdf"}), "file_without_text", "scanned"),
        (
            "reportlab.pdf",
            json!({"type": "pdf", "firstPage": 3}),
            "file_invalid",
            "config.format.firstPage: the file has only 2",
        ),
        ("reportlab.pdf", json!({"type": "xlsx"}), "file_invalid", "not a valid XLSX"),
        ("reportlab.pdf", json!({"type": "csv"}), "file_invalid", "not a text"),
        ("openpyxl.xlsx", json!({"type": "pdf"}), "file_invalid", "not a PDF"),
        ("openpyxl.xlsx", json!({"type": "json"}), "file_invalid", "not a text"),
        ("openpyxl.xlsx", json!({"type": "xlsx", "sheet": "No"}), "file_invalid", "config.format.sheet: "),
        ("excel.csv", json!({"type": "json"}), "file_invalid", "not valid JSON"),
        ("excel.csv", json!({"type": "text", "encoding": "klingon"}), "file_invalid", "config.format.encoding: "),
        (
            "windows-1252-semicolon.csv",
            json!({"type": "text", "encoding": "utf-8"}),
            "file_invalid",
            "config.format.encoding: ",
        ),
    ] {
        let error = read_bytes(&load(name), format).unwrap_err();
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(error.message.contains(part), "{name}: {error}");
    }
}

#[test]
fn values_that_are_no_files_are_explained() {
    for (file, part) in [
        (json!(7), "must be a file"),
        (json!(null), "must be a file"),
        (json!({"status": 200, "headers": {}, "body": {}}), "use its `body`"),
        (json!({"name": "a.pdf", "mediaType": "application/pdf"}), "attachments of a message"),
        (json!({"content": "text"}), "has no content"),
        (json!({"base64": "%%%"}), "`base64` is not valid"),
        (json!({"base64": "AAEC", "contentType": "application/octet-stream"}), "set `format`"),
    ] {
        let (code, message) = code_of(file, Value::Null);
        assert_eq!(code, "file_invalid");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn formats_are_recognized() {
    let page = "<!DOCTYPE html><title>Menu</title><p>Fish &amp; chips";
    let menu = json!({"text": "Menu\n\nFish & chips", "title": "Menu"});
    for (file, value) in [
        (json!({"text": page, "contentType": "text/html; charset=utf-8"}), menu.clone()),
        (json!({"text": page}), menu.clone()),
        (json!(page), menu),
        (json!({"text": "{\"a\": 1}", "contentType": "application/ld+json"}), json!({"data": {"a": 1}})),
        (json!({"text": "[1]", "name": "list.JSON"}), json!({"data": [1]})),
        (json!({"text": "plain", "contentType": "text/plain"}), json!({"text": "plain"})),
        (json!({"base64": "bmnxbw", "contentType": "text/plain"}), json!({"text": "niño"})),
        (json!({"base64": "bmkA", "name": "a.txt", "contentType": "text/plain; charset=utf-16le"}), json!(null)),
    ] {
        let read = read(file.clone(), Value::Null);
        match value {
            Value::Null => assert_eq!(read.unwrap_err().code, "file_invalid", "{file}"),
            value => assert_eq!(read, Ok(value), "{file}"),
        }
    }
    for (name, field) in [("openpyxl.xlsx", "rows"), ("excel.csv", "rows"), ("reportlab.pdf", "pages")] {
        let file = json!({"base64": base64_of(name), "name": name});
        assert!(read(file, Value::Null).unwrap()[field].is_array(), "{name}");
    }
}

fn base64_of(name: &str) -> String {
    BASE64_STANDARD.encode(load(name))
}

#[test]
fn pages_are_decoded_as_they_declare() {
    let page = b"<meta charset=windows-1251><title>\xcf\xf0\xe8</title>";
    let format = json!({"type": "html"});
    assert_eq!(read_bytes(page, format), Ok(json!({"text": "При", "title": "При"})));
}
