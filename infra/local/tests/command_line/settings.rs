//! Tests of the settings that `local` takes from its environment: each kind, with its effect.
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{AGENTS, Folder, PATIENCE, Running, agents, credentials, local, stderr_of};
use local::issuer::{AUDIENCE, ISSUER};
use reqwest::{Client, Method};

/// A platform with settings of its environment.
fn start(folder: &Folder, settings: &[(&str, &str)]) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_local"));
    command.args(["--ephemeral", "--port", "0", "--data-dir"]).arg(&folder.0).envs(settings.iter().copied());
    Running::from_command(command)
}

#[tokio::test]
async fn pages_of_the_configured_origins_may_call_the_platform() {
    let folder = Folder::new();
    let running = start(&folder, &[("CORS_ORIGINS", "https://console.example.com")]);
    let preflight = Client::new()
        .request(Method::OPTIONS, format!("{}{AGENTS}", running.base_url))
        .header("origin", "https://console.example.com")
        .header("access-control-request-method", "GET");
    let answer = preflight.send().await.unwrap();
    assert_eq!(answer.headers()["access-control-allow-origin"], "https://console.example.com");
}

#[tokio::test]
async fn a_request_for_images_waits_as_long_as_is_set() {
    let folder = Folder::new();
    let running = start(&folder, &[("IMAGE_PATIENCE_S", "0")]);
    let key = credentials(&folder.0)["users"]["ada"]["apiKey"].as_str().unwrap().to_owned();
    let body = serde_json::json!({"preset": "dev-image", "prompt": "A red fox", "size": "512x512"});
    let url = format!("{}/gateway/v1/images/generations", running.base_url);
    let answer = Client::new().post(url).bearer_auth(key).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 202, "the job is the answer at once");
}

#[tokio::test]
async fn another_issuer_is_trusted_in_place_of_the_own() {
    let (folder, issuers_folder) = (Folder::new(), Folder::new());
    let issuer = start(&issuers_folder, &[]);
    let keys = format!("{}/local/jwks.json", issuer.base_url);
    let settings = [("AUTH_ISSUER", ISSUER), ("AUTH_AUDIENCE", AUDIENCE), ("AUTH_JWKS_URL", keys.as_str())];
    let running = start(&folder, &settings);
    let list = async |folder: &Folder| {
        let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
        agents(&running.base_url, &token, Method::GET).await
    };
    assert!(list(&issuers_folder).await["data"].is_array());
    assert_eq!(list(&folder).await["error"]["code"], "unauthorized", "the platform's own tokens are not trusted");
    assert!(running.banner.contains(&format!("with access tokens of {ISSUER}")), "{}", running.banner);

    let mut token = local();
    token.env("AUTH_ISSUER", "https://issuer.example").args(["token", "--user", "ada", "--org", "acme", "--data-dir"]);
    let refused = token.arg(&folder.0).output().unwrap();
    assert!(stderr_of(&refused).contains("accepts only tokens of https://issuer.example"), "{}", stderr_of(&refused));
}

