//! Handler for the facts of well-known models.

use domain::model_facts::list_facts;
use web::cursor::Cursors;
use web::gateway::{CursorList, ErrorResponses, Operator, OperatorOnly};
use web::{Query, Result};

use crate::dto::model_facts::{ModelFactsOut, ModelFactsQuery};

const FACTS: Cursors = Cursors("model facts");

/// List facts of well-known models
///
/// Returns the limits, capabilities and prices that vendors publish, ordered by id. The list is part of the platform, and
/// each entry has the date of its facts. `POST /gateway/v1/admin/models/import` adds models to the catalog from them.
#[utoipa::path(
    get, path = "/gateway/v1/admin/models/facts", tag = "admin", params(ModelFactsQuery),
    responses(
        (status = 200, description = "A page of facts", body = CursorList<ModelFactsOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_model_facts(_: Operator, Query(query): Query<ModelFactsQuery>) -> Result<CursorList<ModelFactsOut>> {
    let after = FACTS.read(query.cursor.as_deref())?;
    let slice = list_facts(query.read_search()?, after.as_deref(), query.limit as usize);
    Ok(CursorList::new(slice, FACTS))
}
