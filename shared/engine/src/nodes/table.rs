//! The node type `table`: rows that the workflow keeps between its runs.

use domain::data_table::{MAX_ROWS, MAX_ROWS_AT_ONCE, Matching, Operator};
use domain::language::Translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::policy::Policies;
use super::{Category, Fields, NodeKind, NodeResult, Operation};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableNode<V = Cel> {
    /// The name of the table: letters, digits, `_` and `-`. The first row makes the table.
    #[schema(min_length = 1, max_length = 60, pattern = "^[A-Za-z0-9_-]+$", example = "orders")]
    pub table: String,
    #[schema(inline)]
    pub action: TableAction,
    /// Which rows are read, changed or deleted. A filter for the field `id` that `equals` a value reads one row; others read the
    /// whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, min_items = 1, max_items = 20, nullable = false)]
    pub filters: Option<Vec<TableFilter<V>>>,
    /// Whether a row must match `all` filters, which is the default, or `any` of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub matching: Option<Matching>,
    /// The fields of the row: an object. `add` and `addNew` also take a list of them, at most 1,000. The field `id` identifies a row; without
    /// it, a new row gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub values: Option<V>,
    /// The field by which found rows are sorted; `id` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, nullable = false)]
    pub order_by: Option<String>,
    /// Whether the largest values come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub descending: Option<bool>,
    /// The maximum number of rows that are found; 100 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000, nullable = false)]
    pub limit: Option<u32>,
    /// The number of rows that the table keeps after `addNew`: the oldest others are deleted, except those in `values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 9000, nullable = false)]
    pub keep: Option<u32>,
}

// The rows that a step adds have room beside those that the table keeps.
const _: () = assert!(9_000 + MAX_ROWS_AT_ONCE <= MAX_ROWS);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TableAction {
    /// Adds rows. It fails if one of them exists.
    Add,
    /// Adds the rows whose `id` the table does not have, and gives these rows.
    AddNew,
    /// Gives the rows that match.
    Find,
    /// Gives the number of rows that match.
    Count,
    /// Changes the fields of the rows that match, and gives these rows.
    Update,
    /// Changes the rows that match, or adds one if there are none.
    Upsert,
    /// Deletes the rows that match, and gives them.
    Delete,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableFilter<V = Cel> {
    /// The name of a field, also `id`, `createdAt` or `updatedAt`.
    #[schema(min_length = 1, max_length = 200, example = "email")]
    pub field: String,
    /// How the field is compared with the value; `equals` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub operator: Option<Operator>,
    /// The value that the field is compared with. `isEmpty` and `isNotEmpty` need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub value: Option<V>,
}

impl TableAction {
    fn takes_values(self) -> bool {
        matches!(self, Self::Add | Self::AddNew | Self::Update | Self::Upsert)
    }

    fn takes_filters(self) -> bool {
        !matches!(self, Self::Add | Self::AddNew)
    }

    /// Whether all rows are meant if there are no filters. Changes of all rows must be asked for, with a filter that all match.
    fn may_mean_all(self) -> bool {
        matches!(self, Self::Find | Self::Count)
    }
}

impl NodeKind for TableNode {
    const NAME: &'static str = "table";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Keeps rows between the runs of the workflow: adds, finds, counts, changes and deletes them. A row is an object with \
         any fields; it also has `id`, `createdAt` and `updatedAt`.",
        "Guarda filas entre las ejecuciones del flujo: las añade, busca, cuenta, cambia y borra. Una fila es un objeto con \
         cualquier campo; tiene además `id`, `createdAt` y `updatedAt`.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({
            "table": "customers", "action": "upsert", "filters": [{"field": "email", "value": "input.email"}],
            "values": "{'email': input.email, 'name': input.name}",
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        let time = json!({"type": "string", "format": "date-time"});
        let row = json!({
            "type": "object", "required": ["id", "createdAt", "updatedAt"],
            "properties": {"id": {"type": "string"}, "createdAt": time, "updatedAt": time},
        });
        let rows = json!({"type": "array", "items": row});
        match self.action {
            TableAction::Add => json!({"anyOf": [row, rows]}),
            TableAction::Count => json!({"type": "integer", "minimum": 0}),
            TableAction::AddNew
            | TableAction::Find
            | TableAction::Update
            | TableAction::Upsert
            | TableAction::Delete => rows,
        }
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let (action, mut problems) = (self.action, Vec::new());
        let mut report = |field: &str, problem: Translated| problems.push((field.to_owned(), problem.into()));
        if action.takes_values() && self.values.is_none() {
            report("values", Translated::new("is missing; give the fields of the row", "falta; indique los campos de la fila"));
        }
        if !action.takes_filters() && self.filters.is_some() {
            report(
                "filters",
                Translated::new("are not used by actions that add; remove them", "no se usan al añadir; quítelos"),
            );
        }
        if action.takes_filters() && !action.may_mean_all() && self.filters.is_none() {
            report(
                "filters",
                Translated::new(
                    "are missing; to mean all rows, use the filter `id` with `isNotEmpty`",
                    "faltan; para indicar todas las filas, use el filtro `id` con `isNotEmpty`",
                ),
            );
        }
        for (index, filter) in self.filters.iter().flatten().enumerate() {
            if filter.operator.unwrap_or_default().takes_value() && filter.value.is_none() {
                let missing = Translated::new("is missing; give a value to compare with", "falta; indique con qué se compara");
                report(&format!("filters[{index}].value"), missing);
            }
        }
        problems
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Table)
    }
}
