//! Writes names, paths and values in the syntax of CEL and Jinja.

use serde_json::Value;

pub use engine::expression::literal::{cel_literal, escape_jinja, quote};

/// A CEL literal for a number as people type it, such as `+5` or `5.`. None when it is no number.
pub fn cel_number(typed: &str) -> Option<String> {
    let typed = typed.trim();
    if let Ok(whole) = typed.parse::<i64>() {
        return Some(cel_literal(&whole.into()));
    }
    let number = serde_json::Number::from_f64(typed.parse().ok()?)?;
    Some(cel_literal(&Value::Number(number)))
}

/// Member access: `of.name`, or `of['a name']`.
pub fn member(of: &str, name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { format!("{of}.{name}") } else { format!("{of}[{}]", quote(name)) }
}

/// A path that [`member`] has written, in JavaScript. It gives undefined if a part of it is missing.
pub fn optional_path(path: &str) -> String {
    let (mut written, mut is_quoted, mut is_escaped) = (String::with_capacity(path.len() + 16), false, false);
    for c in path.chars() {
        match c {
            '.' if !is_quoted => written.push_str("?."),
            '[' if !is_quoted => written.push_str("?.["),
            c => written.push(c),
        }
        is_quoted ^= c == '\'' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    written
}

/// The path of a node's output.
pub fn output(id: &str) -> String {
    format!("{}.output", member("nodes", id))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use engine::expression::{Expression, JinjaTemplate, Scope};

    #[test]
    fn written_values_parse_back() {
        let (variables, now) = (Map::new(), jiff::Timestamp::UNIX_EPOCH);
        let scope = Scope::new(&variables, now);
        let json = json!({"it's": ["a\\b\n\t\r\"", -5, 2.5, 1e20, null, true, {}], "": "ü{{"});
        let (read, _) = Expression::parse(&cel_literal(&json)).unwrap().evaluate(&scope).unwrap();
        assert_eq!(read, json);
        assert!(Expression::parse(&cel_literal(&json!([u64::MAX, i64::MIN]))).is_ok());
        let typed = ["+5", "5.", ".5", " 007 ", "-0", "1E3", "-9223372036854775808", "1e20"];
        for (typed, expected) in
            typed.into_iter().zip([5.0, 5.0, 0.5, 7.0, 0.0, 1e3, -9_223_372_036_854_775_808.0, 1e20])
        {
            let (read, _) = Expression::parse(&cel_number(typed).unwrap()).unwrap().evaluate(&scope).unwrap();
            assert_eq!(read.as_f64(), Some(expected), "{typed}");
        }
        assert_eq!(["", "x", "inf", "NaN", "5,0", "0x5"].map(cel_number), [const { None }; 6]);
        for text in ["{{ x }}", "{% if %}", "{#", "{", "{{{", "a{b}c", "{{'{{'}}"] {
            assert_eq!(JinjaTemplate::parse(&escape_jinja(text)).unwrap().render(&scope).unwrap(), text);
        }
        assert_eq!(
            [output("a_1"), output("a-b"), output("1a")],
            ["nodes.a_1.output", "nodes['a-b'].output", "nodes['1a'].output"]
        );
        let path = member(&output("a.b"), "it's [1].\\");
        assert_eq!(optional_path(&path), r"nodes?.['a.b']?.output?.['it\'s [1].\\']");
    }
}
