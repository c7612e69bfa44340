//! Renders conditions and changes as DynamoDB's expressions. No other module has their text.
//!
//! Each name gets an alias, because many attribute names are reserved words of DynamoDB, and each value a placeholder.

use std::collections::HashMap;
use std::mem::take;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::condition::{Condition, Path};
use crate::write::Change;

/// The names and values of the expressions of one call.
#[derive(Debug, Default)]
pub struct Expressions {
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expressions {
    pub fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Exists(path) => format!("attribute_exists({})", self.name(path)),
            Condition::Missing(path) => format!("attribute_not_exists({})", self.name(path)),
            Condition::Compare(path, comparison, value) => {
                format!("{} {} {}", self.name(path), comparison.operator(), self.value(value))
            }
            Condition::Between(path, from, to) => {
                format!("{} BETWEEN {} AND {}", self.name(path), self.value(from), self.value(to))
            }
            Condition::Contains(path, part) => {
                format!("contains({}, {})", self.name(path), self.value(&AttributeValue::S(part.clone())))
            }
            Condition::OneOf(path, values) => {
                let values: Vec<_> = values.iter().map(|value| self.value(value)).collect();
                format!("{} IN ({})", self.name(path), values.join(", "))
            }
            Condition::And(all) => self.joined(all, " AND "),
            Condition::Or(any) => self.joined(any, " OR "),
        }
    }

    fn joined(&mut self, conditions: &[Condition], operator: &str) -> String {
        let parts = conditions.iter().map(|condition| match condition {
            Condition::And(_) | Condition::Or(_) => format!("({})", self.condition(condition)),
            _ => self.condition(condition),
        });
        parts.collect::<Vec<_>>().join(operator)
    }

    pub fn update(&mut self, changes: &[Change]) -> String {
        let (mut set, mut add, mut remove) = (Vec::new(), Vec::new(), Vec::new());
        for change in changes {
            match change {
                Change::Set(path, value) => set.push(format!("{} = {}", self.name(path), self.value(value))),
                Change::Increase(path, by) => {
                    let name = self.name(path);
                    set.push(format!("{name} = {name} + {}", self.value(by)));
                }
                Change::Add(path, number) => add.push(format!("{} {}", self.name(path), self.value(number))),
                Change::Remove(path) => remove.push(self.name(path)),
            }
        }
        let clauses = [("SET", set), ("ADD", add), ("REMOVE", remove)].into_iter();
        let clauses = clauses.filter(|(_, actions)| !actions.is_empty());
        clauses.map(|(verb, actions)| format!("{verb} {}", actions.join(", "))).collect::<Vec<_>>().join(" ")
    }

    /// Takes the names of the aliases, after all expressions were rendered. DynamoDB refuses an empty map.
    pub fn names(&mut self) -> Option<HashMap<String, String>> {
        Some(take(&mut self.names)).filter(|names| !names.is_empty())
    }

    /// Takes the values of the placeholders.
    pub fn values(&mut self) -> Option<HashMap<String, AttributeValue>> {
        Some(take(&mut self.values)).filter(|values| !values.is_empty())
    }

    fn name(&mut self, path: &Path) -> String {
        let mut name = self.alias(&path.attribute);
        for field in &path.fields {
            name = name + "." + &self.alias(field);
        }
        name
    }

    /// The alias of a name, which is the name itself where DynamoDB allows its characters.
    fn alias(&mut self, name: &str) -> String {
        let is_plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let alias = if is_plain { format!("#{name}") } else { format!("#_{}", self.names.len()) };
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: &AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Attribute;

    const STATE: Attribute<String> = Attribute::new("state");
    const COUNT: Attribute<u64> = Attribute::new("count");

    #[test]
    fn conditions_are_rendered_with_aliases_placeholders_and_parentheses() {
        let mut expressions = Expressions::default();
        let room = COUNT.is_missing().or(COUNT.is_less_than(5));
        let condition = STATE.exists().and(room).and(STATE.is_one_of(&["a".to_owned(), "b".to_owned()]));
        let text =
            "attribute_exists(#state) AND (attribute_not_exists(#count) OR #count < :v0) AND #state IN (:v1, :v2)";
        assert_eq!(expressions.condition(&condition), text);
        assert_eq!(expressions.names().unwrap()["#count"], "count");
        assert_eq!(expressions.values().unwrap()[":v2"], AttributeValue::S("b".to_owned()));
    }

    #[test]
    fn changes_are_grouped_by_their_verbs() {
        struct Head {
            state: String,
            count: u64,
        }
        let head = || Attribute::<Head>::new("head");
        let changes = [
            Change::Remove(STATE.path()),
            Change::Set(head().field("state", |head| &head.state).path(), AttributeValue::S("a".to_owned())),
            Change::Add(COUNT.path(), AttributeValue::N("1".to_owned())),
            Change::Increase(head().field("count", |head| &head.count).path(), AttributeValue::N("2".to_owned())),
        ];
        let text = "SET #head.#state = :v0, #head.#count = #head.#count + :v2 ADD #count :v1 REMOVE #state";
        assert_eq!(Expressions::default().update(&changes), text);
    }

    #[test]
    fn a_name_with_any_characters_gets_a_numbered_alias() {
        let mut expressions = Expressions::default();
        let change = Change::Add(Attribute::<u64>::named("n:a b".to_owned()).path(), AttributeValue::N("1".to_owned()));
        assert_eq!(expressions.update(&[change]), "ADD #_0 :v0");
        assert_eq!(expressions.names().unwrap()["#_0"], "n:a b");
    }
}
