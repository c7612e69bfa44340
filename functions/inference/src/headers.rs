//! Response headers: cost, remaining credits, rate limits, and what happened to the request's parameters.

use axum::http::HeaderMap;
use axum::http::header::{HeaderName, HeaderValue};
use domain::money::Money;
use domain::time::Time;
use gateway::leases::Remaining;
use gateway::{CacheUse, CallReport};
use web::gateway::{REQUESTS, TOKENS, limit_headers};

const X_REQUEST_COST: HeaderName = HeaderName::from_static("x-request-cost");
const X_CREDITS_REMAINING: HeaderName = HeaderName::from_static("x-credits-remaining");
const X_CREDITS_WARNING: HeaderName = HeaderName::from_static("x-credits-warning");
const X_SVC_PASSTHROUGH: HeaderName = HeaderName::from_static("x-svc-passthrough");
const X_SVC_DROPPED: HeaderName = HeaderName::from_static("x-svc-dropped");
const X_SVC_ADJUSTED: HeaderName = HeaderName::from_static("x-svc-adjusted");
const X_SVC_DEPLOYMENT: HeaderName = HeaderName::from_static("x-svc-deployment");
const X_SVC_CACHE: HeaderName = HeaderName::from_static("x-svc-cache");
const X_SVC_MAX_TOKENS: HeaderName = HeaderName::from_static("x-svc-max-tokens");
const X_SVC_MODEL_DEFAULTS: HeaderName = HeaderName::from_static("x-svc-model-defaults");

/// The headers of a response that is not streamed.
pub fn response_headers(report: &CallReport, now: Time) -> HeaderMap {
    let mut headers = stream_headers(report, now);
    add_remaining(&mut headers, TOKENS, report.quota_left.tokens);
    if let Some(cost) = report.cost {
        add(&mut headers, X_REQUEST_COST, &cost.to_string());
    }
    headers
}

/// The cost of a call that had already ended when its response began.
pub fn cost(cost: Money) -> [(HeaderName, String); 1] {
    [(X_REQUEST_COST, cost.to_string())]
}

/// The headers of a streamed response. They have no cost and no token counts, which are not known yet.
pub fn stream_headers(report: &CallReport, now: Time) -> HeaderMap {
    let mut headers = web::gateway::model_headers(&report.chosen.model, report.chosen.alias.is_some(), now);
    add_remaining(&mut headers, REQUESTS, report.quota_left.requests);
    if let Some(credits) = report.quota_left.credits {
        add(&mut headers, X_CREDITS_REMAINING, &credits.to_string());
    }
    if report.quota_left.credits_are_low {
        add(&mut headers, X_CREDITS_WARNING, "low");
    }
    let lists = [
        (X_SVC_PASSTHROUGH, &report.notes.parameters.passthrough),
        (X_SVC_DROPPED, &report.notes.parameters.dropped),
        (X_SVC_MODEL_DEFAULTS, &report.notes.defaults),
        (X_SVC_ADJUSTED, &report.notes.adjusted),
    ];
    for (name, parameters) in lists {
        if !parameters.is_empty() {
            add(&mut headers, name, &parameters.join(", "));
        }
    }
    if let Some(deployment) = &report.deployment {
        add(&mut headers, X_SVC_DEPLOYMENT, deployment);
    }
    if let Some(cache) = report.cache {
        let cache = match cache {
            CacheUse::Hit => "hit",
            CacheUse::Miss => "miss",
        };
        headers.insert(X_SVC_CACHE, HeaderValue::from_static(cache));
    }
    if let Some(max_tokens) = report.notes.max_tokens {
        headers.insert(X_SVC_MAX_TOKENS, max_tokens.into());
    }
    headers
}

fn add_remaining(headers: &mut HeaderMap, names: [HeaderName; 3], remaining: Option<Remaining>) {
    let Some(Remaining { limit, remaining, resets_at }) = remaining else { return };
    limit_headers(headers, names, [limit, remaining, resets_at.unsigned_abs()]);
}

/// Adds a header. An invalid value is left out, but does not occur: requests with such parameter names are refused.
fn add(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
