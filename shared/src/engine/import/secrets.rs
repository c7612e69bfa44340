//! What looks like a secret. None is carried into a draft, and none is shown in a report: a name tells it, an address
//! has a user, a text says `Bearer`. To take too much for one costs a look at the original; to miss one costs a secret.

use serde_json::Value;

/// Stands where something was.
const LEFT_OUT: &str = "(left out)";

/// Words that names of secrets have: `X-Api-Key`, `access_token`, `clientSecret`.
const WORDS: [&str; 24] = [
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "key",
    "keys",
    "oauth",
    "pass",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pwd",
    "secret",
    "secrets",
    "sig",
    "signature",
    "token",
];
/// What such a word ends with where it holds several: `accesstoken`.
const ENDINGS: [&str; 11] = [
    "accesskey",
    "apikey",
    "authkey",
    "authorization",
    "cookie",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "signature",
    "token",
];
/// An address, or a place to fill in one, is looked through no further than this.
const MAX_SPAN_BYTES: usize = 4 * 1024;
const MAX_NAME_BYTES: usize = 100;

/// Whether what goes by the name is to be kept in a credential.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    // `genericAuthType` says what kind there is; a key for idempotency lets nobody in.
    let is_other = words.last().is_some_and(|word| word == "type") || words.iter().any(|word| word == "idempotency");
    let is_known = |word: &String| WORDS.contains(&word.as_str()) || ENDINGS.iter().any(|end| word.ends_with(end));
    !is_other && words.iter().any(is_known)
}

/// In small letters; digits and signs stand between words, and a capital begins one.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut before, mut chars) = (' ', name.chars().peekable());
    while let Some(c) = chars.next() {
        let is_begun =
            c.is_uppercase() && (!before.is_uppercase() || chars.peek().is_some_and(|next| next.is_lowercase()));
        match words.last_mut() {
            Some(word) if c.is_alphabetic() && !is_begun => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().filter(|c| c.is_alphabetic()).collect()),
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// An address without its user and its secret parameters; and what these were.
pub fn without_secrets(address: &str) -> (String, Vec<String>) {
    let (address, has_user) = without_users(address, "");
    let (address, parameters) = without_parameters(&address);
    let user = has_user.then(|| "login in the address".to_owned());
    let parameters = parameters.into_iter().map(|name| format!("query parameter {name}"));
    (address, user.into_iter().chain(parameters).collect())
}

/// `https://user:password@host`, with something else before the host.
fn without_users(text: &str, instead: &str) -> (String, bool) {
    let (mut kept, mut rest, mut has_one) = (String::with_capacity(text.len()), text, false);
    while let Some((before, after)) = rest.split_once("://") {
        kept.push_str(before);
        kept.push_str("://");
        let (_, at) = span(after, &['/', '?', '#']);
        if at > 0 {
            has_one = true;
            kept.push_str(instead);
        }
        rest = &after[at..];
    }
    kept.push_str(rest);
    (kept, has_one)
}

/// How far it is to the first of the ends, or to what ends any address; and to behind the last `@` before it. What is
/// filled in may hold either.
fn span(text: &str, ends: &[char]) -> (usize, usize) {
    let text = &text[..text.floor_char_boundary(MAX_SPAN_BYTES)];
    let (mut at, mut behind) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        if let Some(filled) = text[at..].strip_prefix("{{").and_then(|within| within.find("}}")) {
            at += filled + 4;
            continue;
        }
        if ends.contains(&c) || c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>') {
            break;
        }
        at += c.len_utf8();
        if c == '@' {
            behind = at;
        }
    }
    (at, behind)
}

