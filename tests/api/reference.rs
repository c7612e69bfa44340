//! The reference page, the health check, and the behaviour that all routes share: request ids, 404 and 405.

use reqwest::Method;
use tests::TestApp;
use tests::client::send;

#[tokio::test]
async fn the_reference_page_loads_nothing_from_other_hosts() {
    let app = TestApp::start().await;
    let nobody = app.anonymous();
    let root = nobody.get("/").await;
    let console = format!("{}/console", app.platform.base_url);
    assert_eq!((root.status.as_str(), root.header("location")), ("307 Temporary Redirect", Some(console.as_str())));
    let front = nobody.get("/docs").await;
    assert_eq!((front.status.as_str(), front.header("location")), ("307 Temporary Redirect", Some("docs/index.html")));
    let folder = nobody.get("/docs/").await;
    assert_eq!((folder.status.as_str(), folder.header("location")), ("307 Temporary Redirect", Some("index.html")));
    let page = nobody.get("/docs/index.html").await;
    assert!(page.header("content-type").unwrap_or_default().starts_with("text/html"));
    let policy = page.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(!page.text.contains("<style") && !page.text.contains("style="), "the policy would refuse inline styles");
    assert!(!page.text.contains("//unpkg") && !page.text.contains("https://"), "nothing is loaded from another host");
    for file in ["docs.css", "docs.js", "operations.html", "favicon-32x32.png"] {
        let answer = nobody.get(&format!("/docs/{file}")).await;
        assert_eq!(answer.status, "200 OK", "{file}");
        assert!(page.text.contains(file), "{file} is not on the page");
    }
    let missing = nobody.get("/docs/none.js").await;
    assert_eq!((missing.status.as_str(), missing.code()), ("404 Not Found", "not_found"));
}

#[tokio::test]
async fn llms_txt_names_documents_that_exist() {
    let app = TestApp::start().await;
    let text = app.anonymous().get("/llms.txt").await;
    assert_eq!((text.status.as_str(), text.header("content-type")), ("200 OK", Some("text/plain; charset=utf-8")));
    let links: Vec<&str> = text.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert_eq!(links.len(), 4, "{links:?}");
    for link in links {
        assert_eq!(app.anonymous().get(&format!("/{link}")).await.status, "200 OK", "{link}");
    }
}

#[tokio::test]
async fn the_health_check_caches_its_table_read() {
    let app = TestApp::start().await;
    app.recorder.take();
    for _ in 0..20 {
        let health = app.anonymous().get("/health").await;
        assert_eq!((health.status.as_str(), health.json["status"].as_str()), ("200 OK", Some("ok")));
    }
    assert_eq!(app.recorder.take_costs().to_string(), "1 dynamodb:GetItem (1 units)");
}

#[tokio::test]
async fn every_response_has_a_request_id_and_echoes_the_clients() {
    let app = TestApp::start().await;
    let nobody = app.anonymous();
    for path in ["/health", "/builder/v1/agents", "/none", "/docs"] {
        let id = nobody.get(path).await.header("x-request-id").unwrap_or_default().to_owned();
        assert!(id.starts_with("req_") && id.len() == 36, "{path}: {id}");
    }
    let with_id = async |id: &str| {
        let answer = send(nobody.request(Method::GET, "/builder/v1/agents").header("X-Request-Id", id)).await;
        answer.header("x-request-id").unwrap_or_default().to_owned()
    };
    assert_eq!(with_id("trace-7").await, "trace-7");
    assert_eq!(with_id(&"x".repeat(128)).await, "x".repeat(128));
    for unfit in ["x".repeat(129), "two words".to_owned(), String::new()] {
        assert!(with_id(&unfit).await.starts_with("req_"), "{unfit:?}");
    }
}

#[tokio::test]
async fn unknown_routes_and_methods_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for path in ["/none", "/builder/v1/agent", "/builder/v1/agents/", "/builder/v1/agents/1/2", "/builder/v2/agents"] {
        let answer = ada.get(path).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "not_found"), "{path}");
    }
    for (path, allow) in
        [("/builder/v1/agents", "GET,HEAD,POST"), ("/builder/v1/models", "GET,HEAD"), ("/health", "GET,HEAD")]
    {
        for method in [Method::PUT, Method::DELETE, Method::OPTIONS] {
            let answer = send(ada.request(method, path)).await;
            assert_eq!(
                (answer.status.as_str(), answer.code()),
                ("405 Method Not Allowed", "method_not_allowed"),
                "{path}"
            );
            assert_eq!(answer.header("allow"), Some(allow), "{path}");
        }
    }
}
