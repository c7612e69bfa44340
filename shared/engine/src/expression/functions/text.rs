//! Functions of text.

use super::super::number::float;
use super::super::operators::format_value;
use super::super::value::NOT_FINITE;
use super::*;
use domain::language::Translated;

pub const ALL: &[Function] = &[
    Function::new(&["lowerAscii"], &[], (1, 1), &[], |budget, _, a| {
        change_case(budget, &a[0], str::to_ascii_lowercase)
    }),
    Function::new(&["upperAscii"], &[], (1, 1), &[], |budget, _, a| {
        change_case(budget, &a[0], str::to_ascii_uppercase)
    }),
    Function::new(&["lower"], &[], (1, 1), &[], |budget, _, a| change_case(budget, &a[0], str::to_lowercase)),
    Function::new(&["upper"], &[], (1, 1), &[], |budget, _, a| change_case(budget, &a[0], str::to_uppercase)),
    Function::new(&["trim"], &[], (1, 2), &[], trim),
    Function::new(&["startsWith"], &["startswith", "startingwith"], (2, 2), &[], starts_with),
    Function::new(&["endsWith"], &["endswith", "endingwith"], (2, 2), &[], ends_with),
    Function::new(&["matches"], &["matches"], (2, 2), &[], matches),
    Function::new(&["split"], &[], (1, 3), &[], split),
    Function::new(&[], &["lines"], (1, 1), &[], lines),
    Function::new(&["join"], &[], (1, 2), &[], join),
    Function::new(&["replace"], &[], (3, 4), &[], replace),
    Function::new(&["substring"], &["substring"], (2, 3), &[], substring),
    Function::new(&["charAt"], &[], (2, 2), &[], char_at),
    Function::new(&["indexOf"], &["find"], (2, 3), &["start"], index_of),
    Function::new(&["lastIndexOf"], &[], (2, 3), &[], last_index_of),
    Function::new(&["format"], &[], (1, 17), &[], format),
];

fn change_case<'a>(budget: &mut EvaluationBudget, value: &Value<'a>, change: impl Fn(&str) -> String) -> Outcome<'a> {
    let text = text(value)?;
    // A change of case makes a letter at most three times as long.
    budget.bytes(text.len() * 3)?;
    Value::text(&change(text), budget)
}

fn trim<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Value::text(trim_text(text(&a[0])?, optional(a, 1), budget)?, budget)
}

/// Trims whitespace, or the given characters.
pub fn trim_text<'t>(whole: &'t str, chars: Option<&Value>, budget: &mut EvaluationBudget) -> Result<&'t str, Cause> {
    let Some(chars) = chars else { return Ok(whole.trim()) };
    let chars = text(chars)?;
    budget.steps(whole.len().saturating_mul(chars.len()) / 16)?;
    Ok(whole.trim_matches(|c| chars.contains(c)))
}

fn starts_with<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(text(&a[0])?.starts_with(&**text(&a[1])?)))
}

fn ends_with<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(text(&a[0])?.ends_with(&**text(&a[1])?)))
}

/// Matches a pattern that is computed, and compiled for this call only.
fn matches<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, pattern) = (text(&a[0])?, text(&a[1])?);
    pattern::ExpressionPattern::new(pattern, budget)?.is_in(whole, budget).map(Value::Bool)
}

/// Splits into at most the given number of parts.
fn split<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let most = optional(a, 2).map(integer).transpose()?;
    parts(a, most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX), budget)
}

fn parts<'a>(a: &[Value<'a>], most: usize, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let whole = text(&a[0])?;
    budget.steps(whole.len())?;
    match optional(a, 1).map(text).transpose()? {
        _ if most == 0 => Value::list(Vec::new(), budget),
        None => texts(whole.split_whitespace(), budget),
        // An empty separator splits into characters; the last part has the rest.
        Some(separator) if separator.is_empty() => {
            let starts = whole.char_indices().map(|(start, _)| start);
            let ends = starts.clone().skip(1).take(most - 1).chain([whole.len()]);
            texts(starts.zip(ends).map(|(start, end)| &whole[start..end]), budget)
        }
        Some(separator) => texts(whole.splitn(most, &**separator), budget),
    }
}

/// Creates a list of texts, each charged before it is created.
fn texts<'t, 'a>(parts: impl Iterator<Item = &'t str>, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let mut made = Vec::new();
    for part in parts {
        made.push(Value::text(part, budget)?);
    }
    Value::list(made, budget)
}

fn lines<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    budget.steps(whole.len() / 16)?;
    texts(whole.lines(), budget)
}

fn join<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let items = list(&a[0])?;
    let between = optional(a, 1).map(text).transpose()?;
    budget.bytes(between.map_or(0, |between| between.len().saturating_mul(items.len())))?;
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(between) = between.filter(|_| index > 0) {
            joined.push_str(between);
        }
        budget.steps(1)?;
        joined.push_str(&format_value(&item, budget)?);
    }
    Value::text(&joined, budget)
}

fn replace<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, old, new) = (text(&a[0])?, text(&a[1])?, text(&a[2])?);
    let most = optional(a, 3).map(integer).transpose()?.and_then(|most| usize::try_from(most).ok());
    budget.steps(whole.len())?;
    let count = whole.matches(&**old).count().min(most.unwrap_or(usize::MAX));
    budget.bytes(whole.len() + count.saturating_mul(new.len()))?;
    Value::text(&whole.replacen(&**old, new, count), budget)
}