/// The status of an attempt to add a provider with this URL.
async fn add_provider(running: &Running, folder: &Folder, name: &str, url: &str) -> u16 {
    let key = credentials(&folder.0)["operator"]["apiKey"].as_str().unwrap().to_owned();
    let body = serde_json::json!({"name": name, "kind": "openai", "base_url": url});
    let request = Client::new().post(format!("{}/gateway/v1/admin/providers", running.base_url)).bearer_auth(key);
    request.json(&body).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn requests_reach_only_the_networks_and_ports_that_are_set() {
    let folder = Folder::new();
    let running = start(&folder, &[("OUTBOUND_REFUSED_PORTS", "6379, 5432")]);
    for (name, url, expected) in [
        ("one", "http://127.0.0.1:6379", 400),
        ("two", "http://127.0.0.1:5432", 400),
        ("three", "http://127.0.0.1:6380", 201),
        ("four", "http://10.1.2.3", 400),
    ] {
        assert_eq!(add_provider(&running, &folder, name, url).await, expected, "{url}");
    }
    let folder = Folder::new();
    let running = start(&folder, &[("OUTBOUND_ALLOWED_CIDRS", "10.0.0.0/8")]);
    for (name, url, expected) in [("one", "http://127.0.0.1:6380", 400), ("two", "http://10.1.2.3", 201)] {
        assert_eq!(add_provider(&running, &folder, name, url).await, expected, "{url}");
    }
}

#[tokio::test]
async fn the_console_is_at_the_base_url_and_at_its_own_origins() {
    let folder = Folder::new();
    let settings = [("BASE_URL", "https://atelier.example"), ("CONSOLE_ORIGIN", "https://console.example")];
    let running = start(&folder, &settings);
    let client = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let login = client.get(format!("{}/console/login", running.base_url)).send().await.unwrap();
    let issuer = login.headers()["location"].to_str().unwrap();
    assert!(issuer.contains("redirect_uri=https%3A%2F%2Fatelier.example%2Fconsole%2Fcallback"), "{issuer}");
    assert!(login.headers()["set-cookie"].to_str().unwrap().ends_with("; Secure"));
    for (origin, expected) in [
        ("https://atelier.example", 204),
        ("https://console.example", 204),
        ("https://evil.example", 403),
        (running.base_url.as_str(), 403),
    ] {
        let logout = client.post(format!("{}/console/logout", running.base_url)).header("origin", origin);
        assert_eq!(logout.send().await.unwrap().status(), expected, "{origin}");
    }
}

#[tokio::test]
async fn workbenches_have_the_capacity_that_is_set() {
    let folder = Folder::new();
    let running = start(&folder, &[("WORKBENCH_CAPACITY", "cpu=1,memory=1Gi,gpumem=0,storage=1Gi")]);
    let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
    let request = Client::new().post(format!("{}/workbenches/v1", running.base_url)).bearer_auth(token);
    let refused = request.json(&serde_json::json!({"name": "lab"})).send().await.unwrap();
    let (status, text) = (refused.status(), refused.text().await.unwrap());
    assert!(status.is_client_error() && text.contains("CAPACITY"), "{status} {text}");
}

#[tokio::test]
async fn metrics_are_written_to_the_log_and_served() {
    let folder = Folder::new();
    let running = start(&folder, &[("METRICS", "emf")]);
    let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
    agents(&running.base_url, &token, Method::GET).await;
    let served = reqwest::get(format!("{}/metrics", running.base_url)).await.unwrap().text().await.unwrap();
    assert!(served.contains("atelier_requests_total{function=\"agents\""), "{served}");
    running.signal("-INT");
    let (_, log) = running.wait_with_log();
    let mut lines = log.lines().filter(|line| line.starts_with("{\"_aws\""));
    assert!(lines.any(|line| line.contains("\"function\":\"agents\",\"method\":\"GET\"")), "{log}");
}

/// The cluster is not reached: an operator has stored no kubeconfig. Without the setting, `local` would run the workbench.
#[tokio::test]
async fn workbenches_are_provided_by_the_cluster_that_is_set() {
    let folder = Folder::new();
    let cluster = serde_json::json!({
        "connection": "kubeconfig", "domain": "labs.test", "ingress_class": "nginx", "ingress_namespace": "ingress",
        "ingress_annotations": {"auth-url": "https://access.test/check/{id}"},
    });
    let base_url = ("BASE_URL", "https://atelier.example");
    let running = start(&folder, &[("WORKBENCH_CLUSTER", &cluster.to_string()), base_url]);
    let token = credentials(&folder.0)["users"]["ada"]["accessToken"].as_str().unwrap().to_owned();
    let url = format!("{}/workbenches/v1", running.base_url);
    let request = Client::new().post(&url).bearer_auth(&token);
    let created = request.json(&serde_json::json!({"name": "lab"})).send().await.unwrap();
    assert_eq!(created.status(), 201, "{}", created.text().await.unwrap());
    let until = Instant::now() + PATIENCE;
    loop {
        let list = Client::new().get(&url).bearer_auth(&token).send().await.unwrap().text().await.unwrap();
        assert!(!list.contains("\"ready\"") && Instant::now() < until, "{list}");
        if list.contains("BACKEND_ERROR") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[test]
fn wrong_settings_are_refused_together_before_anything_starts() {
    let folder = Folder::new();
    let mut command = local();
    command.args(["--port", "0", "--data-dir"]).arg(&folder.0);
    let settings = [("SLACK_API_URL", "slack"), ("STREAM_SECONDS", "soon"), ("AUTH_AUDIENCE", "mine")];
    let refused = command.envs(settings).output().unwrap();
    let message = stderr_of(&refused);
    assert_eq!((refused.status.code(), message.lines().count()), (Some(1), 3), "{message}");
    for expected in [
        "SLACK_API_URL is \"slack\"; set it to an absolute URL",
        "STREAM_SECONDS is \"soon\"; set it to a number of seconds",
        "AUTH_AUDIENCE is set, and AUTH_ISSUER is not; set AUTH_ISSUER",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was started");
}
