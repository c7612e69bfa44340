//! Damaged and malicious files: each gives a value or an error, and harms nothing else.

use std::sync::OnceLock;

use domain::run::StepError;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::forged::{Part, deflate_bomb, pdf, sheet, workbook, workbook_of};
use crate::support::{load, read, read_bytes};

const FILES: [(&str, &str); 8] = [
    ("openpyxl.xlsx", "xlsx"),
    ("xlsxwriter.xlsx", "xlsx"),
    ("chromium.pdf", "pdf"),
    ("reportlab.pdf", "pdf"),
    ("reportlab-password.pdf", "pdf"),
    ("excel.csv", "csv"),
    ("utf-16-tab.csv", "csv"),
    ("windows-1252-semicolon.csv", "csv"),
];
const MUTATIONS: usize = 40;

/// A file that is fine is read after the others, too, by the same server.
fn assert_works() {
    static SERVER: OnceLock<u32> = OnceLock::new();
    assert!(read_bytes(&load("reportlab.pdf"), json!({"type": "pdf"})).is_ok());
    let server = documents::server_id().unwrap();
    assert_eq!(*SERVER.get_or_init(|| server), server);
}

fn assert_explained(name: &str, result: &Result<Value, StepError>) {
    const CODES: [&str; 5] =
        ["file_invalid", "file_too_large", "file_unreadable", "file_encrypted", "file_without_text"];
    if let Err(error) = result {
        assert!(CODES.contains(&&*error.code) && error.message.starts_with("config."), "{name}: {error}");
    }
}

#[test]
fn files_that_are_cut_give_a_value_or_an_error() {
    for (name, format) in FILES {
        let bytes = load(name);
        for part in 0..12 {
            let cut = read_bytes(&bytes[..bytes.len() * part / 12], json!({"type": format}));
            assert_explained(name, &cut);
        }
    }
    assert_works();
}

#[test]
fn files_that_are_changed_give_a_value_or_an_error() {
    let mut random = Rng::with_seed(7);
    for (name, format) in FILES {
        let bytes = load(name);
        for _ in 0..MUTATIONS {
            let result = read_bytes(&mutate(&bytes, &mut random), json!({"type": format}));
            assert_explained(name, &result);
        }
    }
    assert_works();
}

