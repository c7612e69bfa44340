//! Filters and tests of text. Other values are converted to the text that they print.

use std::rc::Rc;

use super::super::super::comparison::equal;
use super::super::super::value::{List, Map};
use super::super::text::trim_text;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&[], &["lower"], (1, 1), &[], |budget, _, a| change_case(budget, &a[0], str::to_lowercase)),
    Function::new(&[], &["upper"], (1, 1), &[], |budget, _, a| change_case(budget, &a[0], str::to_uppercase)),
    Function::new(&[], &["capitalize"], (1, 1), &[], |budget, _, a| change_case(budget, &a[0], capitalize)),
    Function::new(&[], &["title"], (1, 1), &[], title),
    Function::new(&[], &["trim", "strip"], (1, 2), &["chars"], trim),
    Function::new(&[], &["replace"], (3, 4), &["old", "new", "count"], replace),
    Function::new(&[], &["split"], (1, 3), &["sep", "maxsplit"], split),
    Function::new(&[], &["center"], (1, 2), &["width"], center),
    Function::new(&[], &["indent"], (1, 4), &["width", "first", "blank"], indent),
    Function::new(&[], &["truncate"], (1, 5), &["length", "killwords", "end", "leeway"], truncate),
    Function::new(&[], &["wordcount"], (1, 1), &[], word_count),
];

pub static IS_LOWER: Function =
    Function::new(&[], &[], (1, 1), &[], |budget, _, a| has_case(&a[0], char::is_lowercase, budget));
pub static IS_UPPER: Function =
    Function::new(&[], &[], (1, 1), &[], |budget, _, a| has_case(&a[0], char::is_uppercase, budget));
pub static IS_SAFE: Function = Function::new(&[], &[], (1, 1), &[], |_, _, a| {
    Ok(Value::Bool(matches!(&a[0], Value::Text(text) if text.is_safe())))
});
pub static SAME_AS: Function = Function::new(&[], &[], (2, 2), &["other"], same_as);

fn change_case<'a>(budget: &mut EvaluationBudget, value: &Value<'a>, change: impl Fn(&str) -> String) -> Outcome<'a> {
    let text = as_text(value, budget)?;
    // A change of case makes a letter at most three times as long.
    budget.bytes(text.len() * 3)?;
    text.with_letters(&change(&text), budget)
}

/// Capitalizes a text. A first letter that becomes two, such as `ß`, becomes a capital and a small letter.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let mut first = letters.next().into_iter().flat_map(char::to_uppercase);
    let capital: String = first.next().into_iter().chain(first.flat_map(char::to_lowercase)).collect();
    capital + &letters.as_str().to_lowercase()
}

/// Capitalizes each word. Words begin after whitespace, `-`, `(`, `{`, `[` and `<`; an apostrophe is part of a word.
fn title<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = as_text(&a[0], budget)?;
    budget.bytes(whole.len() * 6)?;
    let mut titled = String::with_capacity(whole.len());
    for word in whole.split_inclusive(|c: char| matches!(c, '-' | '(' | '{' | '[' | '<') || c.is_whitespace()) {
        let mut letters = word.chars();
        titled.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        titled.push_str(&letters.as_str().to_lowercase());
    }
    Value::text(&titled, budget)
}

fn trim<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = as_text(&a[0], budget)?;
    whole.with_letters(trim_text(&whole, optional(a, 1), budget)?, budget)
}

fn replace<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let [whole, old, new] = [as_text(&a[0], budget)?, as_text(&a[1], budget)?, as_text(&a[2], budget)?];
    let most = optional(a, 3).map(integer).transpose()?.and_then(|most| usize::try_from(most).ok());
    budget.steps(whole.len())?;
    let count = whole.matches(&*old).count().min(most.unwrap_or(usize::MAX));
    budget.bytes(whole.len() + count.saturating_mul(new.len()))?;
    Value::text(&whole.replacen(&*old, &new, count), budget)
}

/// Splits at most `maxsplit` times. An empty separator splits a text into its characters.
fn split<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let most = optional(a, 2).map(integer).transpose()?.and_then(|most| usize::try_from(most).ok());
    let most = most.map_or(usize::MAX, |most| most.saturating_add(1));
    budget.steps(whole.len())?;
    let mut parts = Vec::new();
    match optional(a, 1).map(text).transpose()? {
        None => {
            let mut rest = whole.trim_start();
            while !rest.is_empty() {
                let end = rest.find(char::is_whitespace).filter(|_| parts.len() + 1 < most);
                let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
                parts.push(Value::text(part, budget)?);
                rest = after.trim_start();
            }
        }
        Some(separator) if separator.is_empty() => {
            for c in whole.chars().take(most) {
                parts.push(Value::text(c.encode_utf8(&mut [0; 4]), budget)?);
            }
        }
        Some(separator) => {
            for part in whole.splitn(most, &**separator) {
                parts.push(Value::text(part, budget)?);
            }
        }
    }
    Value::list(parts, budget)
}

