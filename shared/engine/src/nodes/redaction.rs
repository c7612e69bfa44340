//! The field `redact` of every node: the parts of its input and output that are masked in what is stored of a run.

use super::NodeKind;
use super::schedule::ScheduleNode;
use serde_json::{Map, Value, json};

const FIELD: &str = "redact";
/// Each element of an array, or each field of an object.
const ANY: &str = "*";

/// The masked parts of a node.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    input: Vec<FieldPath>,
    output: Vec<FieldPath>,
}

/// The names from a value to one of its parts. Without names, it is the whole value.
type FieldPath = Vec<String>;

impl Redaction {
    /// Reads the field of a configuration. Paths that are not valid are left out; the compiler reports them.
    pub fn read(config: &Map<String, Value>) -> Self {
        let mut redaction = Self::default();
        let paths = config.get(FIELD).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for path in paths {
            let mut names = path.split('.').map(str::to_owned);
            match names.next().as_deref() {
                Some("input") => redaction.input.push(names.collect()),
                Some("output") => redaction.output.push(names.collect()),
                _ => {}
            }
        }
        redaction
    }

    /// What is masked in the values of a node with `each`, of which `self` masks the parts of one element and of its result.
    pub fn for_list(&self) -> Self {
        let in_each = |path: &FieldPath| [&[ANY.to_owned()], &path[..]].concat();
        // The list may be the input itself.
        let input = self.input.iter().cloned().chain(self.input.iter().map(in_each)).collect();
        Self { input, output: self.output.iter().map(in_each).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.output.is_empty()
    }

    /// Calls `change` with each masked part of an input.
    pub fn each_in_input(&self, input: &mut Value, change: &mut impl FnMut(&mut Value)) {
        self.input.iter().for_each(|path| each_part(input, path, change));
    }

    /// Calls `change` with each masked part of the input of a run, which is the input and the output of its trigger.
    pub fn each_in_run_input(&self, input: &mut Value, change: &mut impl FnMut(&mut Value)) {
        self.each_in_input(input, change);
        self.each_in_output(input, change);
    }

    /// Calls `change` with each masked part of an output.
    pub fn each_in_output(&self, output: &mut Value, change: &mut impl FnMut(&mut Value)) {
        self.output.iter().for_each(|path| each_part(output, path, change));
    }
}

fn each_part(value: &mut Value, path: &[String], change: &mut impl FnMut(&mut Value)) {
    let Some((name, rest)) = path.split_first() else { return change(value) };
    match value {
        Value::Array(items) if name == ANY => items.iter_mut().for_each(|item| each_part(item, rest, change)),
        Value::Array(items) => {
            let item = name.parse().ok().and_then(|index: usize| items.get_mut(index));
            item.into_iter().for_each(|item| each_part(item, rest, change));
        }
        Value::Object(fields) if name == ANY => fields.values_mut().for_each(|field| each_part(field, rest, change)),
        Value::Object(fields) => fields.get_mut(name).into_iter().for_each(|field| each_part(field, rest, change)),
        _ => {}
    }
}

/// Adds the field to the schema of a type. The input of a schedule is part of the graph, so it is no secret.
pub fn with_field(node_type: &str, mut schema: Value) -> Value {
    if node_type == ScheduleNode::NAME {
        return schema;
    }
    schema["properties"][FIELD] = json!({
        "type": "array", "maxItems": 20,
        "description": "The parts of the input and output that nobody may read in stored runs, such as `input.card` or \
            `output.items.*.iban`. Name a part at the node where it enters the run: what was stored before stays readable. \
            The parts are shown as `***` and stored encrypted. Their key is deleted an hour after the end of the run. \
            Texts of at least 6 bytes are also masked in what later nodes store.",
        "items": {"type": "string", "maxLength": 200, "pattern": r"^(input|output)(\.[^.]+){0,10}$"},
    });
    schema
}

/// Removes the field from a configuration.
pub fn without_field(mut config: Map<String, Value>) -> Map<String, Value> {
    config.remove(FIELD);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_parts() {
        let value = json!({"card": {"number": 1, "cvc": 2}, "items": [{"iban": "a"}, {"iban": "b"}, {}], "amount": 5});
        let cases = [
            ("input.card", json!([{"number": 1, "cvc": 2}])),
            ("input.card.*", json!([1, 2])),
            ("input.items.*.iban", json!(["a", "b"])),
            ("input.items.1.iban", json!(["b"])),
            ("input.amount.none", json!([])),
            ("input.none", json!([])),
            ("input", json!([value])),
            ("output.card", json!([])),
        ];
        for (path, expected) in cases {
            let redaction = Redaction::read(&Map::from_iter([(FIELD.to_owned(), json!([path]))]));
            let mut found = Vec::new();
            redaction.each_in_input(&mut value.clone(), &mut |part| found.push(part.clone()));
            assert_eq!(Value::Array(found), expected, "{path}");
        }
    }
}
