//! Comprehensions over lists and maps: the macros of CEL, and the filters of Jinja that take a test or an attribute.

use super::evaluate::{Evaluation, StepError};
use super::functions::elements;
use super::tree::{Comprehension, ComprehensionKind, Expr};
use super::value::{Text, Value};
use super::{Cause, EvaluationError};

type Iterations<'a> = Box<dyn Iterator<Item = (Value<'a>, Option<Value<'a>>)> + 'a>;

impl<'a> Evaluation<'a> {
    pub fn comprehension(&mut self, comprehension: &'a Comprehension) -> Result<Value<'a>, StepError> {
        let over = self.defined(&comprehension.over)?;
        let steps =
            self.steps_of(&over, comprehension).map_err(|cause| EvaluationError::new(cause, &comprehension.over))?;
        let mark = self.mark();
        let (mut collected, mut entries, mut found, mut failed) = (Vec::new(), Vec::new(), 0, None);
        for (first, second) in steps {
            self.truncate_locals(&mark);
            self.bind(&comprehension.variable, first.clone());
            if let (Some(name), Some(second)) = (&comprehension.second, second) {
                self.bind(name, second);
            }
            let counts = match comprehension.filter.as_ref().map(|filter| self.boolean(filter)) {
                None => true,
                Some(Ok(counts)) => counts,
                // As with `||` and `&&`, a failure for one element does not matter if another one decides.
                Some(Err(failure))
                    if matches!(comprehension.kind, ComprehensionKind::All | ComprehensionKind::Exists)
                        && !failure.is_limit() =>
                {
                    failed.get_or_insert(failure);
                    continue;
                }
                Some(Err(failure)) => return Err(failure.into()),
            };
            match comprehension.kind {
                ComprehensionKind::All if !counts => {
                    self.truncate_locals(&mark);
                    return Ok(Value::Bool(false));
                }
                ComprehensionKind::Exists if counts => {
                    self.truncate_locals(&mark);
                    return Ok(Value::Bool(true));
                }
                ComprehensionKind::ExistsOne if counts => found += 1,
                ComprehensionKind::Collect if counts => {
                    collected.push(self.result(comprehension.result.as_ref(), first)?)
                }
                ComprehensionKind::CollectMap if counts => {
                    let Value::Text(key) = first.clone() else {
                        return Err(EvaluationError::new(
                            Cause::Message("the keys of a map must be strings; use string(key)"),
                            &comprehension.over,
                        )
                        .into());
                    };
                    entries.push((key, self.result(comprehension.result.as_ref(), first)?));
                }
                _ => {}
            }
        }
        self.truncate_locals(&mark);
        if let Some(failure) = failed {
            return Err(failure.into());
        }
        Ok(match comprehension.kind {
            ComprehensionKind::All => Value::Bool(true),
            ComprehensionKind::Exists => Value::Bool(false),
            ComprehensionKind::ExistsOne => Value::Bool(found == 1),
            ComprehensionKind::Collect => Value::list(collected, &mut self.budget)?,
            ComprehensionKind::CollectMap => Value::map(entries, &mut self.budget)?,
        })
    }

    fn result(&mut self, result: Option<&'a Expr>, element: Value<'a>) -> Result<Value<'a>, EvaluationError> {
        result.map_or(Ok(element), |result| self.defined(result))
    }

    /// Returns the values of the variables for each step: an element, or with two variables index and element, or key
    /// and value.
    fn steps_of(&mut self, over: &Value<'a>, comprehension: &Comprehension) -> Result<Iterations<'a>, Cause> {
        if let (Value::Map(entries), Some(_)) = (over, &comprehension.second) {
            self.budget.bytes(entries.len() * size_of::<(Text, Value)>())?;
            let entries: Vec<_> = entries.iter().collect();
            return Ok(Box::new(entries.into_iter().map(|(key, value)| (Value::Text(key), Some(value)))));
        }
        let elements = elements(over, &mut self.budget)?.into_iter();
        Ok(match &comprehension.second {
            None => Box::new(elements.map(|element| (element, None))),
            Some(_) => Box::new((0..).map(Value::Int).zip(elements.map(Some))),
        })
    }
}
