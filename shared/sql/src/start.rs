//! What the session of either protocol needs to begin.

use std::time::Duration;

use effects::Login;
use outbound::Outbound;

pub struct Start<'a> {
    pub host: &'a str,
    pub database: &'a str,
    pub login: &'a Login,
    pub must_encrypt: bool,
    pub outbound: &'a Outbound,
    pub is_read_only: bool,
    /// After this time the server cancels a statement.
    pub time: Duration,
}
