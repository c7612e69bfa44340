//! Performs `table` nodes: reads and changes rows of the workflow.

use domain::data_table::{Filter, ID, MAX_BYTES_AT_ONCE, MAX_ROWS_AT_ONCE, NewValues, Row, RowFilter, RowProblem};
use domain::graph::hash;
use domain::id::Id;
use domain::name::TableName;
use domain::number::exact_integer;
use domain::page::Order;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use engine::drive::{Effect, EffectResult};
use engine::nodes::OUT;
use engine::nodes::table::{TableAction, TableFilter, TableNode};
use engine::run::StepOutcome;
use engine::value_size::MAX_VALUE_BYTES;
use platform::Context;
use serde_json::{Value, json};
use store::DataTables;
use store::data_tables::{Change, NewRow, Search, TablePlace, Upsert};

use crate::errors::{refused, to_effect_error};
use crate::retry::retry_while_unavailable;
use crate::{EffectOrigin, EffectOwner};

const DEFAULT_LIMIT: u32 = 100;

// A step can return the rows that it has written.
const _: () = assert!(MAX_BYTES_AT_ONCE <= MAX_VALUE_BYTES);

pub struct TableEffects {
    tables: DataTables,
    clock: Clock,
}

impl TableEffects {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { tables: DataTables::new(context)?, clock: context.clock.clone() })
    }

    /// Performs one attempt of a `table` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, node: &TableNode<Value>) -> EffectResult {
        let Some(workflow) = owner.workflow else {
            return Err(refused("no_workflow", "a table belongs to a workflow, and none runs here"));
        };
        let table: TableName =
            node.table.parse().map_err(|_| to_effect_error(Error::NotFound { kind: TableName::KIND }))?;
        let place = TablePlace { account: owner.account, workflow, table };
        let step = Step::new(owner, effect, self.clock.now());
        let value = retry_while_unavailable(|| self.act(&place, node, &step)).await.map_err(to_effect_error)?;
        Ok(StepOutcome::new(OUT, value))
    }

    async fn act(&self, place: &TablePlace, node: &TableNode<Value>, step: &Step) -> Result<Value> {
        let (filter, change) = (read_filter(node)?, &step.change);
        let rows = match node.action {
            TableAction::Add => {
                let added = self.tables.add(place, &step.new_rows(node)?, change).await?;
                match node.values {
                    Some(Value::Array(_)) => added,
                    _ => return Ok(added.first().map(Row::to_value).unwrap_or_default()),
                }
            }
            TableAction::AddNew => {
                let keep = node.keep.map(|rows| rows as usize);
                self.tables.add_new(place, &step.new_rows(node)?, keep, change).await?
            }
            TableAction::Count => return Ok(self.tables.count(place, &filter).await?.into()),
            TableAction::Find => self.tables.find(place, &to_search(node, filter)).await?,
            TableAction::Delete => self.tables.delete(place, &filter, change).await?,
            TableAction::Update => {
                let new = read_values(node.values.clone().unwrap_or_default(), "config.values")?;
                require_same_id(&new, &filter)?;
                self.tables.update(place, &filter, &new.values, change).await?
            }
            TableAction::Upsert => {
                let new = read_values(node.values.clone().unwrap_or_default(), "config.values")?;
                require_same_id(&new, &filter)?;
                self.tables.upsert(place, &filter, &step.upsert(new, &filter)?, change).await?
            }
        };
        Ok(to_list(&rows))
    }
}

/// The step that changes rows.
struct Step {
    change: Change,
    /// The beginning of the ids of its new rows. They are in the order in which the runs were started.
    id: String,
}

impl Step {
    fn new(owner: &EffectOwner, effect: &Effect, now: Time) -> Self {
        let step = hash(&owner.request_id(effect))[..16].to_owned();
        let began = match &owner.origin {
            EffectOrigin::Run(run) => run.queued_at(),
            EffectOrigin::Invocation { .. } | EffectOrigin::Preview { .. } => now,
        };
        let id = format!("{:012x}-{step}", began.as_millis());
        Self { change: Change { step, at: now }, id }
    }

