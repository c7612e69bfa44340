//! `POST /local/token`: exchanges a code, once, or a refresh token.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::CACHE_CONTROL;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::Shared;
use super::codes::Code;
use crate::issuer::{CONSOLE_CLIENT, Subject};
use crate::labs::field;

/// The console needs its tokens only to begin a session.
const CONSOLE_TOKEN_VALID: Duration = Duration::from_secs(600);
const TOKEN_VALID: Duration = Duration::from_secs(60 * 60);

type OAuthError = &'static str;

pub async fn exchange(State(shared): State<Arc<Shared>>, form: String) -> Response {
    let (status, answer) = match shared.answer(&form) {
        Ok(answer) => (StatusCode::OK, answer),
        Err(error) => (StatusCode::BAD_REQUEST, json!({"error": error})),
    };
    (status, [(CACHE_CONTROL, "no-store")], Json(answer)).into_response()
}

impl Shared {
    fn answer(&self, form: &str) -> Result<Value, OAuthError> {
        let text = |name| field(form.as_bytes(), name);
        if text("resource").is_some_and(|url| !self.sign_in.is_own_resource(&url)) {
            return Err("invalid_target");
        }
        let (client_id, now) = (text("client_id").unwrap_or_default(), self.sign_in.clock.now());
        match text("grant_type").as_deref() {
            Some("authorization_code") => self.exchange_code(form, &client_id),
            Some("refresh_token") => {
                let token = text("refresh_token").unwrap_or_default();
                let (subject, next) = self.grants.rotate(&token, &client_id, now).ok_or("invalid_grant")?;
                Ok(self.tokens(&subject, &next))
            }
            _ => Err("unsupported_grant_type"),
        }
    }

    fn exchange_code(&self, form: &str, client_id: &str) -> Result<Value, OAuthError> {
        let (text, now) = (|name| field(form.as_bytes(), name), self.sign_in.clock.now());
        let name = text("code").unwrap_or_default();
        let Some(code) = self.codes.take(&name, now) else {
            self.grants.end(&name);
            return Err("invalid_grant");
        };
        let verifier = text("code_verifier").unwrap_or_default();
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let is_its_own = code.client_id == client_id && text("redirect_uri").is_none_or(|uri| uri == code.redirect_uri);
        if !is_its_own || code.challenge != challenge {
            return Err("invalid_grant");
        }
        let Code { subject, client_id, nonce, .. } = code;
        if client_id == CONSOLE_CLIENT {
            let issuer = &self.sign_in.issuer;
            return Ok(json!({
                "access_token": issuer.token(&subject, CONSOLE_TOKEN_VALID),
                "id_token": issuer.id_token(&subject, &nonce.unwrap_or_default(), CONSOLE_TOKEN_VALID),
                "token_type": "Bearer",
                "expires_in": CONSOLE_TOKEN_VALID.as_secs(),
            }));
        }
        let refresh_token = self.grants.begin(&name, subject.clone(), client_id, now);
        Ok(self.tokens(&subject, &refresh_token))
    }

    /// The access token is the same as that of any other caller: it counts for all APIs.
    fn tokens(&self, subject: &Subject, refresh_token: &str) -> Value {
        json!({
            "access_token": self.sign_in.issuer.token(subject, TOKEN_VALID),
            "token_type": "Bearer",
            "expires_in": TOKEN_VALID.as_secs(),
            "refresh_token": refresh_token,
        })
    }
}
