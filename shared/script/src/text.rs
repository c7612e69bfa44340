//! Texts that leave the sandbox.

use crate::outcome::Position;

/// The name of the user's source in stack traces.
pub const SOURCE_NAME: &str = "script";

/// Cuts a text at a border of a character.
pub fn truncate(text: &mut String, max_bytes: usize) {
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
    }
}

/// Finds the first frame of a stack trace that is in the user's source.
pub fn find_position(stack: &str, first_line: u32) -> Option<Position> {
    stack.lines().find_map(|frame| {
        let (_, place) = frame.rsplit_once(SOURCE_NAME)?;
        let (line, column) = place.strip_prefix(':')?.trim_end_matches(')').split_once(':')?;
        let (line, column) = (line.parse::<u32>().ok()?, column.parse().ok()?);
        Some(Position { line: line.checked_sub(first_line)?.checked_add(1)?, column })
    })
}

/// Replaces the escapes of lone surrogates, which `JSON.stringify` writes and other readers of JSON refuse.
pub fn replace_lone_surrogates(json: &str) -> String {
    let mut replaced = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('\\') {
        replaced.push_str(&rest[..start]);
        let escape = &rest[start..];
        let bytes = escape.as_bytes();
        let length = if bytes.get(1) == Some(&b'u') { 6 } else { 2 };
        if length == 6 && bytes[2].eq_ignore_ascii_case(&b'd') && matches!(bytes[3], b'8'..=b'9' | b'a'..=b'f') {
            replaced.push('\u{fffd}');
        } else {
            replaced.push_str(&escape[..length]);
        }
        rest = &escape[length..];
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_source() {
        let stack = "    at join (guards:10:5)\n    at f (script:4:10)\n    at <anonymous> (script:7:7)\n";
        assert_eq!(find_position(stack, 2), Some(Position { line: 3, column: 10 }));
        assert_eq!(find_position("    at script:3:1\n", 2), Some(Position { line: 2, column: 1 }));
        assert_eq!(find_position("    at f (script:1:2)", 2), None);
        assert_eq!(find_position("script:x:y script:99999999999:1", 2), None);
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        assert_eq!(
            replace_lone_surrogates(r#""\ud800\\ud800\n\u0041\udfffé""#),
            "\"\u{fffd}\\\\ud800\\n\\u0041\u{fffd}é\""
        );
    }

    #[test]
    fn texts_are_cut_at_characters() {
        let mut text = "aé".to_owned();
        truncate(&mut text, 2);
        assert_eq!(text, "a");
    }
}
