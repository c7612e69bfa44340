//! OAuth 2 with the consent of users. The accounts at MCP servers (`functions/mcp-gateway`) and the credentials of workflows share
//! the token endpoint, PKCE, and the renewal under a lock; `Consents` is all that the credentials need.
//!
//! What a provider says is only data: every URL passes the SSRF guard, answers are bounded, and redirects are not followed.

mod answer;
mod consents;
mod endpoint;
mod grant_error;
mod pkce;
mod renewal;
mod requests;

pub use answer::{BrowserAnswer, shown_code};
pub use consents::{Beginning, ConsentError, Consents, SharedConsents, Subject};
pub use endpoint::{TokenEndpoint, revoke};
pub use grant_error::GrantError;
pub use pkce::Pkce;
pub use renewal::{CurrentTokens, Renewal, renew_if_due};
pub use requests::{TIMEOUTS, send};
