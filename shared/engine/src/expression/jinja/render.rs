//! Renders a template within the budget.

use std::sync::Arc;

use super::super::budget::{MAX_OUTPUT_BYTES, check_output_size};
use super::super::evaluate::Evaluation;
use super::super::functions::elements;
use super::super::operators::printed;
use super::super::tree::Expr;
use super::super::value::{Text, Value};
use super::super::{Failure, Position, Why};
use super::{BLOCK, For, Statement, Target};

pub struct Rendering<'a> {
    evaluation: Evaluation<'a>,
    printed: String,
}

impl<'a> Rendering<'a> {
    pub fn new(evaluation: Evaluation<'a>) -> Self {
        Self { evaluation, printed: String::new() }
    }

    pub fn text(mut self, body: &'a [Statement]) -> Result<String, Failure> {
        self.block(body)?;
        check_output_size(&self.printed).map_err(nowhere)?;
        Ok(self.printed)
    }

    fn block(&mut self, body: &'a [Statement]) -> Result<(), Failure> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<(), Failure> {
        // Every statement costs a step, also one without an expression or output.
        self.evaluation.budget.steps(1).map_err(nowhere)?;
        match statement {
            Statement::Text(text) => self.print(text).map_err(nowhere),
            Statement::Print(expr) => {
                let value = self.evaluation.defined(expr)?;
                let text = printed(&value, &mut self.evaluation.budget).map_err(|why| Failure::new(why, expr))?;
                self.print(&text).map_err(|why| Failure::new(why, expr))
            }
            Statement::For(walk) => self.walk(walk),
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
                    self.bind(target, found).map_err(|why| Failure::new(why, value))?;
                }
                self.block(body)?;
                self.evaluation.truncate_locals(&mark);
                Ok(())
            }
            Statement::Set { target, value } => self.set(target, value),
            Statement::Capture { name, filter, body } => self.capture(name.as_ref(), filter.as_ref(), body),
        }
    }

    fn print(&mut self, text: &str) -> Result<(), Why> {
        self.evaluation.budget.bytes(text.len())?;
        if self.printed.len() + text.len() > MAX_OUTPUT_BYTES {
            return Err(Why::Limit("the text is larger than 1 MiB; print less"));
        }
        self.printed.push_str(text);
        Ok(())
    }

    fn set(&mut self, target: &'a Target, value: &'a Expr) -> Result<(), Failure> {
        let value_of = self.evaluation.value(value)?;
        self.bind(target, value_of).map_err(|why| Failure::new(why, value))
    }

    fn bind(&mut self, target: &'a Target, value: Value<'a>) -> Result<(), Why> {
        match target {
            Target::Name(name) => self.evaluation.bind(name, value),
            Target::Names(names) => {
                let parts = elements(&value, &mut self.evaluation.budget)?;
                if parts.len() != names.len() {
                    return Err(Why::Message("the number of values differs from the number of names"));
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
    ) -> Result<(), Failure> {
        let around = std::mem::take(&mut self.printed);
        let mark = self.evaluation.mark();
        self.block(body)?;
        self.evaluation.truncate_locals(&mark);
        let captured = std::mem::replace(&mut self.printed, around);
        let mut value = Value::Text(Text::Made(captured.into()));
        if let Some(filter) = filter {
            self.evaluation.bind(&BLOCK.into(), value);
            value = self.evaluation.defined(filter)?;
            self.evaluation.truncate_locals(&mark);
        }
        match name {
            Some(name) => self.evaluation.bind(name, value),
            None => {
                let text = printed(&value, &mut self.evaluation.budget).map_err(nowhere)?;
                self.print(&text).map_err(nowhere)?;
            }
        }
        Ok(())
    }

    fn walk(&mut self, walk: &'a For) -> Result<(), Failure> {
        let over = self.evaluation.defined(&walk.over)?;
        let failed = |why| Failure::new(why, &walk.over);
        let mark = self.evaluation.mark();
        let mut items = elements(&over, &mut self.evaluation.budget).map_err(failed)?;
        if let Some(filter) = &walk.filter {
            let mut kept = Vec::new();
            for item in items {
                self.bind(&walk.target, item.clone()).map_err(failed)?;
                if self.evaluation.boolean(filter)? {
                    kept.push(item);
                }
                self.evaluation.truncate_locals(&mark);
            }
            items = kept;
        }
        if items.is_empty() {
            return self.block(&walk.otherwise);
        }
        for index in 0..items.len() {
            self.evaluation.budget.steps(1).map_err(failed)?;
            self.bind(&walk.target, items[index].clone()).map_err(failed)?;
            if walk.tells_place {
                let place = self.place(&items, index).map_err(failed)?;
                self.evaluation.bind(&"loop".into(), place);
            }
            self.block(&walk.body)?;
            self.evaluation.truncate_locals(&mark);
        }
        Ok(())
    }

    /// Builds the value of the variable `loop`.
    fn place(&mut self, items: &[Value<'a>], index: usize) -> Result<Value<'a>, Why> {
        let (length, neighbour) = (items.len(), |place: Option<usize>| {
            place.and_then(|place| items.get(place)).cloned().unwrap_or(Value::Undefined)
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
        let entries = entries.into_iter().map(|(name, value)| (Text::Given(name), value));
        Value::map(entries.collect(), &mut self.evaluation.budget)
    }
}

/// A failure of a statement without an expression. Only the budget causes one.
fn nowhere(why: Why) -> Failure {
    Failure::at(why, Position { line: 1, column: 1 })
}
