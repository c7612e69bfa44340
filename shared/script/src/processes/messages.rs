//! What a process and its server send each other, as JSON. Values of scripts are JSON within a text: nested values would
//! reach the parser's limit of nesting earlier than in a process without a server.

use std::borrow::Cow;

use engine::script::SourceForm;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::engine::{Request, execute_in};
use crate::limits::Limits;
use crate::outcome::{ConsoleLine, Outcome, ScriptError, SyntaxProblem};
use crate::sandbox::Sandbox;

#[derive(Serialize, Deserialize)]
pub enum Task<'a> {
    Check { source: Cow<'a, str>, form: SourceForm },
    Execute(ExecuteTask<'a>),
}

#[derive(Serialize, Deserialize)]
pub struct ExecuteTask<'a> {
    source: Cow<'a, str>,
    form: SourceForm,
    globals: Vec<(Cow<'a, str>, String)>,
    now_ms: i64,
    seed: u64,
    view: Option<String>,
    pub limits: Limits,
}

impl<'a> ExecuteTask<'a> {
    pub fn new(request: &Request<'a>) -> Self {
        let Request { source, form, globals, now_ms, seed, view, limits } = *request;
        let globals = globals.iter().map(|(name, value)| (name.into(), value.to_string())).collect();
        Self { source: source.into(), form, globals, now_ms, seed, view: view.map(ToString::to_string), limits }
    }

    pub fn run(&self, sandbox: &Sandbox) -> Result<ExecutedTask, ScriptError> {
        let parse = |(name, value): &(Cow<'_, str>, String)| Ok((name.to_string(), serde_json::from_str(value)?));
        let globals = self.globals.iter().map(parse).collect::<serde_json::Result<Map<_, _>>>();
        let globals = globals.map_err(|error| ScriptError::Engine(error.to_string()))?;
        let view: Option<serde_json::Value> = self
            .view
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| ScriptError::Engine(error.to_string()))?;
        let Self { ref source, form, now_ms, seed, limits, .. } = *self;
        let request = Request { source, form, globals: &globals, now_ms, seed, view: view.as_ref(), limits };
        let Outcome { value, console, work } = execute_in(sandbox, &request)?;
        Ok(ExecutedTask { value: value.to_string(), console, work })
    }
}

#[derive(Serialize, Deserialize)]
pub struct ExecutedTask {
    value: String,
    console: Vec<ConsoleLine>,
    work: u64,
}

impl ExecutedTask {
    pub fn into_outcome(self) -> Result<Outcome, ScriptError> {
        let Self { value, console, work } = self;
        match serde_json::from_str(&value) {
            Ok(value) => Ok(Outcome { value, console, work }),
            Err(error) => Err(ScriptError::Result { message: error.to_string(), console }),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub enum Answer {
    Checked(Result<(), SyntaxProblem>),
    Executed(Result<ExecutedTask, ScriptError>),
}
