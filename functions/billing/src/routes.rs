//! The route table of the billing API.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::call_bodies::*;
use crate::calls::*;
use crate::dto::ExportOut;
use crate::handlers::*;
use crate::receipts::*;
use crate::spend::*;

routes! { Stores;
    "/gateway/v1/billing/balance" => get(get_balance);
    "/gateway/v1/billing/usage" => get(get_usage?);
    "/gateway/v1/billing/spend" => get(list_spend?);
    "/gateway/v1/billing/transactions" => get(list_transactions?);
    "/gateway/v1/billing/calls" => get(list_calls?);
    "/gateway/v1/billing/calls/{request_id}" => get(get_call);
    "/gateway/v1/billing/calls/{request_id}/body" => get(get_call_body), delete(delete_call_body);
    "/gateway/v1/billing/call-retention" => get(get_call_retention), put(put_call_retention);
    "/gateway/v1/billing/exports" => post(create_export);
    "/gateway/v1/billing/receipts/{request_id}" => get(get_receipt);
    "/gateway/v1/receipts/keys" => get(list_receipt_keys);
    "/gateway/v1/guard/events" => get(list_guard_events?);
    schemas(ExportOut);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