fn center<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = as_text(&a[0], budget)?;
    let width = provided(a, 1).map_or(Ok(80), integer)?;
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(whole.chars().count());
    // With an odd number of spaces, the extra one is on the right, or on the left if the width is odd.
    let before = missing / 2 + usize::from(missing % 2 == 1 && width % 2 == 1);
    budget.bytes(whole.len().saturating_add(missing))?;
    let centered = [&" ".repeat(before), &*whole, &" ".repeat(missing - before)].concat();
    whole.with_letters(&centered, budget)
}

/// Indents all lines except the first and empty ones; `first` and `blank` include those.
fn indent<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let margin = match provided(a, 1) {
        Some(Value::Text(margin)) => margin.clone(),
        width => {
            let width = usize::try_from(width.map_or(Ok(4), integer)?).unwrap_or(0);
            budget.bytes(width)?;
            Text::Owned(" ".repeat(width).into())
        }
    };
    let (first, blank) = (flag(a, 2)?, flag(a, 3)?);
    budget.steps(whole.len() / 4)?;
    let lines = lines(whole);
    budget.bytes(lines.clone().count().saturating_mul(margin.len() + 1).saturating_add(whole.len()))?;
    let mut indented = String::new();
    for (index, line) in lines.enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        let is_moved = if index == 0 { first } else { blank || !line.is_empty() };
        indented.push_str(if is_moved { &margin } else { "" });
        indented.push_str(line);
    }
    whole.with_letters(&indented, budget)
}

/// Splits into lines at all line breaks of Unicode.
fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        let end = |c: char| matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
        let Some(place) = all.find(end) else { return rest.take() };
        let (line, after) = all.split_at(place);
        let after = after.strip_prefix("\r\n").unwrap_or_else(|| {
            let mut letters = after.chars();
            letters.next();
            letters.as_str()
        });
        rest = Some(after);
        Some(line)
    })
}

/// Truncates a text. One that exceeds the length by no more than the leeway stays whole.
fn truncate<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = text(&a[0])?;
    let length = provided(a, 1).map_or(Ok(255), size)?;
    let end = provided(a, 3).map(text).transpose()?.map_or("...", |end| end);
    let leeway = optional(a, 4).map_or(Ok(5), size)?;
    budget.steps((whole.len() + end.len()) / 16)?;
    let kept = length.checked_sub(end.chars().count());
    let kept = kept.ok_or(Cause::Message("the length of truncate must be at least the length of its end"))?;
    if whole.chars().count() <= length.saturating_add(leeway) {
        return Ok(a[0].clone());
    }
    let kept = whole.char_indices().nth(kept).map_or(&**whole, |(place, _)| &whole[..place]);
    let kept = if flag(a, 2)? { kept } else { kept.rsplit_once(' ').map_or(kept, |(words, _)| words) };
    budget.bytes(kept.len() + end.len())?;
    whole.with_letters(&[kept, end].concat(), budget)
}

fn word_count<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let whole = as_text(&a[0], budget)?;
    budget.steps(whole.len() / 4)?;
    let words = whole.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    Ok(Value::Int(words.count() as i64))
}

/// Whether the text has cased letters, and all of them have this case.
fn has_case<'a>(value: &Value, is_it: impl Fn(char) -> bool, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let Value::Text(text) = value else { return Ok(Value::Bool(false)) };
    budget.steps(text.len() / 8)?;
    let mut cased = text.chars().filter(|c| c.is_lowercase() || c.is_uppercase()).peekable();
    Ok(Value::Bool(cased.peek().is_some() && cased.all(is_it)))
}

/// Whether both are the same list or map in memory; other values must be equal and of the same kind.
fn same_as<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let same = match (&a[0], &a[1]) {
        (Value::List(List::Borrowed(left)), Value::List(List::Borrowed(right))) => std::ptr::eq(*left, *right),
        (Value::List(List::Owned(left)), Value::List(List::Owned(right))) => Rc::ptr_eq(left, right),
        (Value::List(List::Group(left)), Value::List(List::Group(right))) => Rc::ptr_eq(left, right),
        (Value::Map(Map::Borrowed(left)), Value::Map(Map::Borrowed(right))) => std::ptr::eq(*left, *right),
        (Value::Map(Map::Owned(left)), Value::Map(Map::Owned(right))) => Rc::ptr_eq(left, right),
        (Value::List(_), _) | (Value::Map(_), _) => false,
        (left, right) => left.kind() == right.kind() && equal(left, right, budget)?,
    };
    Ok(Value::Bool(same))
}
