//! Tests of outbound credentials: how a server receives each type, and that no other server does.

use bytes::Bytes;
use http::Request;

use super::super::{AddressGuard, CallError, Calls, Outbound};
use super::{PUBLIC, Stage, TIMEOUTS, closing, has_header, line};
use domain::credential::Credential;
use domain::id::CredentialId;

async fn call(stage: &Stage, credential: Option<&Credential>, url: &str) -> Result<u16, CallError> {
    let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
    let request = Request::get(url).body(Bytes::new()).unwrap();
    let id = CredentialId::new();
    Ok(calls.send(request, credential.map(|credential| (id, credential)), &TIMEOUTS).await?.status.as_u16())
}

fn shown() -> [(Credential, &'static str); 3] {
    let text = str::to_owned;
    [
        (Credential::Bearer { token: text("t0ken") }, "authorization: Bearer t0ken\r\n"),
        (
            Credential::Basic { username: text("ada"), password: text("pass:word") },
            "authorization: Basic YWRhOnBhc3M6d29yZA==\r\n",
        ),
        (Credential::Header { header: text("X-Api-Key"), value: text("k3y") }, "x-api-key: k3y\r\n"),
    ]
}

#[tokio::test]
async fn each_credential_type_is_sent_in_its_place() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|_| closing("200 OK", &[], "")).await;
    for (credential, header) in shown() {
        assert_eq!(call(&stage, Some(&credential), "http://api.test/x?a=1").await.unwrap(), 200);
        let heard = stage.heard().pop().unwrap();
        assert!(heard.contains(header) && line(&heard) == "GET /x?a=1 HTTP/1.1", "{heard}");
    }
    let query = Credential::Query { parameter: "api key".to_owned(), value: "a&b=c".to_owned() };
    for (url, arrives) in [
        ("http://api.test/x?a=1", "GET /x?a=1&api+key=a%26b%3Dc HTTP/1.1"),
        ("http://api.test", "GET /?api+key=a%26b%3Dc HTTP/1.1"),
    ] {
        call(&stage, Some(&query), url).await.unwrap();
        assert_eq!(line(stage.heard().last().unwrap()), arrives);
    }
    call(&stage, None, "http://api.test/").await.unwrap();
    let heard = stage.heard().pop().unwrap();
    assert!(!has_header(&heard, "authorization") && heard.contains("user-agent: atelier\r\n"), "{heard}");
}

#[tokio::test]
async fn credentials_are_removed_on_redirects_to_another_origin() {
    for (credential, header) in shown() {
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(|request| match line(request) {
            "GET /a HTTP/1.1" => closing("302 Found", &[("location", "/b")], ""),
            "GET /b HTTP/1.1" => closing("302 Found", &[("location", "http://elsewhere.test/c")], ""),
            _ => closing("200 OK", &[], ""),
        });
        let stage = stage.await;
        call(&stage, Some(&credential), "http://api.test/a").await.unwrap();
        let saw: Vec<_> = stage.heard().iter().map(|request| request.contains(header)).collect();
        assert_eq!(saw, [true, true, false], "{header}");
    }
    // Another port is another origin.
    let (credential, header) = &shown()[0];
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|request| match line(request) {
        "GET /a HTTP/1.1" => closing("307 Temporary Redirect", &[("location", "http://api.test:8080/b")], ""),
        _ => closing("200 OK", &[], ""),
    });
    let stage = stage.await;
    call(&stage, Some(credential), "http://api.test/a").await.unwrap();
    assert!(!stage.heard()[1].contains(header));
}

#[tokio::test]
async fn a_credential_in_the_path_is_sent_and_not_shown() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|_| closing("200 OK", &[], "")).await;
    let credential = Credential::Path { value: "1:s3cret".to_owned() };
    let send = async |url: &str| {
        let request = Request::get(url).body(Bytes::new()).unwrap();
        let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
        let answer = calls.send(request, Some((CredentialId::new(), &credential)), &TIMEOUTS).await;
        answer.map(|answer| answer.url.to_string())
    };
    let url = "http://api.test/bot{credential}/getFile?a=1";
    assert_eq!(send(url).await.unwrap(), url);
    assert_eq!(line(&stage.heard()[0]), "GET /bot1:s3cret/getFile?a=1 HTTP/1.1");
    // Neither the host nor the query is a place for it.
    for url in ["http://api.test/bot/getFile", "http://api.test/?a={credential}"] {
        assert_eq!(send(url).await.unwrap_err(), CallError::NoPlaceInPath);
    }
    assert_eq!(stage.heard().len(), 1);
}

#[tokio::test]
async fn invalid_credential_is_refused_before_anything_is_sent() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|_| closing("200 OK", &[], "")).await;
    let broken = Credential::Header { header: "X-Api-Key".to_owned(), value: "two\nlines".to_owned() };
    assert_eq!(call(&stage, Some(&broken), "http://api.test/").await.unwrap_err(), CallError::InvalidCredential);
    assert!(stage.heard().is_empty());
}
