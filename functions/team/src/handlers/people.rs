//! The handler for the people of an organization.

use axum::extract::State;
use domain::page::Slice;
use web::builder::{Caller, DataSlice, ErrorResponses};
use web::cursor::Cursors;
use web::{Query, Result};

use crate::Stores;
use crate::dto::{ListPeople, PersonOut};

const CURSORS: Cursors = Cursors("people");

/// List the people of the organization
///
/// Returns the members of the caller's organization, for example to choose with whom to share a workflow. A search reads the
/// whole list.
#[utoipa::path(
    get, path = "/builder/v1/members", tag = "team", params(ListPeople),
    responses((status = 200, description = "A page of people", body = DataSlice<PersonOut>), ErrorResponses),
)]
pub async fn list_people(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListPeople>,
) -> Result<DataSlice<PersonOut>> {
    let after = CURSORS.read(query.cursor.as_deref())?;
    let Slice { items, next } = stores.identities.members(caller.org, query.search()?, query.limit, after).await?;
    let items = items.into_iter().map(|member| PersonOut::new(member, &caller)).collect();
    Ok(DataSlice::new(Slice { items, next }, CURSORS))
}
