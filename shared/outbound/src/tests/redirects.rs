//! Tests of redirects: they are followed only to allowed destinations.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request};

use domain::credential::Credential;
use domain::id::CredentialId;

use super::super::{AddressGuard, Calls, MAX_REDIRECTS, Outbound, OutboundError, Redirects, RequestTimeouts};
use super::{PUBLIC, Stage, TIMEOUTS, closing, has_header, line, stop_clock};

fn moved(status: &str, to: &str) -> String {
    closing(status, &[("location", to)], "moved")
}

async fn follow(stage: &Stage, request: Request<Bytes>) -> Result<(u16, Bytes), OutboundError> {
    let outbound = Outbound::new(AddressGuard::default(), stage.clone());
    let answer = outbound.follow(request, &TIMEOUTS).await?;
    Ok((answer.status.as_u16(), answer.body.read_to_end(100).await?))
}

fn request(method: Method, url: &str) -> Request<Bytes> {
    Request::builder().method(method).uri(url).body(Bytes::new()).unwrap()
}

#[tokio::test]
async fn redirects_are_followed_to_the_final_response() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|request| match line(request) {
        "GET /a HTTP/1.1" => moved("301 Moved Permanently", "/b?x=1#part"),
        "GET /b?x=1 HTTP/1.1" => moved("302 Found", "//other.test:81/c"),
        "GET /c HTTP/1.1" => moved("307 Temporary Redirect", "d/../e"),
        _ => closing("200 OK", &[], "there"),
    });
    let stage = stage.await;
    let outbound = Outbound::new(AddressGuard::default(), stage.clone());
    let answer = outbound.follow(request(Method::GET, "http://moving.test/a"), &TIMEOUTS).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.url.to_string().as_str()), (200, "http://other.test:81/e"));
    assert_eq!(answer.body.read_to_end(100).await.unwrap(), "there");
    let heard: Vec<_> = stage.heard().iter().map(|request| line(request).to_owned()).collect();
    assert_eq!(heard, ["GET /a HTTP/1.1", "GET /b?x=1 HTTP/1.1", "GET /c HTTP/1.1", "GET /e HTTP/1.1"]);
    let [first, last] = [PUBLIC.to_owned() + ":80", PUBLIC.to_owned() + ":81"];
    assert_eq!(stage.dialled(), [first.clone(), first, last.clone(), last]);
}

#[tokio::test]
async fn each_redirect_is_checked_by_the_guard() {
    // Literal addresses, also in unusual notations. The second loop uses a name whose address changes.
    for inside in [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://017700000001/",
        "https://192.168.0.1/",
    ] {
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(move |_| moved("302 Found", inside)).await;
        let refused = follow(&stage, request(Method::GET, "http://open.test/")).await;
        assert_eq!(refused.unwrap_err(), OutboundError::Forbidden, "{inside}");
        assert_eq!(stage.dialled(), [format!("{PUBLIC}:80")], "{inside}");
    }
    for then in ["10.0.0.1", "::1", "169.254.169.254"] {
        let stage = Stage::resolving(&[&[PUBLIC], &[then]]).answering(|_| moved("302 Found", "/again")).await;
        let refused = follow(&stage, request(Method::GET, "http://rebound.test/")).await;
        assert_eq!(refused.unwrap_err(), OutboundError::Forbidden, "{then}");
        assert_eq!(stage.dialled(), [format!("{PUBLIC}:80")], "{then}");
    }
}

#[tokio::test]
async fn redirects_to_other_schemes_are_refused() {
    for elsewhere in
        ["ftp://open.test/", "file:///etc/passwd", "gopher://open.test/", "http://u:p@open.test/", "http://"]
    {
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(move |_| moved("302 Found", elsewhere)).await;
        let refused = follow(&stage, request(Method::GET, "http://open.test/")).await;
        assert_eq!(refused.unwrap_err(), OutboundError::NotHttp, "{elsewhere}");
    }
    // A redirect without a location is returned as the response.
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|_| closing("302 Found", &[], "hm")).await;
    assert_eq!(follow(&stage, request(Method::GET, "http://open.test/")).await.unwrap(), (302, "hm".into()));
}

