//! Checks of the running platform: its health, the operator's key, and the keys of providers.

use std::path::Path;

use serde_json::Value;

use super::Finding;
use crate::credentials::StoredCredentials;
use crate::setup::Api;

const PROVIDERS: &str = "/gateway/v1/admin/providers";

pub async fn check(folder: &Path) -> Vec<Finding> {
    let Ok(Some(stored)) = StoredCredentials::read(folder) else {
        return vec![Finding::note("the platform runs, but its credentials cannot be read", "restart it")];
    };
    let (url, api) = (&stored.base_url, Api::new(&stored.base_url, &stored.operator.api_key));
    let health = match api.call("GET", "/health", None).await {
        Ok(answer) if answer.status == 200 => Finding::Fine(format!("the platform answers at {url}")),
        Ok(answer) => {
            let state = format!("the platform at {url} says: {}", answer.message());
            return vec![Finding::problem(state, "see its log, and free or repair its disk")];
        }
        Err(_) => {
            let state = format!("a platform uses the folder {}, but does not answer at {url}", folder.display());
            return vec![Finding::problem(state, "wait until it has started, or stop its process and start it again")];
        }
    };
    let providers = match api.call("GET", PROVIDERS, None).await {
        Ok(answer) if answer.status == 200 => answer.body["data"].as_array().cloned().unwrap_or_default(),
        Ok(answer) => {
            let state = format!("the operator's key in credentials.json is refused: {}", answer.message());
            return vec![health, Finding::problem(state, "restart the platform; it stores a valid key")];
        }
        Err(failure) => return vec![health, Finding::problem(failure.to_string(), "repeat the command")],
    };
    let mut findings = vec![health, Finding::Fine("the operator's key is valid".to_owned())];
    for provider in providers.iter().filter(|provider| provider["kind"] != "dev") {
        findings.extend(check_provider(&api, provider).await);
    }
    findings
}

/// Lists the provider's models, which is free. A provider that cannot be tested so is skipped.
async fn check_provider(api: &Api, provider: &Value) -> Option<Finding> {
    let name = provider["name"].as_str()?;
    let answer = api.call("POST", &format!("{PROVIDERS}/{name}/test"), Some(&serde_json::json!({}))).await.ok()?;
    if answer.status != 200 {
        return None;
    }
    if answer.body["ok"] == true {
        return Some(Finding::Fine(format!("the provider {name} accepts its key")));
    }
    let message = answer.body["error"]["message"].as_str().unwrap_or("it gave no reason");
    let fix = format!("repeat `local setup`, or send the right `base_url` and `api_key` with PATCH {PROVIDERS}/{name}");
    Some(Finding::problem(format!("the provider {name} fails its test: {message}"), fix))
}
