//! Whether a refusal of a token endpoint is final.

use outbound::CallError;

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// The authorization server refused the code or the refresh token. A retry cannot succeed.
    #[error(transparent)]
    Refused(CallError),
    /// It does not know the gateway's client, or its secret.
    #[error(transparent)]
    ClientRefused(CallError),
    /// It was not reached, or failed.
    #[error(transparent)]
    Failed(CallError),
}

impl From<CallError> for GrantError {
    fn from(error: CallError) -> Self {
        let CallError::TokenRefused { status, reason } = &error else { return Self::Failed(error) };
        match (status, reason.as_deref()) {
            // The last one is GitHub's.
            (_, Some("invalid_client" | "unauthorized_client" | "incorrect_client_credentials")) | (401, None) => {
                Self::ClientRefused(error)
            }
            (_, Some("temporarily_unavailable" | "server_error" | "slow_down")) => Self::Failed(error),
            (200 | 401 | 403, Some(_)) | (400, _) => Self::Refused(error),
            _ => Self::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refused_grant_ends_a_connection() {
        let class = |status, reason: Option<&str>| match GrantError::from(CallError::TokenRefused {
            status,
            reason: reason.map(str::to_owned),
        }) {
            GrantError::Refused(_) => "grant",
            GrantError::ClientRefused(_) => "client",
            GrantError::Failed(_) => "server",
        };
        for (status, reason, expected) in [
            (400, Some("invalid_grant"), "grant"),
            (200, Some("bad_refresh_token"), "grant"),
            (400, None, "grant"),
            (401, Some("invalid_client"), "client"),
            (400, Some("unauthorized_client"), "client"),
            (401, None, "client"),
            (400, Some("temporarily_unavailable"), "server"),
            (403, None, "server"),
            (429, Some("rate_limited"), "server"),
            (503, Some("invalid_grant"), "server"),
        ] {
            assert_eq!(class(status, reason), expected, "{status} {reason:?}");
        }
    }
}
