//! Paths and base URLs with placeholders, such as `/v4/spreadsheets/{spreadsheetId}`.

/// A placeholder, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'t> {
    pub name: &'t str,
    /// Whether the value can have several segments, as in `/contents/{+path}`.
    pub keeps_slashes: bool,
}

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    Literal(&'t str),
    Value(Placeholder<'t>),
}

pub fn placeholders(template: &str) -> impl Iterator<Item = Placeholder<'_>> {
    parts(template).into_iter().filter_map(|part| match part {
        Part::Value(placeholder) => Some(placeholder),
        Part::Literal(_) => None,
    })
}

/// Splits a template. A brace without its counterpart is literal; the check of the data refuses it.
pub fn parts(template: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        if !before.is_empty() {
            parts.push(Part::Literal(before));
        }
        let keeps_slashes = name.starts_with('+');
        parts.push(Part::Value(Placeholder { name: name.trim_start_matches('+'), keeps_slashes }));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest));
    }
    parts
}

/// Percent-encodes a text for a path, as the filter `urlencode` does. `/` is kept if the value can have several segments.
pub fn encode(text: &str, keeps_slashes: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => encoded.push(byte.into()),
            b'/' if keeps_slashes => encoded.push('/'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_at_its_placeholders() {
        let path = parts("/repos/{owner}/contents/{+path}:x");
        let value = |name, keeps_slashes| Part::Value(Placeholder { name, keeps_slashes });
        let literal = Part::Literal;
        assert_eq!(
            path,
            [literal("/repos/"), value("owner", false), literal("/contents/"), value("path", true), literal(":x")]
        );
        assert_eq!(parts("/a"), [literal("/a")]);
    }

    #[test]
    fn a_segment_has_no_delimiters() {
        assert_eq!(encode("a/b c?d#ü{", false), "a%2Fb%20c%3Fd%23%C3%BC%7B");
        assert_eq!(encode("a/b c", true), "a/b%20c");
    }
}
