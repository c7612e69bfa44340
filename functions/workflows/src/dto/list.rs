//! Query parameters of lists: pages, filters and sorting.

use domain::Error;
use domain::page::PageRequest;
use domain::sharing::Ownership;
use domain::workflow::WorkflowState;
use serde::Deserialize;
use store::workflows::{WorkflowFilter, WorkflowSort};
use utoipa::{IntoParams, ToSchema};
use web::paging::{CommaList, OrderIn, check_search, default_per_page, first_page, page_number, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListWorkflows {
    /// `mine`: those that the caller owns. `shared`: those that others share with the caller. `all`: both.
    #[serde(default)]
    #[param(inline)]
    pub ownership: Ownership,
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
    /// Returns only workflows whose name contains this text. The search is case-insensitive.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Returns only workflows in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<WorkflowState>, style = Form, explode = false, min_items = 1)]
    state: CommaList<WorkflowState>,
    /// The field to sort by. Defaults to `updatedAt`. Ties are sorted by creation time.
    #[serde(default)]
    #[param(inline)]
    pub sort: WorkflowSortIn,
    /// The sort order. Defaults to `desc`.
    #[serde(default)]
    #[param(inline)]
    pub order: OrderIn,
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum WorkflowSortIn {
    Name,
    CreatedAt,
    #[default]
    UpdatedAt,
}

impl From<WorkflowSortIn> for WorkflowSort {
    fn from(sort: WorkflowSortIn) -> Self {
        match sort {
            WorkflowSortIn::Name => Self::Name,
            WorkflowSortIn::CreatedAt => Self::CreatedAt,
            WorkflowSortIn::UpdatedAt => Self::UpdatedAt,
        }
    }
}

impl ListWorkflows {
    pub fn page(&self) -> PageRequest {
        PageRequest { page: self.page, per_page: self.per_page }
    }

    pub fn filter(self) -> Result<WorkflowFilter, Error> {
        check_search(self.search.as_deref())?;
        Ok(WorkflowFilter { search: self.search, states: self.state.0 })
    }
}

/// The query parameters of a list without filters.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
}

impl From<PageQuery> for PageRequest {
    fn from(PageQuery { page, per_page }: PageQuery) -> Self {
        Self { page, per_page }
    }
}