#[tokio::test]
async fn redirect_loops_end_at_the_maximum() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|_| moved("302 Found", "/round")).await;
    let refused = follow(&stage, request(Method::GET, "http://round.test/")).await;
    assert_eq!(refused.unwrap_err(), OutboundError::TooManyRedirects);
    assert_eq!(stage.heard().len(), MAX_REDIRECTS + 1);

    // The total timeout covers all redirects together: each is fast, but the fourth exceeds it.
    stop_clock();
    let slow = Stage { takes: Duration::from_millis(40), ..Stage::resolving(&[&[PUBLIC]]) };
    let slow = slow.answering(|_| moved("302 Found", "/round")).await;
    let outbound = Outbound::new(AddressGuard::default(), slow.clone());
    let timeouts = RequestTimeouts { total: Duration::from_millis(150), ..TIMEOUTS };
    let late = outbound.follow(request(Method::GET, "http://slow.test/"), &timeouts).await;
    assert_eq!(late.err(), Some(OutboundError::Timeout { sent: true }));
    assert_eq!(slow.heard().len(), 4);
}

#[tokio::test]
async fn redirects_change_the_method_as_browsers_do() {
    for (method, status, arrives) in [
        (Method::POST, "301 Moved Permanently", "GET"),
        (Method::POST, "302 Found", "GET"),
        (Method::POST, "303 See Other", "GET"),
        (Method::POST, "307 Temporary Redirect", "POST"),
        (Method::POST, "308 Permanent Redirect", "POST"),
        (Method::PUT, "301 Moved Permanently", "PUT"),
        (Method::DELETE, "303 See Other", "GET"),
        (Method::HEAD, "303 See Other", "HEAD"),
    ] {
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(move |request| match request.contains(" /a ") {
            true => moved(status, "/b"),
            false => closing("200 OK", &[], if request.starts_with("HEAD") { "" } else { "there" }),
        });
        let stage = stage.await;
        let mut request = request(method.clone(), "http://moving.test/a");
        *request.body_mut() = "the body".into();
        request.headers_mut().insert("content-type", HeaderValue::from_static("text/plain"));
        follow(&stage, request).await.unwrap();
        let heard = stage.heard();
        assert!(heard[1].starts_with(&format!("{arrives} /b ")), "{method} {status}: {}", heard[1]);
        let carries = heard[1].ends_with("the body") && has_header(&heard[1], "content-type");
        assert_eq!(carries, arrives == method.as_str() && arrives != "GET", "{method} {status}: {}", heard[1]);
    }
}

#[tokio::test]
async fn a_client_of_one_origin_returns_other_redirects_as_answers() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|request| match line(request) {
        "POST /mcp HTTP/1.1" => moved("307 Temporary Redirect", "/mcp/"),
        "POST /mcp/ HTTP/1.1" => moved("308 Permanent Redirect", "//other.test/mcp"),
        _ => moved("303 See Other", "/mcp"),
    });
    let stage = stage.await;
    let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
    let calls = calls.with_redirects(Redirects::WithinOrigin);
    let credential = Credential::Bearer { token: "s3cret".to_owned() };
    let send = async |url: &str| {
        let credential = Some((CredentialId::new(), &credential));
        calls.send(request(Method::POST, url), credential, &TIMEOUTS).await.unwrap().status.as_u16()
    };
    assert_eq!(send("http://open.test/mcp").await, 308);
    let heard: Vec<_> = stage.heard().iter().map(|request| line(request).to_owned()).collect();
    assert_eq!(heard, ["POST /mcp HTTP/1.1", "POST /mcp/ HTTP/1.1"]);
    assert!(stage.heard().iter().all(|request| request.contains("authorization: Bearer s3cret")));
    // The method would change, so the answer would be that of another request.
    assert_eq!(send("http://open.test/form").await, 303);
}
