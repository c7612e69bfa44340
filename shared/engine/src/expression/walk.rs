//! Comprehensions over lists and maps: the macros of CEL, and the filters of Jinja that take a test or an attribute.

use super::evaluate::{Evaluation, Stop};
use super::functions::elements;
use super::tree::{Each, Expr, Walk};
use super::value::{Text, Value};
use super::{Failure, Why};

type Steps<'a> = Box<dyn Iterator<Item = (Value<'a>, Option<Value<'a>>)> + 'a>;

impl<'a> Evaluation<'a> {
    pub fn walk(&mut self, each: &'a Each) -> Result<Value<'a>, Stop> {
        let over = self.defined(&each.over)?;
        let steps = self.steps_of(&over, each).map_err(|why| Failure::new(why, &each.over))?;
        let mark = self.mark();
        let (mut collected, mut entries, mut found, mut failed) = (Vec::new(), Vec::new(), 0, None);
        for (first, second) in steps {
            self.truncate_locals(&mark);
            self.bind(&each.variable, first.clone());
            if let (Some(name), Some(second)) = (&each.second, second) {
                self.bind(name, second);
            }
            let counts = match each.filter.as_ref().map(|filter| self.boolean(filter)) {
                None => true,
                Some(Ok(counts)) => counts,
                // As with `||` and `&&`, a failure for one element does not matter if another one decides.
                Some(Err(failure)) if matches!(each.what, Walk::All | Walk::Exists) && !failure.is_limit() => {
                    failed.get_or_insert(failure);
                    continue;
                }
                Some(Err(failure)) => return Err(failure.into()),
            };
            match each.what {
                Walk::All if !counts => {
                    self.truncate_locals(&mark);
                    return Ok(Value::Bool(false));
                }
                Walk::Exists if counts => {
                    self.truncate_locals(&mark);
                    return Ok(Value::Bool(true));
                }
                Walk::ExistsOne if counts => found += 1,
                Walk::Collect if counts => collected.push(self.result(each.result.as_ref(), first)?),
                Walk::CollectMap if counts => {
                    let Value::Text(key) = first.clone() else {
                        return Err(Failure::new(
                            Why::Message("the keys of a map must be strings; use string(key)"),
                            &each.over,
                        )
                        .into());
                    };
                    entries.push((key, self.result(each.result.as_ref(), first)?));
                }
                _ => {}
            }
        }
        self.truncate_locals(&mark);
        if let Some(failure) = failed {
            return Err(failure.into());
        }
        Ok(match each.what {
            Walk::All => Value::Bool(true),
            Walk::Exists => Value::Bool(false),
            Walk::ExistsOne => Value::Bool(found == 1),
            Walk::Collect => Value::list(collected, &mut self.budget)?,
            Walk::CollectMap => Value::map(entries, &mut self.budget)?,
        })
    }

    fn result(&mut self, result: Option<&'a Expr>, element: Value<'a>) -> Result<Value<'a>, Failure> {
        result.map_or(Ok(element), |result| self.defined(result))
    }

    /// Returns the values of the variables for each step: an element, or with two variables index and element, or key
    /// and value.
    fn steps_of(&mut self, over: &Value<'a>, each: &Each) -> Result<Steps<'a>, Why> {
        if let (Value::Map(entries), Some(_)) = (over, &each.second) {
            self.budget.bytes(entries.len() * size_of::<(Text, Value)>())?;
            let entries: Vec<_> = entries.iter().collect();
            return Ok(Box::new(entries.into_iter().map(|(key, value)| (Value::Text(key), Some(value)))));
        }
        let elements = elements(over, &mut self.budget)?.into_iter();
        Ok(match &each.second {
            None => Box::new(elements.map(|element| (element, None))),
            Some(_) => Box::new((0..).map(Value::Int).zip(elements.map(Some))),
        })
    }
}
