//! The filter `format`, with the directives of Python's `%`.

use super::super::super::markup::escape;
use super::super::super::number::{as_i128, float};
use super::super::super::value::NOT_FINITE;
use super::super::text::SURPLUS;
use super::*;

pub const ALL: &[Function] = &[Function::new(&[], &["format"], (1, 17), &[], |budget, _, a| {
    let mut values = a[1..].iter();
    let formatted = format_pattern(
        &a[0],
        &mut |name, _| match name {
            Some(_) => Err(Cause::Message("a named placeholder needs an argument of its name: format(name=value)")),
            None => values.next().cloned().ok_or(Cause::Message("format has more placeholders than values")),
        },
        budget,
    )?;
    if values.next().is_some() { Err(Cause::Message(SURPLUS.en)) } else { Ok(formatted) }
})];

/// `'%(name)s' | format(name=value)`; the values come as a map.
pub static BY_NAME: Function = Function::new(&[], &[], (2, 2), &[], |budget, _, a| {
    let values = map(&a[1])?;
    format_pattern(
        &a[0],
        &mut |name, budget| match name {
            Some(name) => {
                values.get(name, budget)?.ok_or(Cause::Message("format has a placeholder without a named argument"))
            }
            None => Err(Cause::Message("named arguments need named placeholders: %(name)s")),
        },
        budget,
    )
});

const UNKNOWN: Cause =
    Cause::Message("format supports %s, %d, %x, %o, %c, %f, %e, %g and %%, with a width as in %5.2f");

/// The maximum precision, above the number of digits of any number.
const MAX_DIGITS: usize = 1_000;

type NextValue<'s, 'a> = dyn FnMut(Option<&str>, &mut EvaluationBudget) -> Result<Value<'a>, Cause> + 's;

fn format_pattern<'a>(
    pattern: &Value<'a>,
    values: &mut NextValue<'_, 'a>,
    budget: &mut EvaluationBudget,
) -> Outcome<'a> {
    let pattern = as_text(pattern, budget)?;
    budget.bytes(pattern.len())?;
    let (mut output, mut rest) = (String::new(), &*pattern);
    while let Some((before, after)) = rest.split_once('%') {
        output.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            output.push('%');
            rest = after;
            continue;
        }
        let (directive, after) = Directive::read(after)?;
        let value = values(directive.name, budget)?;
        directive.write(&value, pattern.is_safe(), &mut output, budget)?;
        rest = after;
    }
    output.push_str(rest);
    pattern.with_letters(&output, budget)
}

/// A parsed directive, such as `%(name)-08.2f`.
struct Directive<'t> {
    name: Option<&'t str>,
    flags: &'t str,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

impl<'t> Directive<'t> {
    fn read(text: &'t str) -> Result<(Self, &'t str), Cause> {
        let (name, text) = match text.strip_prefix('(') {
            None => (None, text),
            Some(text) => text.split_once(')').map(|(name, text)| (Some(name), text)).ok_or(UNKNOWN)?,
        };
        let (flags, text) = span(text, |c| matches!(c, '-' | '+' | ' ' | '0' | '#'));
        let (width, text) = span(text, |c| c.is_ascii_digit());
        let (precision, text) = match text.strip_prefix('.') {
            None => (None, text),
            Some(text) => {
                let (precision, text) = span(text, |c| c.is_ascii_digit());
                (Some(precision), text)
            }
        };
        let mut letters = text.chars();
        let conversion = letters.next().ok_or(UNKNOWN)?;
        let count = |digits: &str| if digits.is_empty() { Ok(0) } else { digits.parse().map_err(|_| UNKNOWN) };
        let (width, precision) = (count(width)?, precision.map(count).transpose()?);
        Ok((Self { name, flags, width, precision, conversion }, letters.as_str()))
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn write(
        &self,
        value: &Value,
        is_markup: bool,
        output: &mut String,
        budget: &mut EvaluationBudget,
    ) -> Result<(), Cause> {
        let precision = self.precision.unwrap_or(0);
        budget.bytes(self.width.saturating_add(precision).saturating_add(400))?;
        if precision > MAX_DIGITS && self.conversion != 's' {
            return Err(Cause::Message("the precision must be at most 1000 digits"));
        }
        let (sign, digits) = match self.conversion {
            's' => ("", self.format_text(value, is_markup, budget)?),
            'c' => ("", character(value)?.to_string()),
            'd' | 'i' | 'u' => self.format_integer(value, |number| number.to_string())?,
            'x' | 'X' | 'o' if as_i128(value).is_none() => return type_error("whole number", value),
            'x' => self.format_integer(value, |number| format!("{number:x}"))?,
            'X' => self.format_integer(value, |number| format!("{number:X}"))?,
            'o' => self.format_integer(value, |number| format!("{number:o}"))?,
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => self.format_float(value)?,
            _ => return Err(UNKNOWN),
        };
        let prefix = match self.conversion {
            'x' if self.has('#') => "0x",
            'X' if self.has('#') => "0X",
            'o' if self.has('#') => "0o",
            _ => "",
        };
        let space = self.width.saturating_sub(sign.len() + prefix.len() + digits.chars().count());
        let pads_zeros = self.has('0') && !self.has('-') && !matches!(self.conversion, 's' | 'c');
        let (before, zeros, after) = match (self.has('-'), pads_zeros) {
            (true, _) => (0, 0, space),
            (_, true) => (0, space, 0),
            _ => (space, 0, 0),
        };
        for part in [&" ".repeat(before), sign, prefix, &"0".repeat(zeros), &digits, &" ".repeat(after)] {
            output.push_str(part);
        }
        Ok(())
    }

    fn format_text(&self, value: &Value, is_markup: bool, budget: &mut EvaluationBudget) -> Result<String, Cause> {
        let text = as_text(value, budget)?;
        budget.bytes(text.len())?;
        let text = if is_markup && !text.is_safe() { escape(&text, budget)? } else { text.to_string() };
        Ok(match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        })
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match is_negative {
            true => "-",
            false if self.has('+') => "+",
            false if self.has(' ') => " ",
            false => "",
        }
    }

