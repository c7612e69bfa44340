//! The node type `transform`: computes a value from others.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult};
use crate::value_size::add_size;
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

/// Set either the whole `value`, or its `fields`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransformNode {
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub value: Option<Cel>,
    #[serde(default)]
    #[schema(inline, value_type = BTreeMap<String, Cel>)]
    pub fields: IndexMap<String, Cel>,
}

impl NodeKind for TransformNode {
    const NAME: &'static str = "transform";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Computes a value with CEL expressions. Beside has, map, filter, all, exists and exists_one there \
         are: size contains startsWith endsWith matches lower upper trim split join replace substring \
         indexOf charAt format reverse sort distinct flatten slice first last sum min max keys values get \
         merge range round abs ceil floor int double string bool type toJson fromJson now timestamp \
         duration date getFullYear getMonth getDate getDayOfWeek getHours getMinutes getSeconds.",
        "Calcula un valor con expresiones CEL. Además de has, map, filter, all, exists y exists_one hay: \
         size contains startsWith endsWith matches lower upper trim split join replace substring indexOf \
         charAt format reverse sort distinct flatten slice first last sum min max keys values get merge \
         range round abs ceil floor int double string bool type toJson fromJson now timestamp duration \
         date getFullYear getMonth getDate getDayOfWeek getHours getMinutes getSeconds.",
    );

    fn example() -> Value {
        json!({"fields": {"name": "input.first + ' ' + input.last", "total": "sum(input.lines.map(l, l.price * l.count))"}})
    }

    fn output_schema(&self, _port: &str) -> Value {
        if self.value.is_some() {
            return json!({});
        }
        let names: Vec<&String> = self.fields.keys().collect();
        json!({"type": "object", "required": names})
    }

    fn problems(&self) -> Vec<FieldProblem> {
        match (&self.value, self.fields.is_empty()) {
            (Some(_), false) => {
                let message =
                    translated!("set either value or fields, not both", "defina value o fields, no los dos");
                vec![("value".to_owned(), message)]
            }
            (None, true) => {
                let message =
                    translated!("must not be empty when value is omitted", "no debe estar vacío si se omite value");
                vec![("fields".to_owned(), message)]
            }
            _ => Vec::new(),
        }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        if let Some(value) = fields.value("value")? {
            return Ok(NodeAction::Return(value));
        }
        let (mut entries, mut bytes) = (Map::new(), 0);
        for name in self.fields.keys() {
            let value = fields.value(&format!("fields.{name}"))?.unwrap_or_default();
            bytes = add_size(bytes, &value)?;
            entries.insert(name.clone(), value);
        }
        Ok(NodeAction::Return(Value::Object(entries)))
    }
}
