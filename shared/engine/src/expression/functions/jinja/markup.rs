//! Filters for HTML and URLs.

use super::super::super::markup::{as_markup, escape};
use super::super::json::to_json;
use super::super::lists::elements;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&[], &["escape", "e"], (1, 1), &[], |budget, _, a| {
        let text = as_text(&a[0], budget)?;
        if text.is_safe() { Ok(a[0].clone()) } else { Value::safe_text(&as_markup(&text, budget)?, budget) }
    }),
    Function::new(&[], &["forceescape"], (1, 1), &[], |budget, _, a| {
        let text = as_text(&a[0], budget)?;
        Value::safe_text(&escape(&text, budget)?, budget)
    }),
    Function::new(&[], &["safe"], (1, 1), &[], |budget, _, a| {
        let text = as_text(&a[0], budget)?;
        Value::safe_text(&text, budget)
    }),
    Function::new(&[], &["urlencode"], (1, 1), &[], urlencode),
    Function::new(&[], &["tojson"], (1, 2), &["indent"], |budget, scope, a| match to_json(budget, scope, a)? {
        Value::Text(json) => Value::safe_text(&json, budget),
        other => Ok(other),
    }),
];

/// URL-encodes a text for a path, or a map or pairs for a query.
fn urlencode<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut query = String::new();
    let mut add = |key: &Value<'a>, value: &Value<'a>, budget: &mut EvaluationBudget| {
        let (key, value) = (as_text(key, budget)?, as_text(value, budget)?);
        budget.bytes(3 * (key.len() + value.len()) + 2)?;
        if !query.is_empty() {
            query.push('&');
        }
        quote(&key, true, &mut query);
        query.push('=');
        quote(&value, true, &mut query);
        Ok(())
    };
    match &a[0] {
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
                add(&Value::Text(key), &value, budget)?;
            }
        }
        Value::List(pairs) => {
            for pair in pairs.iter() {
                match &elements(&pair, budget)?[..] {
                    [key, value] => add(key, value, budget)?,
                    _ => return Err(Cause::Message("urlencode takes a string, a map, or pairs")),
                }
            }
        }
        other => {
            let text = as_text(other, budget)?;
            budget.bytes(3 * text.len())?;
            quote(&text, false, &mut query);
        }
    }
    Value::text(&query, budget)
}

/// In a query, a space becomes a plus, and a slash is encoded.
fn quote(text: &str, in_query: bool, quoted: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => quoted.push(byte.into()),
            b'/' if !in_query => quoted.push('/'),
            b' ' if in_query => quoted.push('+'),
            _ => {
                let digit = |number: u8| char::from(HEX[usize::from(number)]);
                quoted.extend(['%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
}
