//! Validates a value against a JSON Schema.

use std::collections::HashMap;
use std::hash::RandomState;

use domain::language::Translated;
use domain::translated;
use serde_json::{Map, Value};

use super::budget::ValidationBudget;
use super::equality::{equal, hash};
use super::findings::Findings;
use super::keywords::{arrays, combinations, numbers, objects, strings, types};
use super::language::{ExpressionLanguage, LANGUAGE};
use super::path::Path;
use super::pattern::SchemaPattern;
use super::reference::References;

/// The origin of a schema, which decides how `format` and `x-language` are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A schema of a node type: `format: uuid` is enforced, and `x-language` marks expressions.
    NodeType,
    User,
}

pub struct Checker<'s> {
    root: &'s Value,
    pub dialect: Dialect,
    pub budget: ValidationBudget,
    pub references: References<'s>,
    /// The compiled patterns, by the address of their text in the schema.
    patterns: HashMap<*const str, Option<SchemaPattern>>,
    /// The values of each `enum`, by hash.
    enums: HashMap<*const Value, HashMap<u64, Vec<&'s Value>>>,
    pub state: RandomState,
}

impl<'s> Checker<'s> {
    pub fn new(root: &'s Value, dialect: Dialect, budget: ValidationBudget) -> Self {
        let (patterns, enums, state) = Default::default();
        Self { root, dialect, budget, references: References::new(root), patterns, enums, state }
    }

    pub fn check(mut self, value: &Value, field: &str) -> Findings {
        let (mut found, at) = (Findings::default(), Path::Root(field));
        self.apply(self.root, value, &at, &mut found);
        if let Some(exceeded) = self.budget.exceeded() {
            // The findings so far may be wrong: a `not` may have seen only half of a value.
            found = Findings::default();
            found.refuse(&at, exceeded.message().into());
        }
        found
    }

    /// Adds the violations of a schema to `found`.
    pub fn apply(&mut self, schema: &'s Value, value: &Value, at: &Path, found: &mut Findings) {
        if !self.budget.enter() {
            return;
        }
        match schema {
            Value::Object(keywords) => self.apply_keywords(schema, keywords, value, at, found),
            Value::Bool(false) => self.refuse(at, translated!("is not allowed here", "no se permite aquí"), found),
            _ => {}
        }
        self.budget.leave();
    }

    /// Whether the value satisfies a schema.
    pub fn accepts(&mut self, schema: &'s Value, value: &Value, at: &Path) -> bool {
        let mut found = Findings::first_only();
        self.apply(schema, value, at, &mut found);
        found.is_valid()
    }

    /// Whether the validation can stop: enough violations were found, or the budget is used up.
    pub fn is_done(&self, found: &Findings) -> bool {
        found.is_full() || self.budget.exceeded().is_some()
    }

    pub fn refuse(&mut self, at: &Path, problem: Translated<String>, found: &mut Findings) {
        if !found.is_full() {
            self.budget.charge_bytes(at.len());
            found.refuse(at, problem);
        }
    }

    /// Whether the pattern matches somewhere in the text. Each pattern is compiled once; an invalid one matches
    /// nothing.
    pub fn matches_pattern(&mut self, pattern: &'s str, text: &str) -> bool {
        let Self { patterns, budget, .. } = self;
        let compiled = patterns.entry(pattern).or_insert_with(|| SchemaPattern::parse_within(pattern, budget));
        compiled.as_ref().is_some_and(|pattern| pattern.is_in(text, budget))
    }

    fn apply_keywords(
        &mut self,
        schema: &'s Value,
        keywords: &'s Map<String, Value>,
        value: &Value,
        at: &Path,
        found: &mut Findings,
    ) {
        self.budget.charge(1 + keywords.len());
        if let Some(problem) = self.check_enum_and_type(keywords, value) {
            return self.refuse(at, problem, found);
        }
        for (keyword, operand) in keywords {
            if self.is_done(found) {
                return;
            }
            match value {
                Value::String(text) => strings::apply(self, keyword, operand, text, at, found),
                Value::Number(number) => numbers::apply(self, keyword, operand, number, at, found),
                Value::Array(items) => arrays::apply(self, (keyword, operand), schema, items, at, found),
                Value::Object(entries) => objects::apply(self, (keyword, operand), schema, entries, at, found),
                Value::Null | Value::Bool(_) => {}
            }
            combinations::apply(self, (keyword, operand), schema, value, at, found);
        }
        if self.dialect == Dialect::NodeType
            && let Some(language) = keywords.get(LANGUAGE).and_then(ExpressionLanguage::parse)
            && let Some((language, text)) = language.read(value)
        {
            let field = at.full();
            self.budget.charge_bytes(field.len());
            found.expressions.push((field, language, text.to_owned()));
        }
    }

    /// Returns a message if `enum`, `const` or `type` exclude the value.
    fn check_enum_and_type(&mut self, keywords: &'s Map<String, Value>, value: &Value) -> Option<Translated<String>> {
        if let Some(Value::Array(listed)) = keywords.get("enum")
            && !self.is_listed(listed, value)
        {
            return Some(types::describe_values(listed));
        }
        if let Some(only) = keywords.get("const")
            && !equal(only, value, &mut self.budget)
        {
            return Some(types::describe_values(std::slice::from_ref(only)));
        }
        let allowed = keywords.get("type")?;
        (!types::is_type(allowed, value)).then(|| types::wrong_type(allowed))
    }

    fn is_listed(&mut self, listed: &'s [Value], value: &Value) -> bool {
        let Self { enums, budget, state, .. } = self;
        let known = enums.entry(listed.as_ptr()).or_insert_with(|| {
            let mut known: HashMap<u64, Vec<&Value>> = HashMap::new();
            listed.iter().for_each(|value| known.entry(hash(value, state, budget)).or_default().push(value));
            known
        });
        let same = known.get(&hash(value, state, budget));
        same.is_some_and(|same| same.iter().any(|one| equal(one, value, budget)))
    }
}
