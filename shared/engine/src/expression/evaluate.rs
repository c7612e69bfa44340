//! The evaluator: computes the value of an expression tree within a budget. Failures have a position, and never show a
//! value.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::access::{element, member};
use super::budget::EvaluationBudget;
use super::functions::pattern::ExpressionPattern;
use super::index::Indexes;
use super::number::OVERFLOW;
use super::operators::{self, ExpressionOperator};
use super::tree::{Expr, ExprKind, Literal};
use super::value::{Text, Value};
use super::{Cause, EvaluationError, Scope};

pub struct Evaluation<'a> {
    scope: &'a Scope<'a>,
    /// The local variables, innermost last.
    locals: Vec<(Arc<str>, Value<'a>)>,
    /// The compiled regular expressions of this evaluation.
    patterns: HashMap<&'a str, Rc<ExpressionPattern>>,
    indexes: Indexes<'a>,
    pub budget: EvaluationBudget,
}

impl Drop for Evaluation<'_> {
    fn drop(&mut self) {
        self.scope.steps.set(self.scope.steps.get() + self.budget.steps_taken());
    }
}

/// The number of locals at some point, to return to.
pub struct Mark(usize);

impl<'a> Evaluation<'a> {
    pub fn new(scope: &'a Scope<'a>) -> Self {
        Self {
            scope,
            locals: Vec::new(),
            patterns: HashMap::new(),
            indexes: Indexes::default(),
            budget: EvaluationBudget::default(),
        }
    }

    pub fn mark(&self) -> Mark {
        Mark(self.locals.len())
    }

    /// Removes the locals that were bound since the mark.
    pub fn truncate_locals(&mut self, mark: &Mark) {
        self.locals.truncate(mark.0);
    }

    pub fn bind(&mut self, name: &Arc<str>, value: Value<'a>) {
        self.locals.push((name.clone(), value));
    }

    pub fn value(&mut self, expr: &'a Expr) -> Result<Value<'a>, EvaluationError> {
        self.step(expr).map_err(|cause| match cause {
            StepError::Here(cause) => EvaluationError::new(cause, expr),
            StepError::Within(failure) => failure,
        })
    }

    /// Evaluates an expression, and fails if the value is undefined.
    pub fn defined(&mut self, expr: &'a Expr) -> Result<Value<'a>, EvaluationError> {
        let value = self.value(expr)?;
        if value.is_undefined() { Err(EvaluationError::new(Cause::Undefined, expr)) } else { Ok(value) }
    }

    pub fn boolean(&mut self, expr: &'a Expr) -> Result<bool, EvaluationError> {
        match self.defined(expr)? {
            Value::Bool(value) => Ok(value),
            other => Err(EvaluationError::new(Cause::Text(format!("expected a bool, got {}", other.kind())), expr)),
        }
    }

    fn step(&mut self, expr: &'a Expr) -> Result<Value<'a>, StepError> {
        self.budget.steps(1)?;
        Ok(match &expr.kind {
            ExprKind::Literal(literal) => literal.value(),
            ExprKind::Variable(name) => self.variable(name)?,
            ExprKind::Member { of, name, optional } => {
                let of = self.value(of)?;
                member(&of, name, *optional, &mut self.budget)?
            }
            ExprKind::Index { of, index, optional } => {
                let (of, index) = (self.value(of)?, self.defined(index)?);
                element(&of, &index, *optional, &mut self.budget)?
            }
            ExprKind::Slice { of, bounds } => self.slice(of, bounds)?,
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.defined(item)).collect::<Result<_, _>>()?;
                Value::list(items, &mut self.budget)?
            }
            ExprKind::Map(entries) => self.map(entries)?,
            ExprKind::Not(of) => Value::Bool(!self.boolean(of)?),
            ExprKind::Negative(of) => match self.defined(of)? {
                Value::Int(number) => Value::Int(number.checked_neg().ok_or(OVERFLOW)?),
                Value::Float(number) => Value::Float(-number),
                Value::Duration(duration) => operators::duration(duration.checked_neg())?,
                Value::Large(_) => return Err(OVERFLOW.into()),
                other => return Err(Cause::Text(format!("cannot negate a {}", other.kind())).into()),
            },
            ExprKind::Binary { operator, left, right, lenient } => {
                let (left, right) = match lenient {
                    true => (self.value(left)?, self.value(right)?),
                    false => (self.defined(left)?, self.defined(right)?),
                };
                match (operator, &right) {
                    (ExpressionOperator::In | ExpressionOperator::Within, Value::List(list)) => {
                        Value::Bool(self.indexes.contains(list, &left, &mut self.budget)?)
                    }
                    _ => operator.apply(&left, &right, &mut self.budget)?,
                }
            }
            ExprKind::Logical { is_or, left, right } => Value::Bool(self.logical(*is_or, left, right)?),
            ExprKind::Either { is_or, left, right } => {
                let left = self.value(left)?;
                if left.is_truthy() == *is_or { left } else { self.value(right)? }
            }
            ExprKind::Truth(of) => Value::Bool(self.value(of)?.is_truthy()),
            ExprKind::Conditional { test, then, otherwise } => {
                let chosen = if self.boolean(test)? { then } else { otherwise };
                self.value(chosen)?
            }
            ExprKind::Has(of) => Value::Bool(!self.value(of)?.is_undefined()),
            ExprKind::Default { value, otherwise, also_for_false } => {
                let value = self.value(value)?;
                let is_missing = if *also_for_false { !value.is_truthy() } else { value.is_undefined() };
                if is_missing { self.value(otherwise)? } else { value }
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension)?,
            ExprKind::Matches { text, pattern } => match self.defined(text)? {
                Value::Text(text) => Value::Bool(self.pattern(pattern)?.is_in(&text, &mut self.budget)?),
                other => return Err(Cause::Text(format!("expected a string, got {}", other.kind())).into()),
            },
            ExprKind::Call { function, arguments } => {
                let arguments = arguments.iter().map(|argument| match &argument.kind {
                    // An argument that is omitted before a named one.
                    ExprKind::Literal(Literal::Undefined) => Ok(Value::Undefined),
                    _ => self.defined(argument),
                });
                let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
                // Every function may read all of its text arguments.
                let texts =
                    arguments.iter().map(|argument| if let Value::Text(text) = argument { text.len() } else { 0 });
                self.budget.steps(texts.sum::<usize>() / 64)?;
                (function.body)(&mut self.budget, self.scope, &arguments)?
            }
        })
    }

    fn variable(&mut self, name: &str) -> Result<Value<'a>, Cause> {
        self.budget.steps(self.locals.len() / 8)?;
        let local = self.locals.iter().rev().find(|(local, _)| **local == *name);
        Ok(match local {
            Some((_, value)) => value.clone(),
            None => self.scope.variable(name).map_or(Value::Undefined, Value::from_json),
        })
    }

