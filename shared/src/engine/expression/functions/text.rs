//! Functions of text.

use super::super::operators::{float, printed};
use super::super::value::NOT_FINITE;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["lowerAscii", "lower"], &[], (1, 1), &[], |budget, _, a| case(budget, &a[0], str::to_lowercase)),
    Function::new(&["upperAscii", "upper"], &[], (1, 1), &[], |budget, _, a| case(budget, &a[0], str::to_uppercase)),
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
    Function::new(&["indexOf"], &["find"], (2, 2), &[], index_of),
    Function::new(&["lastIndexOf"], &[], (2, 2), &[], last_index_of),
    Function::new(&["format"], &[], (1, 17), &[], format),
];

fn case<'a>(budget: &mut Budget, value: &Value<'a>, changed: impl Fn(&str) -> String) -> Outcome<'a> {
    let text = text(value)?;
    // A letter in another case is at most three times as long.
    budget.bytes(text.len() * 3)?;
    Value::text(&changed(text), budget)
}

fn trim<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let trimmed = match optional(a, 1) {
        None => whole.trim(),
        Some(chars) => {
            let chars = text(chars)?;
            budget.steps(whole.len().saturating_mul(chars.len()) / 16)?;
            whole.trim_matches(|c| chars.contains(c))
        }
    };
    Value::text(trimmed, budget)
}

fn starts_with<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(text(&a[0])?.starts_with(&**text(&a[1])?)))
}

fn ends_with<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(text(&a[0])?.ends_with(&**text(&a[1])?)))
}

/// A pattern that was not known before: it is compiled for this one look.
fn matches<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, pattern) = (text(&a[0])?, text(&a[1])?);
    pattern::Pattern::new(pattern, budget)?.is_in(whole, budget).map(Value::Bool)
}

fn split<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let most = optional(a, 2).map(self::whole).transpose()?.and_then(|most| usize::try_from(most).ok());
    budget.steps(whole.len())?;
    let most = most.map_or(usize::MAX, |most| most.saturating_add(1));
    match optional(a, 1).map(text).transpose()? {
        None => texts(whole.split_whitespace(), budget),
        // Nothing between them parts a text into its characters.
        Some(separator) if separator.is_empty() => {
            let characters = whole.char_indices().map(|(start, c)| &whole[start..start + c.len_utf8()]);
            texts(characters.take(most), budget)
        }
        Some(separator) => texts(whole.splitn(most, &**separator), budget),
    }
}

/// A list of them, each paid for before it is made.
fn texts<'t, 'a>(parts: impl Iterator<Item = &'t str>, budget: &mut Budget) -> Outcome<'a> {
    let mut made = Vec::new();
    for part in parts {
        made.push(Value::text(part, budget)?);
    }
    Value::list(made, budget)
}

fn lines<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    budget.steps(whole.len() / 16)?;
    texts(whole.lines(), budget)
}

fn join<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let items = list(&a[0])?;
    let between = optional(a, 1).map(text).transpose()?;
    budget.bytes(between.map_or(0, |between| between.len().saturating_mul(items.len())))?;
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(between) = between.filter(|_| index > 0) {
            joined.push_str(between);
        }
        budget.steps(1)?;
        joined.push_str(&printed(&item, budget)?);
    }
    Value::text(&joined, budget)
}

fn replace<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, old, new) = (text(&a[0])?, text(&a[1])?, text(&a[2])?);
    let most = optional(a, 3).map(self::whole).transpose()?.and_then(|most| usize::try_from(most).ok());
    budget.steps(whole.len())?;
    let count = whole.matches(&**old).count().min(most.unwrap_or(usize::MAX));
    budget.bytes(whole.len() + count.saturating_mul(new.len()))?;
    Value::text(&whole.replacen(&**old, new, count), budget)
}

/// Places count characters, not bytes.
fn substring<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let start = size(&a[1])?;
    let end = optional(a, 2).map(size).transpose()?;
    budget.steps(whole.len() / 16)?;
    let count = whole.chars().count();
    let end = end.unwrap_or(count);
    if start > end || end > count {
        return Err(Why::Message("the string has no such part"));
    }
    let part: String = whole.chars().skip(start).take(end - start).collect();
    Value::text(&part, budget)
}

fn char_at<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (whole, place) = (text(&a[0])?, size(&a[1])?);
    budget.steps(whole.len() / 16)?;
    let found = whole.chars().nth(place).map(String::from);
    Value::text(&found.ok_or(Why::Message("the string has no such place"))?, budget)
}

fn index_of<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    position(budget, a, |whole, part| whole.find(part))
}

fn last_index_of<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    position(budget, a, |whole, part| whole.rfind(part))
}

fn position<'a>(budget: &mut Budget, a: &[Value<'a>], find: impl Fn(&str, &str) -> Option<usize>) -> Outcome<'a> {
    let (whole, part) = (text(&a[0])?, text(&a[1])?);
    budget.steps((whole.len() + part.len()) / 8)?;
    let place = find(whole, part).map(|place| whole[..place].chars().count() as i64);
    Ok(Value::Int(place.unwrap_or(-1)))
}

/// `%s`, `%d`, `%.2f` and `%%`; no widths.
fn format<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let pattern = text(&a[0])?;
    // CEL gives the values as one list, Jinja one by one.
    let values: Vec<Value> = match &a[1..] {
        [Value::List(values)] => {
            budget.steps(values.len())?;
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
        return Err(Why::Message(SURPLUS));
    }
    Value::text(&made, budget)
}

pub const SURPLUS: &str = "format has more values than places: write '%.2f' | format(x), in CEL '%.2f'.format([x])";

fn directive<'t>(
    after: &'t str,
    values: &mut std::slice::Iter<Value>,
    made: &mut String,
    budget: &mut Budget,
) -> Result<&'t str, Why> {
    const UNKNOWN: Why = Why::Message("format knows %s, %d, %f, %.2f and %%");
    let mut next = || values.next().ok_or(Why::Message("format has more places than values"));
    if let Some(rest) = after.strip_prefix('%') {
        made.push('%');
        return Ok(rest);
    }
    if let Some(rest) = after.strip_prefix('s') {
        made.push_str(&printed(next()?, budget)?);
        return Ok(rest);
    }
    if let Some(rest) = after.strip_prefix('d') {
        made.push_str(&match next()? {
            Value::Large(large) => large.to_string(),
            value => whole(value)?.to_string(),
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
    let number = float(next()?).ok_or(Why::Message("%f takes a number"))?;
    if !number.is_finite() {
        return Err(NOT_FINITE);
    }
    budget.bytes(330)?;
    made.push_str(&format!("{number:.digits$}"));
    Ok(rest)
}
