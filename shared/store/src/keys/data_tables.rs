//! Keys of `entities`: the tables of workflows, and their rows.

use domain::id::WorkflowId;
use domain::identity::Account;
use domain::name::TableName;

use super::Key;

pub fn data_tables(account: Account, workflow: WorkflowId) -> String {
    format!("TABLES#{}#{}#{workflow}", account.org, account.user)
}

pub fn data_table(account: Account, workflow: WorkflowId, table: &TableName) -> Key {
    Key::new(data_tables(account, workflow), &table.0)
}

pub fn data_table_count(account: Account, workflow: WorkflowId) -> Key {
    Key::new(format!("TABLECOUNT#{}#{}#{workflow}", account.org, account.user), "COUNT")
}

/// The rows of a table, by their ids.
pub fn data_rows(account: Account, workflow: WorkflowId, table: &TableName) -> String {
    format!("ROWS#{}#{}#{workflow}#{}", account.org, account.user, table.0)
}
