//! The canonical form of JSON (RFC 8785, JCS): one text for each value, so that a signature covers the value and not its
//! spelling.
//!
//! In what the platform signs, numbers are integers that every JSON parser keeps exactly, and others are refused. The JSON
//! of other systems has any numbers, which are written as doubles, as the RFC defines.

use serde::Serialize;
use serde_json::{Number, Value};

use crate::{Error, Result};

/// The largest integer that a double keeps exactly, with all smaller ones: 2⁵³ − 1.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Serializes a value in the canonical form.
pub fn to_canonical(value: &impl Serialize) -> Result<String> {
    let mut text = String::new();
    write(&serde_json::to_value(value).map_err(Error::internal)?, &mut text, write_integer)?;
    Ok(text)
}

/// Serializes a value of another system in the canonical form. Its numbers are doubles.
pub fn to_canonical_doubles(value: &Value) -> Result<String> {
    let mut text = String::new();
    write(value, &mut text, write_double)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String, write_number: fn(&Number, &mut String) -> Result<()>) -> Result<()> {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            write_list(text, ('{', '}'), members, |(name, value), text| {
                write_scalar(&Value::from(name.as_str()), text);
                text.push(':');
                write(value, text, write_number)
            })
        }
        Value::Array(items) => write_list(text, ('[', ']'), items, |item, text| write(item, text, write_number)),
        Value::Number(number) => write_number(number, text),
        scalar => {
            write_scalar(scalar, text);
            Ok(())
        }
    }
}

fn write_integer(number: &Number, text: &mut String) -> Result<()> {
    match number.as_i64().filter(|number| number.unsigned_abs() <= MAX_INTEGER) {
        Some(number) => {
            text.push_str(&number.to_string());
            Ok(())
        }
        None => Err(Error::internal(format!("{number} has no canonical form: it is no integer below 2^53"))),
    }
}

/// Writes a double as ECMAScript does (`Number::toString`): the shortest digits that identify it.
fn write_double(number: &Number, text: &mut String) -> Result<()> {
    let double = number.as_f64().filter(|double| double.is_finite());
    let double = double.ok_or_else(|| Error::internal(format!("{number} has no canonical form: it is no double")))?;
    if double == 0.0 {
        text.push('0');
        return Ok(());
    }
    if double < 0.0 {
        text.push('-');
    }
    // `serde_json` chooses the same digits as ECMAScript, also between two that are equally close.
    let shortest = Value::from(double.abs()).to_string();
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let (digits, leading) = (all.trim_matches('0'), all.len() - all.trim_start_matches('0').len());
    let length = |length: usize| i32::try_from(length).map_err(Error::internal);
    // The number is `digits` × 10^(place − count).
    let place = length(whole.len())? - length(leading)? + exponent.parse::<i32>().map_err(Error::internal)?;
    let count = length(digits.len())?;
    match place {
        _ if count <= place && place <= 21 => {
            text.push_str(digits);
            text.extend((count..place).map(|_| '0'));
        }
        1..=21 => {
            let (whole, fraction) = digits.split_at(usize::try_from(place).map_err(Error::internal)?);
            text.push_str(&format!("{whole}.{fraction}"));
        }
        -5..=0 => {
            text.push_str("0.");
            text.extend((place..0).map(|_| '0'));
            text.push_str(digits);
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            text.push_str(&format!("{first}{point}{rest}e{:+}", place - 1));
        }
    }
    Ok(())
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

    #[test]
    fn doubles_are_written_as_in_the_rfc() {
        // Appendix B of the RFC, and integers that are no doubles.
        let doubles = [
            (5e-324, "5e-324"),
            (-5e-324, "-5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (-0.0, "0"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (295_147_905_179_352_830_000.0, "295147905179352830000"),
            (9.999_999_999_999_997e22, "9.999999999999997e+22"),
            (1e23, "1e+23"),
            (1e21, "1e+21"),
            (999_999_999_999_999_700_000.0, "999999999999999700000"),
            (1e-7, "1e-7"),
            (0.000_001, "0.000001"),
            (333_333_333.333_333_3, "333333333.3333333"),
            (-0.000_003_333_333_333_333_333_3, "-0.0000033333333333333333"),
            (1_424_953_923_781_206.2, "1424953923781206.2"),
            (4.5, "4.5"),
            (0.002, "0.002"),
            (1.0, "1"),
            (-120.0, "-120"),
        ];
        for (double, expected) in doubles {
            assert_eq!(to_canonical_doubles(&json!(double)).unwrap(), expected);
        }
        assert_eq!(
            to_canonical_doubles(&json!([u64::MAX, 10, {"b": i64::MIN, "a": 0.5}])).unwrap(),
            r#"[18446744073709552000,10,{"a":0.5,"b":-9223372036854776000}]"#
        );
    }

    proptest! {
        #[test]
        fn a_double_is_written_so_that_it_is_read_again(double in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            let text = to_canonical_doubles(&json!(double)).unwrap();
            prop_assert_eq!(text.parse::<f64>().unwrap(), double);
        }

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
