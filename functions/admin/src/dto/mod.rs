//! Request and response bodies.

pub mod aliases;
pub mod audit;
pub mod billing;
mod deployments;
pub mod guard;
pub mod mcp_servers;
pub mod meters;
pub mod model_facts;
pub mod model_imports;
pub mod model_kind;
mod model_options;
mod model_rules;
pub mod models;
pub mod people;
pub mod plans;
mod pricing;
pub mod provider_checks;
pub mod provider_presets;
pub mod providers;
pub mod receipt_keys;
mod routing;
pub mod setup;
pub mod workbench_cluster;
mod workbenches;

use auth::MAX_NAME_BYTES;
use domain::mcp_server::SERVER_PREFIX;
use domain::schema::{self, TITLE};
use domain::{Error, Result};
use outbound::Outbound;
use platform::config::OUTBOUND_ALLOWED_CIDRS;

// Paths, headers and log lines must be able to contain a name. Empty, `.` and `..` segments are refused, because clients and
// proxies resolve them and would call another path.
domain::text_schemas! {
    /// The name of a provider or a region, or the id of a plan.
    PlainName(1, 200, r"^(\.?[A-Za-z0-9_-]|\.\.[A-Za-z0-9._-])[A-Za-z0-9._-]*$", "letters, digits and `._-`, but not `.` or `..`");
    /// The name of a model or an alias.
    CatalogName(
        1, 200,
        r"^(\.?[A-Za-z0-9_:@+-]|\.\.[A-Za-z0-9._:@+-])[A-Za-z0-9._:@+-]*(/(\.?[A-Za-z0-9_:@+-]|\.\.[A-Za-z0-9._:@+-])[A-Za-z0-9._:@+-]*)*$",
        "letters, digits and `._-:/@+`, without empty, `.` or `..` segments"
    );
    ExternalId(1, MAX_NAME_BYTES);
    Email(1, 254, "^[^@\\x00-\\x1f\\x7f-\\x9f]*@[^\\x00-\\x1f\\x7f-\\x9f]*$", "an email address, which has an `@`");
    ApiKeyText(1, 4_096, "^[!-~]*$", "visible ASCII characters");
    ImageText(1, 400, TITLE, "one line that is not blank");
}

/// The last segments of `/gateway/v1/models/aliases`, `/gateway/v1/admin/models/facts` and `…/import`, which are routes of
/// their own.
const RESERVED_NAMES: [&str; 3] = ["aliases", "facts", "import"];

/// Validates the name of a model or an alias. In the log of calls, MCP servers are where models are.
pub fn check_model_name(field: &str, name: &str) -> Result<()> {
    if RESERVED_NAMES.contains(&name) || name.starts_with(SERVER_PREFIX) {
        return Err(Error::invalid_body(field, "this name is reserved; choose another name"));
    }
    schema::check_text::<CatalogName>(field, name)
}

/// Refuses a URL at an address that the gateway does not call.
pub fn check_public(field: &str, url: &str, outbound: &Outbound) -> Result<()> {
    if url.parse().is_ok_and(|url| outbound.refuses_host(&url)) {
        let problem = format_args!(
            "the address is private or reserved; use a public address or add this one to {OUTBOUND_ALLOWED_CIDRS}"
        );
        return Err(Error::invalid_body(field, problem));
    }
    Ok(())
}