/// `?api_key=…&page=2` without the first, and its name.
fn without_parameters(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut rest, mut names) = (String::with_capacity(text.len()), text, Vec::new());
    while let Some(at) = rest.find(['?', '&']) {
        kept.push_str(&rest[..at]);
        let (sign, mut after) = rest[at..].split_at(1);
        let mut is_last = false;
        while let Some((name, end)) = secret_parameter(after).filter(|_| !is_last) {
            names.push(name.to_owned());
            is_last = !after[end..].starts_with('&');
            after = if is_last { &after[end..] } else { &after[end + 1..] };
        }
        if !is_last {
            kept.push_str(sign);
        }
        rest = after;
    }
    kept.push_str(rest);
    (kept, names)
}

/// The name of a secret parameter that stands first, and where its value ends.
fn secret_parameter(text: &str) -> Option<(&str, usize)> {
    let window = &text[..text.floor_char_boundary(MAX_NAME_BYTES)];
    let (name, _) = window.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '%'));
    let value = &text[name.len() + 1..];
    // A comparison within an expression is none.
    let is_one = is_name && !value.starts_with('=') && is_secret(name);
    is_one.then(|| (name, name.len() + 1 + span(value, &['&', '#']).0))
}

/// What may be shown of a node of the original.
pub fn shown(original: &Value) -> Value {
    match original {
        Value::String(text) => shown_text(text).into(),
        Value::Array(items) => items.iter().map(shown).collect(),
        Value::Object(entries) => {
            // `{"name": "X-Api-Key", "value": "…"}`
            let named = ["name", "key"].iter().filter_map(|field| entries.get(*field)?.as_str());
            let is_pair = named.into_iter().any(is_secret);
            let entry = |(name, entry): (&String, &Value)| {
                let is_value = is_pair && name.to_ascii_lowercase().contains("value");
                (name.clone(), if is_value || is_secret(name) { blank(entry) } else { shown(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

/// Nothing of it, but for what kind it is and which header it goes in.
fn blank(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(_) | Value::Number(_) => LEFT_OUT.into(),
        Value::Array(items) => items.iter().map(blank).collect(),
        Value::Object(entries) => {
            let is_kept = |name: &str| matches!(name, "type" | "header");
            let entry = |(name, entry): (&String, &Value)| {
                (name.clone(), if is_kept(name) { shown(entry) } else { blank(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

/// A text that may be a list of headers, an address, JSON, or a program.
pub fn shown_text(text: &str) -> String {
    let (text, _) = without_users(text, "(left out)@");
    without_tokens(&without_pairs(&text))
}

/// `name: value` and `name=value`, in quotes or without.
fn without_pairs(text: &str) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(sign) = text[from..].find([':', '=']).map(|at| from + at) {
        let after = text[sign..].trim_start_matches([':', '=', '>']).trim_start_matches([' ', '\t']);
        let start = text.len() - after.len();
        kept.push_str(&text[from..start]);
        from = start;
        let (name, begins_line) = name_before(&text[..sign]);
        if is_secret(name) {
            let (length, replaced) = value_of(after, text.as_bytes()[sign] == b':', begins_line);
            kept.push_str(&replaced);
            from += length;
        }
    }
    kept.push_str(&text[from..]);
    kept
}

/// The name that a sign stands behind, and whether it is the first thing in its line.
fn name_before(text: &str) -> (&str, bool) {
    let named = text.trim_end_matches([' ', '\t']);
    let name = named.trim_end_matches(['"', '\'', '`', '\\']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut start = name.len();
    for (at, c) in name.char_indices().rev().take(MAX_NAME_BYTES) {
        if !is_part(c) {
            break;
        }
        start = at;
    }
    let line = name[..start].trim_end_matches([' ', '\t']);
    (&name[start..], named.len() == name.len() && (line.is_empty() || line.ends_with('\n')))
}

/// How long the value is that begins here, and what stands in its place.
fn value_of(text: &str, is_listed: bool, begins_line: bool) -> (usize, String) {
    let quoted = text.trim_start_matches('\\');
    let escapes = text.len() - quoted.len();
    let length = |end: Option<usize>| end.unwrap_or(text.len());
    match quoted.chars().next() {
        _ if begins_line => (length(text.find('\n')), LEFT_OUT.to_owned()),
        Some(quote @ ('"' | '\'' | '`')) => {
            let mut is_escaped = false;
            let close = quoted.char_indices().skip(1).find(|(_, c)| {
                let is_close = *c == quote && !is_escaped;
                // Quotes that are escaped themselves are closed by such.
                is_escaped = escapes == 0 && *c == '\\' && !is_escaped;
                is_close
            });
            (length(close.map(|(at, _)| escapes + at + 1)), format!("{quote}{LEFT_OUT}{quote}"))
        }
        // Objects and lists have names and texts of their own.
        Some('{' | '[') if !text.starts_with("{{") => (0, String::new()),
        None | Some('\n') => (0, String::new()),
        _ if is_listed => (length(text.find(['\n', '"', '\'', '`'])), LEFT_OUT.to_owned()),
        _ => {
            let ends =
                |c: char| c.is_whitespace() || matches!(c, '&' | '#' | ',' | ';' | ')' | ']' | '}' | '"' | '\'' | '`');
            (length(text.find(ends)), LEFT_OUT.to_owned())
        }
    }
}

/// What follows the word `Bearer`, or `Basic` where it looks like no other word.
fn without_tokens(text: &str) -> String {
    let mut is_token: fn(&str) -> bool = |_| false;
    let mut kept = String::with_capacity(text.len());
    for part in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')) {
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
        let is_left_out = !word.is_empty() && is_token(word) && !word.starts_with(LEFT_OUT) && word != "(left";
        kept.push_str(if is_left_out { LEFT_OUT } else { word });
        kept.push_str(&part[word.len()..]);
        let last = word.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        is_token = match last {
            last if last.eq_ignore_ascii_case("bearer") => |word| word.len() > 2 && !word.starts_with(['{', '$']),
            last if last.eq_ignore_ascii_case("basic") => |word| {
                word.len() > 5 && word.chars().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '=')
            },
            _ => |_| false,
        };
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_tells_what_is_secret() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "Cookie",
            "X-Api-Key",
            "api_key",
            "apikey",
            "XAPIKEY",
            "apiKey",
            "APIKey",
            "token",
            "access_token",
            "accesstoken",
            "token2",
            "X-Auth",
            "OAuth2Token",
            "client_secret",
            "clientSecret",
            "signature",
            "sig",
            "key",
            "password",
            "pwd",
            "Ocp-Apim-Subscription-Key",
            "X-Amz-Security-Token",
            "sessionKey",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "",
            "accept",
            "author",
            "keyword",
            "monkey",
            "max_tokens",
            "tokenize",
            "page",
            "Idempotency-Key",
            "genericAuthType",
            "authentication",
            "design",
            "compass",
            "user",
            "ключи",
            "X-Request-Id",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn an_address_loses_its_user_and_its_secret_parameters() {
        for (address, kept, left) in [
            ("https://x.example.com/a?b=1#c", "https://x.example.com/a?b=1#c", &[][..]),
            ("https://me:pw@x.example.com/a@b", "https://x.example.com/a@b", &["login in the address"]),
            ("https://{{ $json.u / 2 }}:p@w@x/", "https://x/", &["login in the address"]),
            ("={{ 'https://me:pw@x/' + $json.a }}", "={{ 'https://x/' + $json.a }}", &["login in the address"]),
            ("https://x/?api_key=abc&page=2", "https://x/?page=2", &["query parameter api_key"]),
            ("https://x/?page=2&token={{ $json.t }}#z", "https://x/?page=2#z", &["query parameter token"]),
            ("https://x/?key=a&sig=b", "https://x/", &["query parameter key", "query parameter sig"]),
            ("https://x/{{ a ?token==1 }}?keyword=a&&", "https://x/{{ a ?token==1 }}?keyword=a&&", &[]),
            ("://{{://@{{&key=", "://{{://{{", &["login in the address", "query parameter key"]),
        ] {
            let (without, found) = without_secrets(address);
            assert_eq!((without.as_str(), &found.iter().map(String::as_str).collect::<Vec<_>>()[..]), (kept, left));
        }
    }

    #[test]
    fn what_is_shown_has_no_secrets() {
        let original = json!({
            "name": "Get Token", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2,
            "credentials": {"httpHeaderAuth": {"id": "S3CRET", "name": "S3CRET"}},
            "parameters": {
                "url": "https://me:S3CRET@x.example.com/?api_key=S3CRET&page=2",
                "genericAuthType": "httpHeaderAuth",
                "headerParameters": {"parameters": [{"name": "X-Api-Key", "value": "S3CRET"}, {"name": "Accept", "value": "a/b"}]},
                "jsonHeaders": "={\"Cookie\": \"a=S3CRET; b=\\\"S3CRET\", \"Accept\": \"a/b\", \"n\": {{ $json.n }}}",
                "nested": "{\\\"api_key\\\": \\\"S3CRET\\\", \\\"a\\\": 1}",
                "jsCode": "const apiKey = 'S3CRET';\nreturn call({headers: {Authorization: `Bearer S3CRET`, a: \"Basic UzNDUkVUS3CRET=\"}});",
                "curl": "curl -H \"X-Token: S3CRET S3CRET\" -H 'a: Bearer S3CRET' basic information",
                "tokens": 5, "max_tokens": 512, "password": 12345,
            },
            "data": {
                "headers": "Authorization: Digest u=\"S3CRET\", S3CRET\nX-Key:S3CRET\nAccept: text",
                "params": "token = S3CRET\npage:2",
                "authorization": {"type": "api-key", "config": {"api_key": "S3CRET", "type": "custom", "header": "X-Mine"}},
            },
        });
        let shown = shown(&original);
        assert!(!shown.to_string().contains("S3CRET"), "{shown:#}");
        let parameters = &shown["parameters"];
        assert_eq!((&shown["name"], &shown["typeVersion"]), (&json!("Get Token"), &json!(4.2)));
        assert_eq!(parameters["url"], "https://(left out)@x.example.com/?api_key=(left out)&page=2");
        assert_eq!(parameters["headerParameters"]["parameters"][1]["value"], "a/b");
        assert_eq!(
            parameters["jsonHeaders"],
            "={\"Cookie\": \"(left out)\", \"Accept\": \"a/b\", \"n\": {{ $json.n }}}"
        );
        assert_eq!(
            (&parameters["max_tokens"], &parameters["genericAuthType"]),
            (&json!(512), &json!("httpHeaderAuth"))
        );
        assert!(parameters["jsCode"].as_str().unwrap().contains("return call({headers: {Authorization: "));
        assert!(parameters["curl"].as_str().unwrap().ends_with("basic information"));
        assert_eq!(shown["data"]["headers"], "Authorization: (left out)\nX-Key:(left out)\nAccept: text");
        assert_eq!(shown["data"]["params"], "token = (left out)\npage:2");
        let config = json!({"api_key": "(left out)", "type": "custom", "header": "X-Mine"});
        assert_eq!(shown["data"]["authorization"], json!({"type": "api-key", "config": config}));
    }

    #[test]
    fn texts_that_are_made_to_take_long_do_not() {
        for part in [
            "://", "://{{", "://@{{", "?key=", "&key={{", "a@", "key:", "key:\"", "\"", " ", "key=\\", "{{}}",
            "Bearer ",
        ] {
            let text = part.repeat(16 * 1024 / part.len());
            let started = std::time::Instant::now();
            let _ = (without_secrets(&text), shown_text(&text));
            assert!(started.elapsed().as_millis() < 1_000, "{part}: {:?}", started.elapsed());
        }
    }
}