    /// The rows of a list, or the one of an object.
    fn new_rows(&self, node: &TableNode<Value>) -> Result<Vec<NewRow>> {
        match node.values.clone().unwrap_or_default() {
            Value::Array(items) if items.len() > MAX_ROWS_AT_ONCE => {
                let message = format!("config.values: a step adds at most {MAX_ROWS_AT_ONCE} rows; split the list");
                Err(Error::Conflict { code: "too_many_rows", message })
            }
            Value::Array(items) => {
                let read =
                    |(index, item)| Ok(self.new_row(index, read_values(item, &format!("config.values[{index}]"))?));
                items.into_iter().enumerate().map(read).collect()
            }
            item => Ok(vec![self.new_row(0, read_values(item, "config.values")?)]),
        }
    }

    fn new_row(&self, index: usize, NewValues { id, values }: NewValues) -> NewRow {
        NewRow { id: id.unwrap_or_else(|| self.new_id(index)), values }
    }

    fn new_id(&self, index: usize) -> String {
        format!("{}-{index:04}", self.id)
    }

    /// The row that `upsert` adds has the values that the filters demand, so that the next `upsert` finds it. If no id is given,
    /// it comes from these values, so that only one of the runs with the same filters adds the row.
    fn upsert(&self, NewValues { id, values: changes }: NewValues, filter: &RowFilter) -> Result<Upsert> {
        let demanded = filter.demanded_values();
        let mut values = changes.clone();
        for (field, value) in demanded.iter().flatten() {
            if !Row::is_set_by_platform(field) {
                values.entry(*field).or_insert_with(|| (*value).clone());
            } else if filter.id().is_none() {
                let message = format!(
                    "config.filters: no new row can have this `{field}`; filter for another field, or for the id"
                );
                return Err(Error::Conflict { code: "filter_invalid", message });
            }
        }
        let given = id.or_else(|| filter.id());
        let other_id = given.is_none().then(|| self.new_id(0));
        let of_values =
            || demanded.as_ref().map(|demanded| hash(&with_whole_numbers(json!(demanded)))[..32].to_owned());
        let id = given.or_else(of_values).unwrap_or_else(|| self.new_id(0));
        Ok(Upsert { changes, row: NewRow { id, values }, other_id })
    }
}

/// Equal numbers in one form: `3.0` becomes `3`.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()).and_then(exact_integer) {
            Some(integer) => integer.into(),
            None => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        other => other,
    }
}

fn read_filter(node: &TableNode<Value>) -> Result<RowFilter> {
    let read = |(index, filter): (usize, &TableFilter<Value>)| {
        let filter = Filter {
            field: filter.field.clone(),
            operator: filter.operator.unwrap_or_default(),
            value: filter.value.clone().unwrap_or_default(),
        };
        match filter.problem() {
            None => Ok(filter),
            Some(problem) => {
                let message = format!("config.filters[{index}].value: {problem}");
                Err(Error::Conflict { code: "filter_invalid", message })
            }
        }
    };
    let filters = node.filters.iter().flatten().enumerate().map(read).collect::<Result<_>>()?;
    Ok(RowFilter { filters, matching: node.matching.unwrap_or_default() })
}

fn to_search(node: &TableNode<Value>, filter: RowFilter) -> Search {
    let order = if node.descending == Some(true) { Order::Desc } else { Order::Asc };
    let field = node.order_by.clone().or_else(|| node.descending.map(|_| ID.to_owned()));
    let limit = node.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    Search { filter, order_by: field.map(|field| (field, order)), limit }
}

fn read_values(value: Value, field: &str) -> Result<NewValues> {
    let refuse = |RowProblem { code, message }| Error::Conflict { code, message: format!("{field}: {message}") };
    NewValues::read(value).map_err(refuse)
}

/// A change keeps the id of a row. Values that were read from the row have it, too.
fn require_same_id(new: &NewValues, filter: &RowFilter) -> Result<()> {
    match &new.id {
        Some(id) if filter.id().as_ref() != Some(id) => {
            let message = "config.values: the id of a row cannot change; remove `id`, or name this row in the filters";
            Err(Error::Conflict { code: "row_invalid", message: message.to_owned() })
        }
        _ => Ok(()),
    }
}

fn to_list(rows: &[Row]) -> Value {
    rows.iter().map(Row::to_value).collect()
}
