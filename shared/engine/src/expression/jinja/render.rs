//! Renders a template within the budget.

use std::sync::Arc;

use super::super::budget::check_output_size;
use super::super::evaluate::Evaluation;
use super::super::functions::elements;
use super::super::operators::format_value;
use super::super::tree::Expr;
use super::super::value::{Text, Value};
use super::super::{Cause, EvaluationError, TextPosition};
use super::{BLOCK, For, Statement, Target};
use crate::value_size::MAX_VALUE_BYTES;

pub struct Rendering<'a> {
    evaluation: Evaluation<'a>,
    printed: String,
}

impl<'a> Rendering<'a> {
    pub fn new(evaluation: Evaluation<'a>) -> Self {
        Self { evaluation, printed: String::new() }
    }

    pub fn text(mut self, body: &'a [Statement]) -> Result<String, EvaluationError> {
        self.block(body)?;
        check_output_size(&self.printed).map_err(failure_without_position)?;
        Ok(self.printed)
    }

    fn block(&mut self, body: &'a [Statement]) -> Result<(), EvaluationError> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<(), EvaluationError> {
        // Every statement costs a step, also one without an expression or output.
        self.evaluation.budget.steps(1).map_err(failure_without_position)?;
        match statement {
            Statement::Text(text) => self.print(text).map_err(failure_without_position),
            Statement::Print(expr) => {
                let value = self.evaluation.defined(expr)?;
                let text = format_value(&value, &mut self.evaluation.budget)
                    .map_err(|cause| EvaluationError::new(cause, expr))?;
                self.print(&text).map_err(|cause| EvaluationError::new(cause, expr))
            }
            Statement::For(for_loop) => self.render_loop(for_loop),
            Statement::If(branches) => {
                for (test, body) in branches {
                    let holds = match test {
                        Some(test) => self.evaluation.boolean(test)?,
                        None => true,
                    };
                    if holds {
                        return self.block(body);
                    }
                }
                Ok(())
            }
            Statement::With { values, body } => {
                let mark = self.evaluation.mark();
                // The values are evaluated before any of them is bound.
                let found =
                    values.iter().map(|(_, value)| self.evaluation.value(value)).collect::<Result<Vec<_>, _>>()?;
                for ((target, value), found) in values.iter().zip(found) {
                    self.bind(target, found).map_err(|cause| EvaluationError::new(cause, value))?;
                }
                self.block(body)?;
                self.evaluation.truncate_locals(&mark);
                Ok(())
            }
            Statement::Set { target, value } => self.set(target, value),
            Statement::Capture { name, filter, body } => self.capture(name.as_ref(), filter.as_ref(), body),
        }
    }

    fn print(&mut self, text: &str) -> Result<(), Cause> {
        self.evaluation.budget.bytes(text.len())?;
        if self.printed.len() + text.len() > MAX_VALUE_BYTES {
            return Err(Cause::Limit("the text is larger than 1 MiB; print less"));
        }
        self.printed.push_str(text);
        Ok(())
    }

    fn set(&mut self, target: &'a Target, value: &'a Expr) -> Result<(), EvaluationError> {
        let value_of = self.evaluation.value(value)?;
        self.bind(target, value_of).map_err(|cause| EvaluationError::new(cause, value))
    }

    fn bind(&mut self, target: &'a Target, value: Value<'a>) -> Result<(), Cause> {
        match target {
            Target::Name(name) => self.evaluation.bind(name, value),
            Target::Names(names) => {
                let parts = elements(&value, &mut self.evaluation.budget)?;
                if parts.len() != names.len() {
                    return Err(Cause::Message("the number of values differs from the number of names"));
                }
                names.iter().zip(parts).for_each(|(name, part)| self.evaluation.bind(name, part));
            }
        }
        Ok(())
    }

    fn capture(
        &mut self,
        name: Option<&Arc<str>>,
        filter: Option<&'a Expr>,
        body: &'a [Statement],
    ) -> Result<(), EvaluationError> {
        let around = std::mem::take(&mut self.printed);
        let mark = self.evaluation.mark();
        self.block(body)?;
        self.evaluation.truncate_locals(&mark);
        let captured = std::mem::replace(&mut self.printed, around);
        let mut value = Value::Text(Text::Owned(captured.into()));
        if let Some(filter) = filter {
            self.evaluation.bind(&BLOCK.into(), value);
            value = self.evaluation.defined(filter)?;
            self.evaluation.truncate_locals(&mark);
        }
        match name {
            Some(name) => self.evaluation.bind(name, value),
            None => {
                let text = format_value(&value, &mut self.evaluation.budget).map_err(failure_without_position)?;
                self.print(&text).map_err(failure_without_position)?;
            }
        }
        Ok(())
    }

    fn render_loop(&mut self, for_loop: &'a For) -> Result<(), EvaluationError> {
        let over = self.evaluation.defined(&for_loop.over)?;
        let failed = |cause| EvaluationError::new(cause, &for_loop.over);
        let mark = self.evaluation.mark();
        let mut items = elements(&over, &mut self.evaluation.budget).map_err(failed)?;
        if let Some(filter) = &for_loop.filter {
            let mut kept = Vec::new();
            for item in items {
                self.bind(&for_loop.target, item.clone()).map_err(failed)?;
                if self.evaluation.boolean(filter)? {
                    kept.push(item);
                }
                self.evaluation.truncate_locals(&mark);
            }
            items = kept;
        }
        if items.is_empty() {
            return self.block(&for_loop.otherwise);
        }
        for index in 0..items.len() {
            self.evaluation.budget.steps(1).map_err(failed)?;
            self.bind(&for_loop.target, items[index].clone()).map_err(failed)?;
            if for_loop.uses_loop {
                let loop_value = self.loop_value(&items, index).map_err(failed)?;
                self.evaluation.bind(&"loop".into(), loop_value);
            }
            self.block(&for_loop.body)?;
            self.evaluation.truncate_locals(&mark);
        }
        Ok(())
    }

    /// Builds the value of the variable `loop`.
    fn loop_value(&mut self, items: &[Value<'a>], index: usize) -> Result<Value<'a>, Cause> {
        let (length, neighbour) = (items.len(), |index: Option<usize>| {
            index.and_then(|index| items.get(index)).cloned().unwrap_or(Value::Undefined)
        });
        let int = |number: usize| Value::Int(number as i64);
        let entries = [
            ("index", int(index + 1)),
            ("index0", int(index)),
            ("revindex", int(length - index)),
            ("revindex0", int(length - index - 1)),
            ("first", Value::Bool(index == 0)),
            ("last", Value::Bool(index + 1 == length)),
            ("length", int(length)),
            ("previtem", neighbour(index.checked_sub(1))),
            ("nextitem", neighbour(index.checked_add(1))),
        ];
        let entries = entries.into_iter().map(|(name, value)| (Text::Borrowed(name), value));
        Value::map(entries.collect(), &mut self.evaluation.budget)
    }
}

/// A failure of a statement without an expression. Only the budget causes one.
fn failure_without_position(cause: Cause) -> EvaluationError {
    EvaluationError::at(cause, TextPosition { line: 1, column: 1 })
}
