//! `$ref`, `allOf`, `anyOf`, `oneOf`, `not`, `if` and `dependentSchemas`: schemas that apply to the same value.

use domain::translated;
use serde_json::Value;

use super::variants::{any_of, one_of};
use crate::schema::checker::Checker;
use crate::schema::findings::Findings;
use crate::schema::path::Path;

pub fn apply<'s>(
    checker: &mut Checker<'s>,
    (keyword, operand): (&str, &'s Value),
    schema: &'s Value,
    value: &Value,
    at: &Path,
    found: &mut Findings,
) {
    let list = || operand.as_array().map(Vec::as_slice).unwrap_or_default();
    match keyword {
        "$ref" => {
            let reference = operand.as_str().unwrap_or_default();
            checker.budget.charge_bytes(reference.len());
            match checker.references.resolve(reference) {
                Some(target) => checker.apply(target, value, at, found),
                None => {
                    let problem = translated!(
                        "its schema refers to a schema that does not exist",
                        "su esquema se refiere a un esquema que no existe"
                    );
                    checker.refuse(at, problem, found);
                }
            }
        }
        "allOf" => {
            for schema in list() {
                if checker.is_done(found) {
                    return;
                }
                checker.apply(schema, value, at, found);
            }
        }
        "anyOf" => any_of(checker, list(), value, at, found),
        "oneOf" => one_of(checker, list(), value, at, found),
        "not" if checker.accepts(operand, value, at) => {
            let problem =
                translated!("must not match the `not` of its schema", "no debe cumplir el `not` de su esquema");
            checker.refuse(at, problem, found);
        }
        "if" => {
            let branch = if checker.accepts(operand, value, at) { "then" } else { "else" };
            if let Some(schema) = schema.get(branch) {
                checker.apply(schema, value, at, found);
            }
        }
        "dependentSchemas" => {
            let Value::Object(entries) = value else { return };
            for (name, schema) in operand.as_object().into_iter().flatten() {
                checker.budget.charge_bytes(name.len());
                if entries.contains_key(name) {
                    checker.apply(schema, value, at, found);
                }
            }
        }
        _ => {}
    }
}
