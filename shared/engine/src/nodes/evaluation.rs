//! Evaluates the expressions of a step's configuration.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{NodeAction, NodeResult, Operation, each, item_mode, own_fields};
use crate::expression::{EvaluationError, Scope};
use crate::schema::{Path, Program};
use crate::script::{ConsoleLine, ExecutedScript, Script, SourceForm, Surroundings, type_of};
use crate::value_size::add_size;
use domain::run::StepError;

const ROOT: &str = "config";
/// The steps after which no further script of a node begins. It is the limit of one script.
const MAX_SCRIPT_WORK: u64 = 50_000_000;

/// The maps of templates of an `http` node. JavaScript that gives null leaves its entry out of them.
const TEXT_MAPS: [&str; 3] = ["config.headers", "config.query", "config.body.fields"];

/// The expressions of a step, and the variables that they see.
pub struct Fields<'a> {
    config: &'a Map<String, Value>,
    programs: &'a BTreeMap<String, Program>,
    /// The input of the step.
    pub input: &'a Arc<Value>,
    surroundings: Surroundings<'a>,
    scope: Scope<'a>,
    script_work: Cell<u64>,
    console: RefCell<Vec<ConsoleLine>>,
}

impl<'a> Fields<'a> {
    pub fn new(
        (config, programs): (&'a Map<String, Value>, &'a BTreeMap<String, Program>),
        input: &'a Arc<Value>,
        surroundings: Surroundings<'a>,
    ) -> Self {
        let scope = Scope::new(surroundings.variables, surroundings.now);
        let (script_work, console) = Default::default();
        Self { config, programs, input, surroundings, scope, script_work, console }
    }

    /// The number of steps that the expressions and scripts have taken so far.
    pub fn steps(&self) -> u64 {
        self.scope.steps() + self.script_work.get()
    }

    /// What the scripts wrote to their console.
    pub fn take_console(&self) -> Vec<ConsoleLine> {
        self.console.take()
    }

    /// The value of an expression, such as `expression` or `cases[0].expression`; none if the field is not set.
    pub fn value(&self, field: &str) -> Result<Option<Value>, StepError> {
        let path = format!("{ROOT}.{field}");
        self.programs.get(&path).map(|program| self.run_program(&path, program)).transpose()
    }

    /// The value of a condition; false if the field is not set.
    pub fn holds(&self, field: &str) -> Result<bool, StepError> {
        let path = format!("{ROOT}.{field}");
        match self.programs.get(&path) {
            Some(Program::Condition(expression)) => {
                expression.holds(&self.scope).map_err(|error| describe(&path, &error))
            }
            Some(Program::Script(script)) => match self.run_script(&path, script)? {
                Value::Bool(holds) => Ok(holds),
                other => Err(not_a_condition(&path, &other)),
            },
            _ => Ok(false),
        }
    }

    /// The value of a template; empty if the field is not set.
    pub fn text(&self, field: &str) -> Result<String, StepError> {
        match self.value(field)? {
            Some(Value::String(text)) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    /// The effect of the node: an operation with its configuration, in which each expression is replaced by its value.
    pub fn perform<C: DeserializeOwned>(&self, operation: impl FnOnce(C) -> Operation) -> NodeResult {
        Ok(NodeAction::Due(operation(self.evaluate()?).into()))
    }

    /// The configuration of the node, in which each expression is replaced by its value.
    pub fn evaluate<C: DeserializeOwned>(&self) -> Result<C, StepError> {
        // The cause could contain a value.
        let invalid = |_| StepError::new("invalid_config", "the configuration of the node is not valid; save it again");
        C::deserialize(Value::Object(own_fields(self.config()?))).map_err(invalid)
    }

    /// All fields of the configuration with the value of each expression in its place. The list of `each` and the result of
    /// `itemMode` are left out: they are evaluated before and after all elements.
    pub fn config(&self) -> Result<Map<String, Value>, StepError> {
        let root = Path::Root(ROOT);
        let mut bytes = 0;
        let fields = self.config.iter().filter(|(name, _)| ![each::FIELD, item_mode::FIELD].contains(&name.as_str()));
        fields.map(|(name, value)| Ok((name.clone(), self.replace(&root.name(name), value, &mut bytes)?))).collect()
    }

    /// `bytes` is the size of the values so far.
    fn replace(&self, at: &Path, value: &Value, bytes: &mut usize) -> Result<Value, StepError> {
        if let Value::String(_) | Value::Object(_) = value {
            let path = at.full();
            if let Some(program) = self.programs.get(&path) {
                let value = self.run_program(&path, program)?;
                *bytes = add_size(*bytes, &value)?;
                return Ok(value);
            }
        }
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.replace(&at.index(index), item, bytes)).collect()
            }
            Value::Object(fields) => {
                let mut replaced = Map::new();
                let is_text_map = TEXT_MAPS.contains(&at.full().as_str());
                for (name, value) in fields {
                    let at = at.name(name);
                    if is_text_map && let Some(Program::TextScript(script)) = self.programs.get(&at.full()) {
                        let value = self.run_script(&at.full(), script)?;
                        if !value.is_null() {
                            *bytes = add_size(*bytes, &value)?;
                            replaced.insert(name.clone(), into_text(value).into());
                        }
                    } else {
                        replaced.insert(name.clone(), self.replace(&at, value, bytes)?);
                    }
                }
                Ok(Value::Object(replaced))
            }
            other => Ok(other.clone()),
        }
    }

    fn run_program(&self, path: &str, program: &Program) -> Result<Value, StepError> {
        let value = match program {
            Program::Condition(expression) => expression.evaluate(&self.scope).map(|(value, _)| value),
            Program::Text(template) => template.render(&self.scope).map(Value::String),
            Program::Script(script) => return self.run_script(path, script),
            Program::TextScript(script) => return self.run_script(path, script).map(into_text).map(Value::String),
        };
        value.map_err(|error| describe(path, &error))
    }

    fn run_script(&self, path: &str, script: &Script) -> Result<Value, StepError> {
        if self.script_work.get() > MAX_SCRIPT_WORK {
            let message = format!(
                "{path}: the JavaScript of this node takes too many steps in all; use a node `code` for a part of it"
            );
            return Err(StepError::new("code_limit", message));
        }
        let ExecutedScript { result, work, console } = script.execute(path, &self.surroundings);
        self.script_work.set(self.script_work.get().saturating_add(work));
        self.console.borrow_mut().extend(console);
        result.map_err(|error| match script.form {
            SourceForm::Body => error,
            SourceForm::Expression => StepError { message: format!("{path}: {}", error.message), ..error },
        })
    }
}

/// The text that a script gives for a template: null is empty, and what is neither null nor a text is written as JSON.
fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn not_a_condition(path: &str, value: &Value) -> StepError {
    StepError::new(
        "code_result",
        format!("{path}: the JavaScript must give true or false, but its value is {}", type_of(value)),
    )
}

fn describe(path: &str, error: &EvaluationError) -> StepError {
    StepError::new(error.code.as_str(), format!("{path}: {error}"))
}
