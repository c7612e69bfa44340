//! Writes parameters of n8n in JavaScript. n8n's expressions are JavaScript inside `{{ }}`, in texts that start with `=`. They stay
//! as they are written: `$value` and `$text`, which scripts of nodes with `itemMode` see, evaluate them by n8n's rules.

mod rewrite;
mod writer;

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::lenient::scalar_text;
use crate::script::{escape_template, is_name_part, quote};
use crate::syntax::escape_jinja;
use writer::Writer;

pub use writer::FieldForm;

/// A part of a template.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    Text(Cow<'t, str>),
    Code(Cow<'t, str>),
}

/// The value of a field for a template, with the text of a parameter.
pub fn text_field(parameter: &Value) -> Value {
    match parameter {
        Value::Array(_) | Value::Object(_) => escape_jinja(&parameter.to_string()).into(),
        Value::String(text) if is_computed(text) => json!({"js": template(text)}),
        other => escape_jinja(&literal_text(other)).into(),
    }
}

/// An expression for the value of a parameter.
pub fn expression(parameter: &Value) -> String {
    Writer::new(false, &[]).write(parameter)
}

/// An expression for the parameters of a node, whose expressions are functions: they are evaluated for each item. `fields` are
/// those that are written in another form.
pub fn functions(parameters: &Value, fields: &[(&str, FieldForm)]) -> String {
    Writer::new(true, fields).write(parameters)
}

/// Whether a text has an expression.
pub fn is_computed(text: &str) -> bool {
    text.strip_prefix('=').is_some_and(|template| split(template).iter().any(|piece| matches!(piece, Piece::Code(_))))
}

/// Whether a text is one expression, whose value may have any type.
pub fn is_one_expression(text: &str) -> bool {
    text.strip_prefix('=').is_some_and(|template| matches!(&split(template)[..], [Piece::Code(_)]))
}

/// The text of a parameter without an expression.
pub fn literal_text(parameter: &Value) -> String {
    let text = scalar_text(parameter);
    text.strip_prefix('=').map(str::to_owned).unwrap_or(text)
}

/// A literal text as a parameter.
pub fn escape_sign(text: String) -> Value {
    if text.starts_with('=') { format!("={text}").into() } else { text.into() }
}

/// The text of each expression in a parameter.
pub fn codes(text: &str) -> Vec<String> {
    let Some(template) = text.strip_prefix('=') else { return Vec::new() };
    let pieces = split(template).into_iter();
    pieces.filter_map(|piece| matches!(piece, Piece::Code(_)).then(|| piece.into_text())).collect()
}

/// The text of a parameter with something in place of each expression. None if there is nothing for one of them.
pub fn replace_codes(text: &str, mut replace: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let Some(template) = text.strip_prefix('=') else { return Some(text.to_owned()) };
    let pieces = split(template).into_iter().map(|piece| match piece {
        Piece::Text(text) => Some(text.into_owned()),
        Piece::Code(code) => replace(&code),
    });
    pieces.collect()
}

impl Piece<'_> {
    fn into_text(self) -> String {
        let (Self::Text(text) | Self::Code(text)) = self;
        text.into_owned()
    }
}

/// Splits a template like n8n. The first `}}` ends an expression, also within its texts and objects. Braces after a
/// backslash are a part of the text.
fn split(template: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut start, mut from, mut is_code) = (Vec::new(), 0, 0, false);
    while let Some(at) = template[from..].find(if is_code { "}}" } else { "{{" }).map(|at| from + at) {
        let backslashes = template[from..at].len() - template[from..at].trim_end_matches('\\').len();
        from = at + 2;
        if backslashes % 2 == 1 {
            continue;
        }
        let part = &template[start..at];
        pieces.push(match is_code {
            true => Piece::Code(unescape_braces(part)),
            // Two backslashes are one.
            false if part.contains("\\\\") => Piece::Text(part.replace("\\\\", "\\").into()),
            false => Piece::Text(part.into()),
        });
        (is_code, start) = (!is_code, from);
    }
    // An expression that does not end goes on to the end of the text.
    let rest = &template[start..];
    match is_code {
        true if rest.is_empty() => {}
        true => pieces.push(Piece::Code(unescape_braces(rest))),
        false => pieces.push(Piece::Text(rest.into())),
    }
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    pieces
}

fn unescape_braces(code: &str) -> Cow<'_, str> {
    if code.contains("\\}}") { code.replacen("\\}}", "}}", 1).into() } else { code.into() }
}

/// A template: one expression keeps the type of its value, several pieces are a text.
fn template(text: &str) -> String {
    let pieces = split(text.strip_prefix('=').unwrap_or(text));
    match &pieces[..] {
        [] => quote(""),
        [Piece::Text(text)] => quote(text),
        [Piece::Code(code)] if never_fails(code) => code.trim().to_owned(),
        [Piece::Code(code)] => format!("$value(() => {})", body(code)),
        pieces => format!("$text`{}`", join(pieces)),
    }
}

/// The content of a template literal whose values are functions.
fn join(pieces: &[Piece]) -> String {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => escape_template(text),
        Piece::Code(code) => format!("${{() => {}}}", body(code)),
    });
    pieces.collect()
}

/// Whether the expression is `$json`, one of its fields, or a literal.
fn never_fails(code: &str) -> bool {
    let code = code.trim();
    let is_literal = serde_json::from_str(code).is_ok_and(|value: Value| !value.is_array() && !value.is_object());
    let field = code.strip_prefix("$json").map(|field| field.strip_prefix('.').unwrap_or(field));
    is_literal
        || field
            .is_some_and(|field| field.chars().all(is_name_part) && !field.starts_with(|c: char| c.is_ascii_digit()))
}