    fn format_integer(&self, value: &Value, digits: impl Fn(u128) -> String) -> Result<(&'static str, String), Cause> {
        let number = match value {
            Value::Float(number) if number.abs() < 1e38 => number.trunc() as i128,
            other => as_i128(other).map_or_else(|| type_error("number", other), Ok)?,
        };
        let min_digits = self.precision.unwrap_or(0);
        Ok((self.sign(number < 0), format!("{:0>min_digits$}", digits(number.unsigned_abs()))))
    }

    fn format_float(&self, value: &Value) -> Result<(&'static str, String), Cause> {
        let Some(number) = float(value) else { return type_error("number", value) };
        if !number.is_finite() {
            return Err(NOT_FINITE);
        }
        let digits = self.precision.unwrap_or(6);
        let size = number.abs();
        let mut formatted = match self.conversion {
            'f' | 'F' => format!("{size:.digits$}"),
            'e' | 'E' => scientific(size, digits),
            _ => self.format_general(size, digits.max(1)),
        };
        if self.has('#') && digits == 0 && !formatted.contains('.') {
            formatted.push('.');
        }
        if self.conversion.is_ascii_uppercase() {
            formatted.make_ascii_uppercase();
        }
        Ok((self.sign(number.is_sign_negative()), formatted))
    }

    /// Formats with `digits` significant digits, in the shorter of both notations.
    fn format_general(&self, size: f64, digits: usize) -> String {
        let formatted = scientific(size, digits - 1);
        let (mantissa, power) = formatted.split_once('e').unwrap_or((&formatted, "0"));
        let power: i64 = power.parse().unwrap_or(0);
        let shortened = |number: &str| match number.contains('.') && !self.has('#') {
            true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => number.to_owned(),
        };
        match usize::try_from(digits as i64 - 1 - power) {
            Ok(places) if power >= -4 => shortened(&format!("{size:.places$}")),
            _ => format!("{}{}", shortened(mantissa), &formatted[mantissa.len()..]),
        }
    }
}

fn span(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

/// Scientific notation as in `1.50e+00`: the exponent has a sign and at least two digits.
fn scientific(size: f64, digits: usize) -> String {
    let formatted = format!("{size:.digits$e}");
    let (mantissa, power) = formatted.split_once('e').unwrap_or((&formatted, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{mantissa}e{sign}{power:0>2}")
}

fn character(value: &Value) -> Result<char, Cause> {
    let number = |number: i128| u32::try_from(number).ok().and_then(char::from_u32);
    let found = match value {
        Value::Text(text) => {
            Some(text.chars()).filter(|letters| letters.clone().count() == 1).and_then(|mut c| c.next())
        }
        other => as_i128(other).and_then(number),
    };
    found.ok_or(Cause::Message("%c needs one character, or its code point"))
}
