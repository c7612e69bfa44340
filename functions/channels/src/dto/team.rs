//! The query parameters of the list of teams.

use std::cmp::Ordering;

use domain::agent::Agent;
use domain::page::{Page, PageRequest};
use domain::{Error, text};
use serde::Deserialize;
use utoipa::IntoParams;
use web::builder::agent::AgentSortIn;
use web::paging::{OrderIn, check_search, default_per_page, first_page, page_number, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListTeams {
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
    /// Returns only teams whose name contains this text. The search is case-insensitive.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// The field to sort by. Defaults to `updatedAt`. Ties are sorted by creation time.
    #[serde(default)]
    #[param(inline)]
    sort: AgentSortIn,
    /// The sort order. Defaults to `desc`.
    #[serde(default)]
    #[param(inline)]
    order: OrderIn,
}

impl ListTeams {
    pub fn check(&self) -> Result<(), Error> {
        check_search(self.search.as_deref())
    }

    /// Cuts the page out of all teams of a workflow, which are few.
    pub fn page(self, mut teams: Vec<Agent>) -> Page<Agent> {
        if let Some(search) = self.search.as_deref().map(text::folded) {
            teams.retain(|team| text::folded(&team.name).contains(&search));
        }
        teams.sort_by(|one, other| self.compare(one, other).then(one.id.cmp(&other.id)));
        if let OrderIn::Desc = self.order {
            teams.reverse();
        }
        PageRequest { page: self.page, per_page: self.per_page }.slice(teams)
    }

    fn compare(&self, one: &Agent, other: &Agent) -> Ordering {
        match self.sort {
            AgentSortIn::Name => text::sort_key(&one.name).cmp(&text::sort_key(&other.name)),
            AgentSortIn::CreatedAt => one.created_at.cmp(&other.created_at),
            AgentSortIn::UpdatedAt => one.updated_at.cmp(&other.updated_at),
            AgentSortIn::Requests => one.requests.cmp(&other.requests),
        }
    }
}