/// Indexes count characters, not bytes.
fn substring<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let start = size(&a[1])?;
    let end = optional(a, 2).map(size).transpose()?;
    budget.steps(whole.len() / 16)?;
    let count = whole.chars().count();
    let end = end.unwrap_or(count);
    if start > end || end > count {
        return Err(Cause::Message("this part is outside of the string"));
    }
    let part: String = whole.chars().skip(start).take(end - start).collect();
    Value::text(&part, budget)
}

/// Returns the character at an index, or an empty text at the end.
fn char_at<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, place) = (text(&a[0])?, size(&a[1])?);
    let start = byte_offset(whole, place, budget)?;
    let bytes = whole[start..].chars().next().map_or(0, char::len_utf8);
    Value::text(&whole[start..start + bytes], budget)
}

/// Returns the byte offset of a character index. The end of the text is a valid index.
fn byte_offset(whole: &str, place: usize, budget: &mut EvaluationBudget) -> Result<usize, Cause> {
    budget.steps(whole.len() / 16)?;
    let mut starts = whole.char_indices().map(|(start, _)| start).chain([whole.len()]);
    starts.nth(place).ok_or(Cause::Message("this index is outside of the string"))
}

/// Finds the first occurrence at or after an index.
fn index_of<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, part) = (text(&a[0])?, text(&a[1])?);
    let start = optional(a, 2).map_or(Ok(0), |place| byte_offset(whole, size(place)?, budget))?;
    character_index(whole, part, whole[start..].find(&**part).map(|byte| start + byte), budget)
}

/// Finds the last occurrence that begins at or before an index.
fn last_index_of<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, part) = (text(&a[0])?, text(&a[1])?);
    let start = optional(a, 2).map_or(Ok(whole.len()), |place| byte_offset(whole, size(place)?, budget))?;
    let end = whole.floor_char_boundary(start.saturating_add(part.len()));
    character_index(whole, part, whole[..end].rfind(&**part), budget)
}

/// Converts a byte offset to a character index, or -1 if there is none.
fn character_index<'a>(whole: &str, part: &str, byte: Option<usize>, budget: &mut EvaluationBudget) -> Outcome<'a> {
    budget.steps((whole.len() + part.len()) / 8)?;
    Ok(Value::Int(byte.map_or(-1, |byte| whole[..byte].chars().count() as i64)))
}

/// Formats with `%s`, `%d`, `%f`, `%.2f` and `%%`; widths are not supported.
fn format<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let pattern = text(&a[0])?;
    // In CEL the values come as one list, in Jinja one by one.
    let values: Vec<Value> = match &a[1..] {
        [Value::List(values)] => {
            budget.bytes(values.len() * size_of::<Value>())?;
            values.iter().collect()
        }
        values => values.to_vec(),
    };
    budget.bytes(pattern.len())?;
    let (mut made, mut rest, mut values) = (String::new(), &**pattern, values.iter());
    while let Some((before, after)) = rest.split_once('%') {
        made.push_str(before);
        rest = directive(after, &mut values, &mut made, budget)?;
    }
    made.push_str(rest);
    if values.next().is_some() {
        return Err(Cause::Message(SURPLUS.en));
    }
    Value::text(&made, budget)
}

pub const SURPLUS: Translated = Translated::new(
    "format has more values than placeholders; write '%.2f' | format(x), in CEL '%.2f'.format([x])",
    "format tiene más valores que marcadores; escriba '%.2f' | format(x), en CEL '%.2f'.format([x])",
);

fn directive<'t>(
    after: &'t str,
    values: &mut std::slice::Iter<Value>,
    made: &mut String,
    budget: &mut EvaluationBudget,
) -> Result<&'t str, Cause> {
    const UNKNOWN: Cause = Cause::Message("format supports %s, %d, %f, %.2f and %%");
    let mut next = || values.next().ok_or(Cause::Message("format has more placeholders than values"));
    if let Some(rest) = after.strip_prefix('%') {
        made.push('%');
        return Ok(rest);
    }
    if let Some(rest) = after.strip_prefix('s') {
        made.push_str(&format_value(next()?, budget)?);
        return Ok(rest);
    }
    if let Some(rest) = after.strip_prefix('d') {
        made.push_str(&match next()? {
            Value::Large(large) => large.to_string(),
            value => integer(value)?.to_string(),
        });
        return Ok(rest);
    }
    let (digits, rest) = match after.strip_prefix('.') {
        None => (6, after),
        Some(precise) => {
            let digit = precise.bytes().next().filter(u8::is_ascii_digit).ok_or(UNKNOWN)?;
            (usize::from(digit - b'0'), &precise[1..])
        }
    };
    let rest = rest.strip_prefix('f').ok_or(UNKNOWN)?;
    let number = float(next()?).ok_or(Cause::Message("%f needs a number"))?;
    if !number.is_finite() {
        return Err(NOT_FINITE);
    }
    budget.bytes(330)?;
    made.push_str(&format!("{number:.digits$}"));
    Ok(rest)
}
