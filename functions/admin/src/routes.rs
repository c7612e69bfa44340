//! The route table of the administration API.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::dto::people::{NewKeyOut, NewUserOut};
use crate::dto::receipt_keys::NewReceiptKeyOut;
use crate::handlers::aliases::*;
use crate::handlers::audit::*;
use crate::handlers::billing::*;
use crate::handlers::calls::*;
use crate::handlers::caps::*;
use crate::handlers::guard::*;
use crate::handlers::keys::*;
use crate::handlers::limits::*;
use crate::handlers::maintenance::*;
use crate::handlers::mcp_servers::*;
use crate::handlers::model_facts::*;
use crate::handlers::model_imports::*;
use crate::handlers::models::*;
use crate::handlers::orgs::*;
use crate::handlers::plans::*;
use crate::handlers::provider_checks::*;
use crate::handlers::provider_offers::*;
use crate::handlers::providers::*;
use crate::handlers::receipt_keys::*;
use crate::handlers::setup::*;
use crate::handlers::users::*;
use crate::handlers::workbench_cluster::*;

// The wildcard `{*name}` matches several segments: names of models and aliases may contain slashes.
routes! { Stores;
    "/gateway/v1/admin/models" => get(list_models), post(create_model);
    "/gateway/v1/admin/models/facts" => get(list_model_facts?);
    "/gateway/v1/admin/models/import" => post(import_models);
    "/gateway/v1/admin/models/{*name}" => get(get_model), patch(update_model), delete(delete_model);
    "/gateway/v1/admin/aliases" => get(list_aliases);
    "/gateway/v1/admin/aliases/{*name}" => put(put_alias), delete(delete_alias);
    "/gateway/v1/admin/providers" => get(list_providers), post(create_provider);
    "/gateway/v1/admin/providers/{name}" => get(get_provider), patch(update_provider), delete(delete_provider);
    "/gateway/v1/admin/providers/{name}/test" => post(test_provider);
    "/gateway/v1/admin/providers/{name}/models" => get(list_provider_models);
    "/gateway/v1/admin/provider-presets" => get(list_provider_presets);
    "/gateway/v1/admin/setup" => post(put_setup);
    "/gateway/v1/admin/plans" => get(list_plans);
    "/gateway/v1/admin/plans/{id}" => get(get_plan), put(put_plan);
    "/gateway/v1/admin/orgs" => get(list_orgs?), post(create_org);
    "/gateway/v1/admin/orgs/{id}" => get(get_org), patch(update_org);
    "/gateway/v1/admin/users" => get(list_users?), post(create_user);
    "/gateway/v1/admin/users/{id}" => get(get_user), patch(update_user);
    "/gateway/v1/admin/keys" => get(list_keys?), post(create_key);
    "/gateway/v1/admin/keys/{id}" => patch(update_key), delete(revoke_key);
    "/gateway/v1/admin/limits" => get(get_limits?), put(put_limits?), delete(delete_limits?);
    "/gateway/v1/admin/guard/categories" => get(list_guard_categories);
    "/gateway/v1/admin/guard/categories/{code}" => put(put_guard_category), delete(delete_guard_category);
    "/gateway/v1/admin/maintenance" => get(get_maintenance), put(put_maintenance);
    "/gateway/v1/admin/workbench-cluster" => get(get_workbench_cluster), put(put_workbench_cluster),
        delete(delete_workbench_cluster);
    "/gateway/v1/admin/mcp-servers" => get(list_mcp_servers?), post(create_mcp_server);
    "/gateway/v1/admin/mcp-servers/{id}" => get(get_mcp_server), patch(update_mcp_server), delete(delete_mcp_server);
    "/gateway/v1/admin/receipt-keys" => post(rotate_receipt_key);
    "/gateway/v1/admin/calls" => get(list_calls?);
    "/gateway/v1/admin/calls/{request_id}" => get(get_call?);
    "/gateway/v1/admin/audit" => get(list_audit?);
    "/gateway/v1/billing/admin/credits" => post(adjust_credits);
    "/gateway/v1/billing/admin/caps" => get(get_cap?), put(put_cap?), delete(delete_cap?);
    "/gateway/v1/billing/admin/balances" => get(list_balances?);
    "/gateway/v1/billing/admin/usage" => get(list_usage?);
    "/gateway/v1/billing/admin/usage/{org}" => get(get_org_usage?);
    "/gateway/v1/billing/admin/spend/{org}" => get(list_org_spend?);
    "/gateway/v1/billing/admin/transactions" => get(list_org_transactions?);
    schemas(NewKeyOut, NewReceiptKeyOut, NewUserOut);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
