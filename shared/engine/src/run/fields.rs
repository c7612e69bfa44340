//! Evaluates the expressions of a step's configuration.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::outcome::StepError;
use super::scope::add_size;
use crate::compile::PlanStep;
use crate::expression::{EvaluationError, Scope};
use crate::schema::{Path, Program};

const ROOT: &str = "config";

/// The expressions of a step, and the variables that they see.
pub struct Fields<'a> {
    pub step: &'a PlanStep,
    scope: Scope<'a>,
}

impl<'a> Fields<'a> {
    pub fn new(step: &'a PlanStep, variables: &'a Map<String, Value>, now: Timestamp) -> Self {
        Self { step, scope: Scope::new(variables, now) }
    }

    /// The number of steps that the expressions have taken so far.
    pub fn steps(&self) -> u64 {
        self.scope.steps()
    }

    /// The value of an expression, such as `expression` or `cases[0].expression`; none if the field is not set.
    pub fn value(&self, field: &str) -> Result<Option<Value>, StepError> {
        let path = format!("{ROOT}.{field}");
        self.step.programs.get(&path).map(|program| self.evaluate(&path, program)).transpose()
    }

    /// The value of a condition; false if the field is not set.
    pub fn holds(&self, field: &str) -> Result<bool, StepError> {
        let path = format!("{ROOT}.{field}");
        match self.step.programs.get(&path) {
            Some(Program::Condition(expression)) => {
                expression.holds(&self.scope).map_err(|error| describe(&path, &error))
            }
            _ => Ok(false),
        }
    }

    /// The configuration with the value of each expression in its place.
    pub fn config(&self) -> Result<Map<String, Value>, StepError> {
        let root = Path::Root(ROOT);
        let mut bytes = 0;
        let fields = self.step.config.iter();
        fields.map(|(name, value)| Ok((name.clone(), self.replace(&root.name(name), value, &mut bytes)?))).collect()
    }

    /// `bytes` is the size of the values so far.
    fn replace(&self, at: &Path, value: &Value, bytes: &mut usize) -> Result<Value, StepError> {
        match value {
            Value::String(_) => {
                let path = at.full();
                match self.step.programs.get(&path) {
                    Some(program) => {
                        let value = self.evaluate(&path, program)?;
                        *bytes = add_size(*bytes, &value)?;
                        Ok(value)
                    }
                    None => Ok(value.clone()),
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.replace(&at.index(index), item, bytes)).collect()
            }
            Value::Object(fields) => {
                let fields = fields.iter();
                let replaced =
                    fields.map(|(name, value)| Ok((name.clone(), self.replace(&at.name(name), value, bytes)?)));
                replaced.collect::<Result<_, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    fn evaluate(&self, path: &str, program: &Program) -> Result<Value, StepError> {
        let value = match program {
            Program::Condition(expression) => expression.evaluate(&self.scope).map(|(value, _)| value),
            Program::Text(template) => template.render(&self.scope).map(Value::String),
        };
        value.map_err(|error| describe(path, &error))
    }
}

fn describe(path: &str, error: &EvaluationError) -> StepError {
    StepError::new(error.code.as_str(), format!("{path}: {error}"))
}
