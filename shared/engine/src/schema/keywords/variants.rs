//! `anyOf` and `oneOf`. If no variant fits, the message describes the variant that was probably intended.

use domain::language::Translated;
use serde_json::{Value, json};

use super::types;
use crate::schema::checker::Checker;
use crate::schema::equality::equal;
use crate::schema::findings::Findings;
use crate::schema::path::Path;

/// The maximum number of matching variants that a message lists.
const MAX_LISTED: usize = 3;

pub fn any_of<'s>(checker: &mut Checker<'s>, variants: &'s [Value], value: &Value, at: &Path, found: &mut Findings) {
    let intended = Intended::find(checker, variants, value);
    let (fitting, explanation) = try_all(checker, variants, &intended, value, at, found);
    if fitting.is_empty() {
        explain(checker, &intended, explanation, at, found);
    }
}

pub fn one_of<'s>(checker: &mut Checker<'s>, variants: &'s [Value], value: &Value, at: &Path, found: &mut Findings) {
    let intended = Intended::find(checker, variants, value);
    let (fitting, explanation) = try_all(checker, variants, &intended, value, at, found);
    if fitting.is_empty() {
        explain(checker, &intended, explanation, at, found);
    } else if fitting.len() > 1 {
        let listed: Vec<_> = fitting.iter().take(MAX_LISTED).map(|index| format!("oneOf[{index}]")).collect();
        let problem = Translated::new(
            format!("matches {} of its schema, but must match exactly one", listed.join(" and ")),
            format!("cumple {} de su esquema, pero debe cumplir exactamente uno", listed.join(" y ")),
        );
        checker.refuse(at, problem, found);
    }
}

/// Returns the variants that match, and the violations of the intended variant if it does not match.
fn try_all<'s>(
    checker: &mut Checker<'s>,
    variants: &'s [Value],
    intended: &Intended,
    value: &Value,
    at: &Path,
    found: &mut Findings,
) -> (Vec<usize>, Findings) {
    let (mut fitting, mut explanation) = (Vec::new(), Findings::default());
    for (index, variant) in variants.iter().enumerate() {
        if checker.is_done(found) {
            break;
        }
        let is_intended = matches!(intended, Intended::Variant(intended) if *intended == index);
        let mut tried = if is_intended { Findings::default() } else { Findings::first_only() };
        checker.apply(variant, value, at, &mut tried);
        if tried.is_valid() {
            fitting.push(index);
            found.append(tried);
        } else if is_intended {
            explanation = tried;
        }
    }
    (fitting, explanation)
}

fn explain(checker: &mut Checker, intended: &Intended, explanation: Findings, at: &Path, found: &mut Findings) {
    match intended {
        Intended::Variant(_) => found.append(explanation),
        Intended::Tag(tag, known) => checker.refuse(&at.name(tag), types::describe_values(known), found),
        Intended::Types(allowed) => checker.refuse(at, types::wrong_type(allowed), found),
    }
}

/// The intended variant of a value that matches none.
enum Intended<'s> {
    Variant(usize),
    /// The field that distinguishes the variants, and its value in each of them.
    Tag(&'s str, Vec<Value>),
    /// No variant accepts a value of this type. Lists the types that they accept.
    Types(Value),
}

impl<'s> Intended<'s> {
    fn find(checker: &mut Checker<'s>, variants: &'s [Value], value: &Value) -> Self {
        checker.budget.charge(4 * variants.len());
        let ends: Vec<&'s Value> = variants.iter().map(|variant| checker.references.follow(variant)).collect();
        let takes = |variant: &Value| variant.get("type").is_none_or(|allowed| types::is_type(allowed, value));
        let Some(first) = ends.iter().position(|variant| takes(variant)) else {
            let mut allowed: Vec<&Value> = Vec::new();
            for types in ends.iter().filter_map(|variant| variant.get("type")) {
                let types = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
                allowed.extend(types.iter().filter(|one| !allowed.contains(one)).collect::<Vec<_>>());
            }
            return Self::Types(json!(allowed));
        };
        let Some(tag) = value.as_object().and_then(|_| tag(ends[first])) else { return Self::Variant(first) };
        let given = value.get(tag);
        let fixed_tag = |variant: &'s Value| fixed(&variant["properties"][tag]);
        let intended = ends.iter().position(|variant| {
            given.zip(fixed_tag(variant)).is_some_and(|(given, fixed)| equal(given, fixed, &mut checker.budget))
        });
        match intended {
            Some(intended) => Self::Variant(intended),
            None => Self::Tag(tag, ends.iter().filter_map(|variant| fixed_tag(variant)).cloned().collect()),
        }
    }
}

/// Returns the field that has one fixed value in a variant, usually `type`.
fn tag(variant: &Value) -> Option<&str> {
    let properties = variant.get("properties")?.as_object()?;
    properties.iter().find(|(_, schema)| fixed(schema).is_some()).map(|(name, _)| name.as_str())
}

/// Returns the only value that a schema allows.
fn fixed(schema: &Value) -> Option<&Value> {
    match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => Some(only),
        _ => schema.get("const"),
    }
}