    fn pattern(&mut self, pattern: &'a str) -> Result<Rc<ExpressionPattern>, Cause> {
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let compiled = Rc::new(ExpressionPattern::new(pattern, &mut self.budget)?);
        self.patterns.insert(pattern, compiled.clone());
        Ok(compiled)
    }

    /// As in CEL, an operand that fails does not matter if the other one decides. A failure of the budget always
    /// counts.
    fn logical(&mut self, is_or: bool, left: &'a Expr, right: &'a Expr) -> Result<bool, EvaluationError> {
        match self.boolean(left) {
            Ok(left) if left == is_or => Ok(is_or),
            Ok(_) => self.boolean(right),
            Err(failure) if failure.is_limit() => Err(failure),
            Err(failure) => match self.boolean(right) {
                Ok(right) if right == is_or => Ok(is_or),
                Err(limit) if limit.is_limit() => Err(limit),
                _ => Err(failure),
            },
        }
    }

    fn map(&mut self, entries: &'a [(Expr, Expr)]) -> Result<Value<'a>, StepError> {
        let mut made: Vec<(Text<'a>, Value<'a>)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let Value::Text(name) = self.defined(key)? else {
                return Err(EvaluationError::new(
                    Cause::Message("the keys of a map must be strings; use string(key)"),
                    key,
                )
                .into());
            };
            let value = self.defined(value)?;
            self.budget.steps((1 + made.len() / 8).saturating_mul(1 + name.len() / 64))?;
            match made.iter_mut().find(|(other, _)| **other == *name) {
                Some((_, other)) => *other = value,
                None => made.push((name, value)),
            }
        }
        Ok(Value::map(made, &mut self.budget)?)
    }

    fn slice(&mut self, of: &'a Expr, bounds: &'a [Option<Expr>; 3]) -> Result<Value<'a>, StepError> {
        let of = self.defined(of)?;
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            *number = match self.defined(bound)? {
                Value::Int(value) => Some(value),
                Value::Null => None,
                _ => {
                    return Err(
                        EvaluationError::new(Cause::Message("slice bounds must be whole numbers"), bound).into()
                    );
                }
            };
        }
        Ok(super::functions::slice_value(&of, numbers, &mut self.budget)?)
    }
}

/// A failure of this expression, or of one within it.
pub enum StepError {
    Here(Cause),
    Within(EvaluationError),
}

impl From<Cause> for StepError {
    fn from(cause: Cause) -> Self {
        Self::Here(cause)
    }
}

impl From<EvaluationError> for StepError {
    fn from(failure: EvaluationError) -> Self {
        Self::Within(failure)
    }
}

impl Literal {
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Undefined => Value::Undefined,
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(number) => Value::Int(*number),
            Self::Large(number) => Value::Large(*number),
            Self::Float(number) => Value::Float(*number),
            Self::Text(text) => Value::Text(Text::Borrowed(text)),
        }
    }
}

const _: () = assert!(size_of::<Value>() <= 32, "values are copied at every step");