/// The body of an arrow function.
fn body(code: &str) -> String {
    let code = code.trim_end_matches(|c: char| c.is_whitespace() || c == ';').trim_start();
    if code.is_empty() {
        return "undefined".to_owned();
    }
    let code = &*rewrite::rewrite(code);
    // What follows must not become a part of the comment.
    let end = if code.rsplit('\n').next().is_some_and(|line| line.contains("//")) { "\n" } else { "" };
    match code.starts_with('{') || has_outer_comma(code) {
        true => format!("({code}{end})"),
        false => format!("{code}{end}"),
    }
}

/// Whether a comma is outside of all brackets and texts.
fn has_outer_comma(code: &str) -> bool {
    let (mut depth, mut quote, mut is_escaped) = (0i32, None, false);
    code.chars().any(|c| {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') => return depth <= 0,
            (None, _) => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::MAX_BYTES;

    #[test]
    fn expressions_stay_as_they_are_written() {
        let table = [
            ("plain", r#""plain""#),
            ("{{ $json.a }}", r#""{{ $json.a }}""#),
            ("=plain", r#""plain""#),
            ("==plain", r#""=plain""#),
            ("=", r#""""#),
            ("={{ $json.a }}", "$json.a"),
            ("={{ $json }}", "$json"),
            ("={{ 5 }}", "5"),
            ("={{ $json.a.b }}", "$value(() => $json.a.b)"),
            ("={{$json['a']}}", "$value(() => $json['a'])"),
            ("={{ $json.a; }}", "$value(() => $json.a)"),
            ("={{ {a: 1} }}", "$value(() => ({a: 1}))"),
            ("={{ f(1, 2), 3 }}", "$value(() => (f(1, 2), 3))"),
            ("={{ f(1, '),') }}", "$value(() => f(1, '),'))"),
            ("={{ }}", "$value(() => undefined)"),
            ("={{ 'http://' + $json.a }}", "$value(() => 'http://' + $json.a\n)"),
            ("=Hello {{ $json.name }}!", "$text`Hello ${() => $json.name}!`"),
            // White space is part of a text.
            ("={{ $json.a }}\n", "$text`${() => $json.a}\n`"),
            ("={{ $json.a }}{{ $json.b }}", "$text`${() => $json.a}${() => $json.b}`"),
            ("=x {{ $json.a // why }} y", "$text`x ${() => $json.a // why\n} y`"),
            ("=a`b\\c${d}\r\n{{ 1 }}", "$text`a\\`b\\\\c\\${d}\\r\n${() => 1}`"),
            // As in n8n, the first braces end an expression, and an expression may have no end.
            ("={{ {a: {b: 1}} }}", "$text`${() => ({a: {b: 1)} }}`"),
            ("=x {{ $json.a", "$text`x ${() => $json.a}`"),
            ("={{ $json.a }} {{", "$text`${() => $json.a} `"),
            ("=\\{{ $json.a }} x", r#""\\{{ $json.a }} x""#),
            ("=\\\\{{ $json.a }} x", "$text`\\\\${() => $json.a} x`"),
            ("={{ 'a\\}}b' }}", "$value(() => 'a}}b')"),
        ];
        for (parameter, written) in table {
            assert_eq!(expression(&parameter.into()), written, "{parameter}");
        }
    }

    #[test]
    fn parameters_are_readable_objects_with_functions() {
        let parameters = json!({
            "mode": "manual", "a b": {"__proto__": 1}, "list": [],
            "assignments": {"assignments": [
                {"name": "total", "value": "={{ $json.a * 2 }}", "type": "number"},
                {"name": "text", "value": "=Hello {{ $json.name }}!", "type": "string"},
            ]},
            "lines": "one\ntwo `${`", "note": "=plain",
        });
        let written = "{\n  mode: \"manual\",\n  \"a b\": { [\"__proto__\"]: 1 },\n  list: [],\n  assignments: {\n    assignments: [\n      \
                       { name: \"total\", value: () => $value(() => $json.a * 2), type: \"number\" },\n      \
                       { name: \"text\", value: () => $text`Hello ${() => $json.name}!`, type: \"string\" }\n    ]\n  },\n  \
                       lines: `one\ntwo \\`\\${\\``,\n  note: \"plain\"\n}";
        assert_eq!(functions(&parameters, &[]), written);
        let json = json!({"jsonOutput": "={ \"a\": {{ $json.a }} }", "b": "={{ $json.b }}"});
        let written = "{\n  jsonOutput: () => n8n.jsonText`{ \"a\": ${() => $json.a} }`,\n  b: () => $json.b\n}";
        assert_eq!(functions(&json, &[("jsonOutput", FieldForm::Json)]), written);
        let code = json!({"type": "code", "code": "return a.json.n - b.json.n;"});
        let written = "{\n  type: \"code\",\n  code: (a, b) => {\nreturn a.json.n - b.json.n;\n}\n}";
        assert_eq!(functions(&code, &[("code", FieldForm::Comparison)]), written);
        let deep = (0..60).fold(json!(vec![1; 40_000]), |value, _| json!([value]));
        assert!(functions(&deep, &[]).len() < MAX_BYTES + 10_000);
    }

    #[test]
    fn fields_are_literals_or_scripts() {
        assert_eq!(text_field(&json!("a {{ b }}")), json!("a {{ '{{' }} b }}"));
        assert_eq!(text_field(&json!("=a {{ b }}")), json!({"js": "$text`a ${() => b}`"}));
        assert_eq!(text_field(&json!(5)), json!("5"));
        assert_eq!(expression(&json!({"a": "={{ $json.b }}"})), "{ a: $json.b }");
    }
}
