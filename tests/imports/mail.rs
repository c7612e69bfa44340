//! The normal form of a mail: two mails are the same if their readers see the same. How the content is encoded, the order of the
//! headers, and the names of the boundaries say nothing.

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine};
use serde_json::{Value, json};

/// Headers that the client adds, and those about the encoding.
const IGNORED: [&str; 4] = ["content-transfer-encoding", "date", "message-id", "mime-version"];

/// The normal form of the mail in a field `raw`: in Base64, or as a text.
pub fn normalize(raw: &str) -> Value {
    let decoded = BASE64_URL_SAFE_NO_PAD.decode(raw.trim_end_matches('=')).ok();
    let mail = decoded.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| raw.to_owned());
    part(&mail.replace("\r\n", "\n"))
}

fn part(text: &str) -> Value {
    let (head, content) = text.split_once("\n\n").unwrap_or((text, ""));
    let unfolded = head.replace("\n ", " ").replace("\n\t", " ");
    let headers = unfolded.lines().filter_map(|line| line.split_once(':'));
    let mut headers: BTreeMap<String, String> =
        headers.map(|(name, value)| (name.to_lowercase(), words(value.trim()))).collect();
    let kind = headers.get("content-type").cloned().unwrap_or_default();
    let boundary = kind.split_once("boundary=").map(|(_, boundary)| format!("--{}", boundary.trim_matches('"')));
    let content = match (boundary, headers.get("content-transfer-encoding").map(String::as_str)) {
        (Some(boundary), _) => {
            headers.insert("content-type".to_owned(), kind.split(';').next().unwrap_or_default().to_owned());
            let parts = content.split(&boundary).skip(1).filter(|part| !part.starts_with("--"));
            parts.map(|text| part(text.trim_start())).collect()
        }
        (None, Some("base64")) => {
            let bytes = BASE64_STANDARD.decode(content.replace(char::is_whitespace, "")).unwrap_or_default();
            json!(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim_end())
        }
        (None, Some("quoted-printable")) => json!(unquote(&content.replace("=\n", ""), '=').trim_end()),
        (None, _) => json!(content.trim_end()),
    };
    headers.retain(|name, _| !IGNORED.contains(&name.as_str()));
    // A name without spaces may have quotes.
    headers.values_mut().for_each(|value| value.retain(|character| character != '"'));
    json!({"headers": headers, "content": content})
}

/// The text of a header with encoded words.
fn words(value: &str) -> String {
    let mut parts = value.split("=?");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut fields = part.splitn(3, '?');
        let (_, encoding, rest) = (fields.next(), fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (word, rest) = rest.split_once("?=").unwrap_or((rest, ""));
        let decoded = match encoding {
            "B" => String::from_utf8(BASE64_STANDARD.decode(word).unwrap_or_default()).unwrap_or_default(),
            _ => unquote(&word.replace('_', " "), '='),
        };
        text.push_str(&decoded);
        text.push_str(if rest.trim().is_empty() { "" } else { rest });
    }
    text
}

/// A text in which the sign and two digits are a byte.
pub fn unquote(text: &str, sign: char) -> String {
    let mut parts = text.split(sign);
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.extend([byte].iter().chain(&part.as_bytes()[2..])),
            None => bytes.extend(format!("{sign}{part}").into_bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
