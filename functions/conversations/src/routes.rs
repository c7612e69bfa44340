//! The route table of threads and records.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::builder::Data;
use web::{finish, routes};

use crate::Stores;
use crate::dto::message::MessageOut;
use crate::handlers::exchanges::*;
use crate::handlers::nudges::*;
use crate::handlers::operators::*;
use crate::handlers::participants::*;
use crate::handlers::records::*;
use crate::handlers::threads::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/records" => get(list_records?);
    "/builder/v1/workflows/{id}/records/filters" => get(list_record_filters);
    "/builder/v1/workflows/{id}/records/{record_id}" => get(get_record);
    "/builder/v1/workflows/{id}/records/{record_id}/exchanges" => get(list_exchanges?);
    "/builder/v1/workflows/{id}/records/participants" => get(list_participants?);
    "/builder/v1/workflows/{id}/records/participants/{participant_id}" => get(export_participant), delete(erase_participant);
    "/builder/v1/workflows/{id}/records/threads/{thread_id}/nudge" => post(nudge_participant);
    "/builder/v1/workflows/{id}/threads" => get(list_threads?);
    "/builder/v1/workflows/{id}/threads/{thread_id}" => get(get_thread);
    "/builder/v1/workflows/{id}/threads/{thread_id}/messages" => get(list_messages?), post(send_operator_message);
    "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state" => get(get_operator_state), post(take_thread), delete(clear_operator);
    "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state/release" => post(release_thread);
    "/builder/v1/workflows/threads/batch" => post(read_threads);
    "/builder/v1/threads" => get(list_all_threads?);
    schemas(Data<MessageOut>);
}

const SCOPES: [(&str, ScopeArea); 2] =
    [("/builder/v1/workflows/{id}/records", ScopeArea::Runs), ("/builder/v1/", ScopeArea::Threads)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
