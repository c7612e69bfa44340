//! The canonical form of JSON (RFC 8785, JCS): one text for each value, so that a signature covers the value and not its
//! spelling.
//!
//! Numbers are integers that every JSON parser keeps exactly. Others are refused, so the number format of ECMAScript is not
//! needed.

use serde::Serialize;
use serde_json::Value;

use crate::{Error, Result};

/// The largest integer that a double keeps exactly, with all smaller ones: 2⁵³ − 1.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Serializes a value in the canonical form.
pub fn to_canonical(value: &impl Serialize) -> Result<String> {
    let mut text = String::new();
    write(&serde_json::to_value(value).map_err(Error::internal)?, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<()> {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            write_list(text, ('{', '}'), members, |(name, value), text| {
                write_scalar(&Value::from(name.as_str()), text);
                text.push(':');
                write(value, text)
            })
        }
        Value::Array(items) => write_list(text, ('[', ']'), items, write),
        Value::Number(number) if number.as_i64().is_none_or(|number| number.unsigned_abs() > MAX_INTEGER) => {
            Err(Error::internal(format!("{number} has no canonical form: it is no integer below 2^53")))
        }
        scalar => {
            write_scalar(scalar, text);
            Ok(())
        }
    }
}

fn write_list<T>(
    text: &mut String,
    (open, close): (char, char),
    items: impl IntoIterator<Item = T>,
    write: impl Fn(T, &mut String) -> Result<()>,
) -> Result<()> {
    text.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(item, text)?;
    }
    text.push(close);
    Ok(())
}

/// `serde_json` escapes strings as the RFC demands: only quotation marks, backslashes and control characters, in lower case.
fn write_scalar(scalar: &Value, text: &mut String) {
    text.push_str(&scalar.to_string());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_by_utf16_code_units() {
        // Section 3.2.3 of the RFC. The emoji is outside of the basic plane, so its first unit sorts below U+FB33.
        let value = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh", "1": "One",
            "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control",
            "\u{f6}": "Latin Small Letter O With Diaeresis",
        });
        let sorted = concat!(
            r#"{"\r":"Carriage Return","1":"One",""#,
            "\u{80}\":\"Control\",\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",",
            "\"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        );
        assert_eq!(to_canonical(&value).unwrap(), sorted);
    }

    #[test]
    fn strings_and_literals_are_written_as_in_the_rfc() {
        // Section 3.2.2, without its numbers.
        let value: Value = serde_json::from_str(
            r#"{ "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false] }"#,
        )
        .unwrap();
        let canonical = r#"{"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(to_canonical(&value).unwrap(), canonical);
        let controls = json!("\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}\u{2028}");
        let canonical = "\"\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{2028}\"";
        assert_eq!(to_canonical(&controls).unwrap(), canonical);
    }

    #[test]
    fn only_integers_that_doubles_keep_are_written() {
        for integer in [0, 1, -1, 9_007_199_254_740_991_i64, -9_007_199_254_740_991] {
            assert_eq!(to_canonical(&integer).unwrap(), integer.to_string());
        }
        for number in [json!(9_007_199_254_740_992_u64), json!(u64::MAX), json!(i64::MIN), json!(0.5), json!(1.0)] {
            assert!(to_canonical(&json!([{ "n": number }])).is_err(), "{number}");
        }
    }

    proptest! {
        #[test]
        fn the_form_is_that_of_the_value_and_not_of_its_order(members in proptest::collection::btree_map(".*", 0..1_000_u32, 0..8)) {
            let forwards: Value = members.iter().map(|(name, number)| (name.clone(), json!(number))).collect();
            let backwards: Value = members.iter().rev().map(|(name, number)| (name.clone(), json!(number))).collect();
            let canonical = to_canonical(&forwards).unwrap();
            prop_assert_eq!(&to_canonical(&backwards).unwrap(), &canonical);
            prop_assert_eq!(serde_json::from_str::<Value>(&canonical).unwrap(), forwards);
        }
    }
}