/// Changes some bytes, or doubles, removes or moves a part.
fn mutate(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.usize(1..8) {
        let at = random.usize(..bytes.len());
        let end = (at + random.usize(1..64)).min(bytes.len());
        // Most changes keep the length, because many readers stop at an offset that is wrong.
        match random.u8(..12) {
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] ^= 1 << random.u8(..8),
            // Numbers become others: lengths, offsets, references.
            2 => bytes[at..end]
                .iter_mut()
                .filter(|byte| byte.is_ascii_digit())
                .for_each(|byte| *byte = random.u8(b'0'..=b'9')),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.usize(..=bytes.len());
                bytes.splice(to..to, part);
            }
            5 => bytes[at..end].reverse(),
            _ => bytes[at] = random.u8(b' '..b'~'),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn changed_parts_of_workbooks_give_a_value_or_an_error() {
    let mut random = Rng::with_seed(11);
    let text = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>2</v></c><c r="C1" t="b"><v>1</v></c></row>"#;
    for _ in 0..MUTATIONS * 2 {
        let sheet = mutate(&sheet("A1:C1", text), &mut random);
        let result =
            read_bytes(&workbook(&sheet, b"<sst><si><t>a</t></si></sst>"), json!({"type": "xlsx", "headerRow": 0}));
        assert_explained("workbook", &result);
    }
    assert_works();
}

/// A sheet is as large as its cells, whatever it claims.
#[test]
fn sheets_that_claim_to_be_huge_are_read() {
    let corners = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let book = workbook(&sheet("A1:XFD1048576", corners), b"<sst/>");
    let table = read_bytes(&book, json!({"type": "xlsx", "headerRow": 0})).unwrap();
    assert_eq!(table["rows"].as_array().unwrap().len(), 2);
    assert_eq!((&table["rows"][0], &table["rows"][1][16_383]), (&json!([1]), &json!(2)));
    for cell in ["A1048577", "XFE1", "A4294967297", "ZZZZZZZZZZ1", "A0"] {
        let book = workbook(&sheet("A1", &format!(r#"<row><c r="{cell}"><v>1</v></c></row>"#)), b"<sst/>");
        assert_explained(cell, &read_bytes(&book, json!({"type": "xlsx", "headerRow": 0})));
    }
}

#[test]
fn bombs_are_refused() {
    let bomb = workbook_of(&sheet("A1", ""), Part::Bomb(b"<sst><si><t>".to_vec(), 400));
    assert!(bomb.len() < 700_000, "{}", bomb.len());
    assert_bomb("strings", &bomb, "xlsx");
    let hex: String = deflate_bomb(b"BT ", 300).iter().map(|byte| format!("{byte:02x}")).collect();
    let content =
        format!("<</Filter[/ASCIIHexDecode/FlateDecode]/Length {}>>stream\n789c{hex}>\nendstream", hex.len() + 5);
    let objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>"];
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>";
    assert_bomb("content", &pdf(&[objects[0].into(), objects[1].into(), page.into(), content]), "pdf");
    // Entities are not expanded.
    let laughs = r#"<!DOCTYPE sst [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>"#;
    let cell = r#"<row r="1"><c r="A1" t="s"><v>0</v></c></row>"#;
    let result = read_bytes(&workbook(&sheet("A1", cell), laughs.as_bytes()), json!({"type": "xlsx", "headerRow": 0}));
    assert_explained("entities", &result);
    assert!(result.is_err() || !result.unwrap().to_string().contains("aaaaaaaaaaa"));
    // One shared text in many cells.
    let long = format!("<sst><si><t>{}</t></si></sst>", "a".repeat(30_000));
    let cells: String =
        (1..=100).map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>"#)).collect();
    let error = read_bytes(&workbook(&sheet("A1", &cells), long.as_bytes()), json!({"type": "xlsx"})).unwrap_err();
    assert_eq!(error.code, "file_too_large");
    assert!(error.message.contains("maxRows"), "{error}");
    assert_works();
}

#[test]
fn malicious_pdfs_give_a_value_or_an_error() {
    let page = "/Type/Page/MediaBox[0 0 9 9]";
    let deep = "[".repeat(200_000);
    let kids =
        |kids: &str| vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned(), format!("<</Type/Pages/Count 9/Kids[{kids}]>>")];
    let with = |mut objects: Vec<String>, more: &[&str]| {
        objects.extend(more.iter().map(|object| (*object).to_owned()));
        objects
    };
    let stream = |text: &str| format!("<</Length {}>>stream\n{text}\nendstream", text.len());
    for (name, objects) in [
        ("a page tree that contains itself", kids("2 0 R 2 0 R")),
        ("two trees that contain each other", with(kids("3 0 R"), &["<</Type/Pages/Kids[2 0 R]/Parent 2 0 R>>"])),
        ("a page that is its own parent", with(kids("3 0 R"), &["<</Type/Page/Parent 3 0 R>>"])),
        ("a page without content", with(kids("3 0 R"), &[&format!("<<{page}>>")])),
        ("a page whose content is itself", with(kids("3 0 R"), &[&format!("<<{page}/Contents 3 0 R>>")])),
        ("content that refers to itself", with(kids("3 0 R"), &[&format!("<<{page}/Contents 4 0 R>>"), "4 0 R"])),
        (
            "a length that refers to itself",
            with(kids("3 0 R"), &[&format!("<<{page}/Contents 4 0 R>>"), "<</Length 4 0 R>>stream\nBT\nendstream"]),
        ),
        ("deep lists", with(kids("3 0 R"), &[&format!("<<{page}/A {deep}>>")])),
        ("deep lists in the content", with(kids("3 0 R"), &[&format!("<<{page}/Contents 4 0 R>>"), &stream(&deep)])),
        (
            "a form that draws itself",
            with(
                kids("3 0 R"),
                &[
                    &format!("<<{page}/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>"),
                    &stream("/F Do"),
                    "<</Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>/Length 5>>stream\n/F Do\nendstream",
                ],
            ),
        ),
        ("a small box", with(kids("3 0 R"), &["<</Type/Page/MediaBox[0]/Contents 4 0 R>>", &stream("BT ET")])),
    ] {
        let result = read_bytes(&pdf(&objects), json!({"type": "pdf"}));
        assert_explained(name, &result);
    }
    assert_works();
}

#[test]
fn nested_and_long_texts_give_a_value_or_an_error() {
    for (text, format) in [
        ("[".repeat(100_000), "json"),
        (format!("{}{}", "[".repeat(110), "]".repeat(110)), "json"),
        ("<div>".repeat(150_000), "html"),
        ("<title>".repeat(100_000), "html"),
        ("<svg>".repeat(150_000), "html"),
        (",".repeat(900_000), "csv"),
        ("\"".repeat(900_001), "csv"),
        ("a,".repeat(16_000), "csv"),
        ("a\n".repeat(400_000), "csv"),
        ("\0".repeat(100), "text"),
    ] {
        let result = read(json!(text), json!({"type": format}));
        assert_explained(&text[..10], &result);
    }
    assert_works();
}

/// The kernel limits the memory and the time. Which of them ends the process, and where, is not certain.
fn assert_bomb(name: &str, bytes: &[u8], format: &str) {
    let result = read_bytes(bytes, json!({"type": format}));
    assert!(result.is_err(), "{name}");
    assert_explained(name, &result);
}
