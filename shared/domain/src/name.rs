//! Names of models, aliases, providers, plans, guard categories, MCP servers, tables and pages of forms as path parameters. An invalid name is
//! answered with 404.

use std::str::FromStr;

use super::catalog::is_model_name;
use super::data_table::{is_row_id, is_table_name};
use super::form::is_link;
use super::guard::is_category_code;
use super::id::{Id, NotAnId};
use super::mcp_server::is_server_name;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $kind:literal, $is_valid:path;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub String);

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                if $is_valid(text) { Ok(Self(text.to_owned())) } else { Err(NotAnId) }
            }
        }

        impl Id for $name {
            const KIND: &'static str = $kind;
        }
    )*};
}

names! {
    /// The name or an alias of a model.
    ModelName = "model", is_model_name;
    AliasName = "alias", is_model_name;
    ProviderName = "provider", is_model_name;
    PlanName = "plan", is_model_name;
    GuardCategoryName = "guard category", is_category_code;
    McpServerName = "MCP server", is_server_name;
    /// A table of a workflow, and the id of a row.
    TableName = "table", is_table_name;
    RowId = "row", is_row_id;
    /// See [`Webhook::form_link`](crate::webhook::Webhook::form_link).
    FormLink = "form", is_link;
}
