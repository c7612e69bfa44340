//! The query and the wire types of the spend of an organization by day.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{CursorList, FiguresOut};
use crate::Result;
use crate::cursor::Cursors;
use crate::wire_enum;
use domain::id::OrgId;
use domain::page::Slice;
use domain::spend::SpendBy;
use domain::statistics::Period;
use domain::time::Time;
use store::Spend;
use store::spend::{DailySpend, SpendRequest};

const SPEND: Cursors = Cursors("spend");

wire_enum! {
    /// What the calls of a day are grouped by.
    #[serde(rename_all = "snake_case")]
    #[schema(as = SpendBy)]
    SpendByWire = SpendBy {
        Model,
        Key,
        Tag,
        EndUser,
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SpendQuery {
    /// What the calls of a day are grouped by. A call counts for each of its tags.
    #[param(inline)]
    by: SpendByWire,
    /// Returns only the spend of the group with this name.
    #[param(nullable = false, example = "team=search")]
    name: Option<String>,
    /// The first UTC day. By default the period has 30 days.
    #[param(format = Date, nullable = false, example = "2026-11-01")]
    from: Option<String>,
    /// The last UTC day. The period has at most 366 days. By default it is today.
    #[param(format = Date, nullable = false, example = "2026-11-30")]
    to: Option<String>,
    /// The maximum number of items to return.
    #[serde(default = "crate::paging::default_per_page", deserialize_with = "crate::paging::per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    cursor: Option<String>,
}

/// The calls of a group on one day.
#[derive(Serialize, ToSchema)]
#[schema(as = DailySpend)]
pub struct DailySpendOut {
    /// The UTC day
    #[schema(format = Date, example = "2026-11-27")]
    date: String,
    /// The model, the id of the key, the tag or the end user. Calls without a key have the id of their user
    #[schema(example = "team=search")]
    name: String,
    usage: FiguresOut,
}

impl From<DailySpend> for DailySpendOut {
    fn from(DailySpend { day, name, figures }: DailySpend) -> Self {
        Self { date: day, name, usage: figures.into() }
    }
}

impl SpendQuery {
    /// Reads the page of an organization.
    pub async fn read(self, spend: &Spend, org: OrgId, now: Time) -> Result<CursorList<DailySpendOut>> {
        let Self { by, name, from, to, limit, cursor } = self;
        let after = SPEND.read(cursor.as_deref())?;
        let period = &Period::parse(from.as_deref(), to.as_deref(), None, now)?;
        let request = SpendRequest { org, by: by.into(), period, limit, after };
        let Slice { items, next } = match name {
            Some(name) => spend.list_one(request, &name).await?,
            None => spend.list(request).await?,
        };
        Ok(CursorList::new(Slice { items: items.into_iter().map(DailySpendOut::from).collect(), next }, SPEND))
    }
}
