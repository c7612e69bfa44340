//! Arrays of PostgreSQL in their text form: `{1,NULL,"a \"b\"",{2}}`.

use serde_json::Value;

/// How deep arrays may be nested. PostgreSQL has at most 6 dimensions.
const MAX_DEPTH: usize = 6;

/// The text of one element, or what is wrong with its value.
pub type WriteElement<'a> = &'a dyn Fn(&Value) -> Result<String, &'static str>;

/// `is_json` says that the elements are JSON, in which a list is a value.
pub fn write(items: &[Value], is_json: bool, element: WriteElement<'_>) -> Result<String, &'static str> {
    let mut text = String::new();
    write_into(&mut text, items, is_json, element, 1)?;
    Ok(text)
}

fn write_into(
    text: &mut String,
    items: &[Value],
    is_json: bool,
    element: WriteElement<'_>,
    depth: usize,
) -> Result<(), &'static str> {
    if depth > MAX_DEPTH {
        return Err("arrays have at most 6 dimensions");
    }
    text.push('{');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        match item {
            Value::Null => text.push_str("NULL"),
            Value::Array(items) if !is_json => write_into(text, items, is_json, element, depth + 1)?,
            Value::Number(_) | Value::Bool(_) => text.push_str(&element(item)?),
            _ => {
                let quoted = element(item)?.replace('\\', "\\\\").replace('"', "\\\"");
                text.push_str(&format!("\"{quoted}\""));
            }
        }
    }
    text.push('}');
    Ok(())
}

/// The elements as JSON; none if the text is no such array.
pub fn read(text: &str, element: &dyn Fn(&str) -> Value) -> Option<Value> {
    // An array whose indexes do not begin with 1 has them before: `[0:1]={1,2}`.
    let text = if text.starts_with('[') { text.split_once('=')?.1 } else { text };
    let mut rest = text.strip_prefix('{')?;
    let value = read_items(&mut rest, element, 1)?;
    rest.is_empty().then_some(value)
}

fn read_items(rest: &mut &str, element: &dyn Fn(&str) -> Value, depth: usize) -> Option<Value> {
    let mut items = Vec::new();
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(after) = rest.strip_prefix('}') {
        *rest = after;
        return Some(items.into());
    }
    loop {
        if let Some(after) = rest.strip_prefix('{') {
            *rest = after;
            items.push(read_items(rest, element, depth + 1)?);
        } else if let Some(after) = rest.strip_prefix('"') {
            *rest = after;
            items.push(element(&read_quoted(rest)?));
        } else {
            let end = rest.find([',', '}'])?;
            let item = &rest[..end];
            items.push(if item == "NULL" { Value::Null } else { element(item) });
            *rest = &rest[end..];
        }
        let next = rest.chars().next()?;
        *rest = &rest[next.len_utf8()..];
        match next {
            ',' => {}
            '}' => return Some(items.into()),
            _ => return None,
        }
    }
}

fn read_quoted(rest: &mut &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((index, next)) = chars.next() {
        match next {
            '"' => {
                *rest = &rest[index + 1..];
                return Some(text);
            }
            '\\' => text.push(chars.next()?.1),
            next => text.push(next),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn arrays_are_read() {
        let text = |item: &str| Value::from(item);
        assert_eq!(read("{}", &text), Some(json!([])));
        assert_eq!(read(r#"{a,NULL,"NULL","x,\"y\\"}"#, &text), Some(json!(["a", null, "NULL", "x,\"y\\"])));
        assert_eq!(read("[0:1]={{a},{b}}", &text), Some(json!([["a"], ["b"]])));
        for broken in ["", "{", "{a", "{a}}", "{\"a}", "{{{{{{{1}}}}}}}", "a"] {
            assert_eq!(read(broken, &text), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(items in prop::collection::vec(prop::option::of("[^\\x00]{0,8}"), 0..5)) {
            let items = json!(items);
            let written = write(items.as_array().unwrap(), false, &|item| Ok(item.as_str().unwrap().to_owned())).unwrap();
            prop_assert_eq!(read(&written, &|item: &str| Value::from(item)), Some(items));
        }
    }
}
